#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/native/reference_list.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract::native {
namespace {

using Form = Label::Form;

std::vector<std::size_t> kept_lines(const ReferenceList& list) {
  std::vector<std::size_t> lines;
  for (std::size_t i = list.begin; i < list.end; ++i) {
    if (list.holds(i)) lines.push_back(i);
  }
  return lines;
}

/// Labels that count up from 1; a number or two may be missing. The longest chain of the form.
std::vector<std::size_t> label_chain(const Flow& flow, const std::vector<std::size_t>& lines, Form form) {
  std::vector<std::size_t> chain;
  int expected = 1;
  for (const std::size_t i : lines) {
    const Label label = label_at_start(flow.text(i), form);
    if (label.form == Form::none) continue;
    const int ahead = label.number - expected;
    if (ahead < 0 || ahead > 2 || (chain.empty() && ahead > 0)) continue;
    if (ahead > 0) {
      // Skipping is right only when the missing number does not come soon.
      bool comes = false;
      for (std::size_t k = i + 1; k < std::min(flow.size(), i + 40) && !comes; ++k)
        comes = label_at_start(flow.text(k), form).number == expected;
      if (comes) continue;
    }
    chain.push_back(i);
    expected = label.number + 1;
  }
  return chain;
}

bool by_labels(const Flow& flow, ReferenceList& list) {
  const auto lines = kept_lines(list);
  std::vector<std::size_t> best;
  for (const Form form : {Form::bracketed, Form::parenthesised, Form::dotted, Form::bare}) {
    auto chain = label_chain(flow, lines, form);
    if (chain.size() > best.size()) best = std::move(chain);
  }
  // The chain must begin near the head of the list and go through it.
  if (best.size() >= 2 && best.front() <= list.begin + 3 && best.size() * 14 >= lines.size()) {
    list.starts = best;
    list.signal = "labels";
    return true;
  }
  std::vector<std::size_t> tags;
  for (const std::size_t i : lines) {
    if (label_at_start(flow.text(i), Form::alpha).form == Form::alpha) tags.push_back(i);
  }
  if (tags.size() >= 3 && tags.front() <= list.begin + 2 && tags.size() * 8 >= lines.size()) {
    list.starts = tags;
    list.signal = "labels";
    return true;
  }
  return false;
}

using Group = std::tuple<std::uint32_t, Column>;

/// Left edge of the entries in every column of every page.
std::map<Group, float> column_bases(const Flow& flow, const std::vector<std::size_t>& lines) {
  std::map<Group, std::vector<float>> edges;
  for (const std::size_t i : lines) edges[{flow[i].page, flow[i].column}].push_back(flow[i].x0);
  std::map<Group, float> bases;
  for (auto& [group, values] : edges) {
    std::sort(values.begin(), values.end());
    // The leftmost edge that a second line shares; a lone line further left is dirt.
    float base = values.front();
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      if (values[k + 1] - values[k] < 1.5F) {
        base = values[k];
        break;
      }
    }
    bases[group] = base;
  }
  return bases;
}

/// On a page that holds only the rest of an entry, no line stands at the edge: take it from the other pages.
void repair_bases(std::map<Group, float>& bases) {
  std::map<std::pair<Column, int>, std::size_t> votes;
  for (const auto& [group, base] : bases)
    ++votes[{std::get<1>(group), static_cast<int>(std::lround(base / 3))}];
  for (auto& [group, base] : bases) {
    const Column column = std::get<1>(group);
    std::pair<int, std::size_t> usual{0, 0};
    for (const auto& [key, count] : votes) {
      if (key.first == column && count > usual.second) usual = {key.second, count};
    }
    const float other = static_cast<float>(usual.first) * 3;
    if (usual.second >= 2 && base > other + 5 && base < other + 45) base = other;
  }
}

bool ends_entry(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" ”\"’");
  if (end == std::string::npos) return true;
  const char c = text[end];
  return c == '.' || c == ')' || c == ']' || c == '/' ||
         (c >= '0' && c <= '9' && text.find("://") != std::string::npos);
}

/// Capital first, and soon a comma, an initial or "and": the beginning of an author list.
bool starts_like_authors(const std::string& text) {
  if (text.empty() ||
      (std::isupper(static_cast<unsigned char>(text[0])) == 0 && static_cast<unsigned char>(text[0]) < 0x80))
    return false;
  const std::string head = text.substr(0, 60);
  const std::size_t comma = head.find(',');
  const std::size_t stop = head.find(". ");
  return comma != std::string::npos || (stop != std::string::npos && stop <= 2) ||
         head.find(" and ") != std::string::npos || head.find("(") != std::string::npos;
}

/// Small letters begin no entry, but for particles of names ("van der Maaten, L.").
bool can_begin_entry(const std::string& text) {
  if (text.empty() || std::islower(static_cast<unsigned char>(text[0])) == 0) return true;
  const std::string first = text.substr(0, text.find_first_of(" ’'"));
  static const std::set<std::string> kParticles{"van", "von",   "de",  "der", "den", "di", "da",
                                                "del", "della", "dos", "du",  "la",  "le", "el",
                                                "al",  "al-",   "d",   "ten", "ter", "zu"};
  const bool mixed = std::any_of(first.begin(), first.end(),
                                 [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
  return mixed || kParticles.contains(first) || first.find(',') != std::string::npos;
}

/// Starts whose entry can be none: the rest of an entry that stands alone in a column, where nothing tells
/// its indent.
void drop_remnants(const Flow& flow, const ReferenceList& list, std::vector<std::size_t>& starts) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : list.end;
    std::string text;
    for (std::size_t i = starts[k]; i < end && text.size() < 100; ++i) text += flow.text(i);
    const bool remnant = text.size() < 12 || (text.size() < 80 && starts[k] > list.begin &&
                                              !ends_entry(flow.text(starts[k] - 1)));
    if (kept.empty() || !remnant || !text::printed_years(text).empty()) kept.push_back(starts[k]);
  }
  starts = std::move(kept);
}

bool by_indents(const Flow& flow, ReferenceList& list) {
  const auto lines = kept_lines(list);
  auto bases = column_bases(flow, lines);
  repair_bases(bases);
  std::size_t indented = 0;
  std::vector<std::size_t> starts;
  std::map<int, std::size_t> depths;
  for (const std::size_t i : lines) {
    const float off = flow[i].x0 - bases[{flow[i].page, flow[i].column}];
    if (off > 3 && off < 45) {
      ++indented;
      ++depths[static_cast<int>(std::lround(off))];
    }
  }
  if (indented * 4 < lines.size()) return false;
  std::size_t deepest = 0;
  for (const auto& [depth, count] : depths) {
    std::size_t near = 0;
    for (int d = depth - 1; d <= depth + 1; ++d) near += depths.contains(d) ? depths[d] : 0;
    deepest = std::max(deepest, near);
  }
  if (deepest * 5 < indented * 3) return false;
  for (const std::size_t i : lines) {
    if (flow[i].x0 - bases[{flow[i].page, flow[i].column}] <= 3 && can_begin_entry(flow.text(i)))
      starts.push_back(i);
  }
  // First lines indented, the rest flush: paragraphs rather than hanging entries.
  std::size_t flush_authors = 0;
  for (const std::size_t i : starts) flush_authors += starts_like_authors(flow.text(i)) ? 1 : 0;
  std::vector<std::size_t> inner;
  std::size_t inner_authors = 0;
  for (const std::size_t i : lines) {
    if (flow[i].x0 - bases[{flow[i].page, flow[i].column}] > 3) {
      inner.push_back(i);
      inner_authors +=
          starts_like_authors(flow.text(i)) && (i == list.begin || ends_entry(flow.text(i - 1))) ? 1 : 0;
    }
  }
  if (inner_authors * 10 > inner.size() * 8 && flush_authors * 10 < starts.size() * 5) starts = inner;
  drop_remnants(flow, list, starts);
  list.starts = starts;
  list.signal = "indents";
  return true;
}

bool by_gaps(const Flow& flow, ReferenceList& list) {
  const auto lines = kept_lines(list);
  std::map<int, std::size_t> steps;
  for (const std::size_t i : lines) {
    if (i > list.begin && list.holds(i - 1) && flow.follows(i))
      ++steps[static_cast<int>(std::lround((flow[i].y1 - flow[i - 1].y1) * 2))];
  }
  std::size_t all = 0;
  for (const auto& [step, count] : steps) all += count;
  // The smallest step that is common is the distance of lines within an entry.
  float leading = 0;
  for (const auto& [step, count] : steps) {
    if (step > 8 && count * 8 >= all) {
      leading = static_cast<float>(step) / 2;
      break;
    }
  }
  if (leading == 0) leading = flow.layout().body_leading;
  std::vector<std::size_t> starts;
  std::size_t gaps = 0;
  for (const std::size_t i : lines) {
    const bool gap = i > list.begin && flow.follows(i) && flow[i].y1 - flow[i - 1].y1 > leading + 1.6F;
    gaps += gap ? 1 : 0;
  }
  const bool trust_gaps = gaps * 10 >= lines.size();
  for (const std::size_t i : lines) {
    if (i == list.begin) {
      starts.push_back(i);
      continue;
    }
    std::size_t before = i - 1;
    while (before > list.begin && !list.holds(before)) --before;
    const bool ended = ends_entry(flow.text(before));
    if (flow.follows(i) && list.holds(i - 1) && trust_gaps) {
      if (flow[i].y1 - flow[i - 1].y1 > leading + 1.6F) starts.push_back(i);
    } else if (ended && starts_like_authors(flow.text(i))) {
      // No gap to go by: the line before must be short, or hold a year near its end, unless a new column
      // begins.
      const bool short_line = flow[before].x1 < flow[i].x1 - 2 * flow[i].size || !flow.follows(i);
      if (short_line || !text::printed_years(flow.text(before)).empty()) starts.push_back(i);
    }
  }
  list.starts = starts;
  list.signal = "gaps";
  return true;
}

}  // namespace

void segment_by_print(const Flow& flow, ReferenceList& list) {
  list.destinations.clear();
  if (by_labels(flow, list) || by_indents(flow, list)) return;
  by_gaps(flow, list);
}

std::vector<ReferenceEntry> make_entries(const Flow& flow, const ReferenceList& list, ReferenceStyle& style) {
  std::vector<ReferenceEntry> entries;
  std::map<Form, std::size_t> forms;
  std::vector<std::map<Form, Label>> labels;
  for (const std::size_t start : list.starts) {
    auto& own = labels.emplace_back();
    for (const Form form : {Form::bracketed, Form::alpha, Form::parenthesised, Form::dotted, Form::bare}) {
      Label label = label_at_start(flow.text(start), form);
      if (label.form == Form::none) continue;
      ++forms[form];
      own[form] = std::move(label);
    }
  }
  Form form = Form::none;
  for (const auto& [candidate, count] : forms) {
    if (count * 10 >= list.starts.size() * 7 && (form == Form::none || count > forms[form])) form = candidate;
  }
  style = form == Form::none    ? ReferenceStyle::author_year
          : form == Form::alpha ? ReferenceStyle::alpha
                                : ReferenceStyle::numeric;
  for (std::size_t k = 0; k < list.starts.size(); ++k) {
    const std::size_t begin = list.starts[k];
    const std::size_t end = k + 1 < list.starts.size() ? list.starts[k + 1] : list.end;
    ReferenceEntry entry;
    const Line& first = flow[begin];
    entry.box = {first.page, first.x0, first.y0, first.x1, first.y1};
    for (std::size_t i = begin; i < end; ++i) {
      if (!list.holds(i)) continue;
      std::string_view text = flow.text(i);
      if (i == begin) {
        if (const auto label = labels[k].find(form); label != labels[k].end()) {
          entry.label = label->second.text;
          text.remove_prefix(label->second.end);
        }
      }
      join_line(entry.fields.raw, text);
      if (flow[i].page == entry.box.page && flow[i].column == first.column) {
        entry.box.x0 = std::min(entry.box.x0, flow[i].x0);
        entry.box.x1 = std::max(entry.box.x1, flow[i].x1);
        entry.box.y1 = std::max(entry.box.y1, flow[i].y1);
      }
    }
    if (!list.destinations.empty()) entry.destination = list.destinations[k];
    entry.fields.key = entry.label;
    read_fields_by_rules(entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace mustcite::extract::native
