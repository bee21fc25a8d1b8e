#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/text/normalise.hpp"
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
      for (std::size_t k = i + 1; k < std::min(flow.size(), i + 40) && !comes; ++k) comes = label_at_start(flow.text(k), form).number == expected;
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
  for (const auto& [group, base] : bases) ++votes[{std::get<1>(group), static_cast<int>(std::lround(base / 3))}];
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
  return c == '.' || c == ')' || c == ']' || c == '/' || (c >= '0' && c <= '9' && text.find("://") != std::string::npos);
}

/// Capital first, and soon a comma, an initial or "and": the beginning of an author list.
bool starts_like_authors(const std::string& text) {
  if (text.empty() || (std::isupper(static_cast<unsigned char>(text[0])) == 0 && static_cast<unsigned char>(text[0]) < 0x80)) return false;
  const std::string head = text.substr(0, 60);
  const std::size_t comma = head.find(',');
  const std::size_t stop = head.find(". ");
  return comma != std::string::npos || (stop != std::string::npos && stop <= 2) || head.find(" and ") != std::string::npos || head.find("(") != std::string::npos;
}

/// Small letters begin no entry, but for particles of names ("van der Maaten, L.").
bool can_begin_entry(const std::string& text) {
  if (text.empty() || std::islower(static_cast<unsigned char>(text[0])) == 0) return true;
  const std::string first = text.substr(0, text.find_first_of(" ’'"));
  static const std::set<std::string> kParticles{"van", "von", "de", "der", "den", "di", "da", "del", "della", "dos", "du", "la", "le", "el", "al", "al-", "d", "ten", "ter", "zu"};
  const bool mixed = std::any_of(first.begin(), first.end(), [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
  return mixed || kParticles.contains(first) || first.find(',') != std::string::npos;
}

/// Starts whose entry can be none: the rest of an entry that stands alone in a column, where nothing tells its indent.
void drop_remnants(const Flow& flow, const ReferenceList& list, std::vector<std::size_t>& starts) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : list.end;
    std::string text;
    for (std::size_t i = starts[k]; i < end && text.size() < 100; ++i) text += flow.text(i);
    const bool remnant = text.size() < 12 || (text.size() < 80 && starts[k] > list.begin && !ends_entry(flow.text(starts[k] - 1)));
    if (kept.empty() || !remnant || !printed_years(text).empty()) kept.push_back(starts[k]);
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
    if (flow[i].x0 - bases[{flow[i].page, flow[i].column}] <= 3 && can_begin_entry(flow.text(i))) starts.push_back(i);
  }
  // First lines indented, the rest flush: paragraphs rather than hanging entries.
  std::size_t flush_authors = 0;
  for (const std::size_t i : starts) flush_authors += starts_like_authors(flow.text(i)) ? 1 : 0;
  std::vector<std::size_t> inner;
  std::size_t inner_authors = 0;
  for (const std::size_t i : lines) {
    if (flow[i].x0 - bases[{flow[i].page, flow[i].column}] > 3) {
      inner.push_back(i);
      inner_authors += starts_like_authors(flow.text(i)) && (i == list.begin || ends_entry(flow.text(i - 1))) ? 1 : 0;
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
    if (i > list.begin && list.holds(i - 1) && flow.follows(i)) ++steps[static_cast<int>(std::lround((flow[i].y1 - flow[i - 1].y1) * 2))];
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
      // No gap to go by: the line before must be short, or hold a year near its end, unless a new column begins.
      const bool short_line = flow[before].x1 < flow[i].x1 - 2 * flow[i].size || !flow.follows(i);
      if (short_line || !printed_years(flow.text(before)).empty()) starts.push_back(i);
    }
  }
  list.starts = starts;
  list.signal = "gaps";
  return true;
}

/// How well a line's first words agree with a destination's name: "cite.kingma2014adam" and "Kingma, D. P.".
int name_agreement(const std::string& name, const std::string& text) {
  const std::string key = text::fold(name);
  const std::string line = text::fold(text);
  int agreement = 0;
  std::size_t at = 0;
  int words = 0;
  while (at < line.size() && words < 4) {
    std::size_t end = at;
    while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0) ++end;
    if (end - at >= 3) {
      ++words;
      if (key.find(line.substr(at, end - at)) != std::string::npos) agreement += 2;
    }
    at = end + 1;
  }
  return agreement;
}

/// The words that the paper's links to a destination cover: "Szegedy et al.".
std::string cited_as(const pdf::Content& content, const std::string& name) {
  std::string words;
  int links = 0;
  for (const auto& page : content.pages) {
    for (const auto& link : page.links) {
      if (link.destination != name || ++links > 4) continue;
      for (const auto& word : page.words) {
        const float x = (word.x0 + word.x1) / 2;
        const float y = (word.y0 + word.y1) / 2;
        if (x > link.x0 && x < link.x1 && y > link.y0 && y < link.y1) words += " " + word.text;
      }
    }
  }
  return words;
}

/// Lines that a destination may mean, with a cost: how far it stands from them, less what speaks for them.
std::vector<std::pair<double, std::size_t>> lines_of_destination(const Flow& flow, const pdf::Destination& destination, const std::string& cited, const std::set<std::size_t>& printed) {
  std::vector<std::pair<double, std::size_t>> found;
  const auto [first, last] = flow.page(destination.page);
  for (std::size_t i = first; i < last; ++i) {
    const Line& line = flow[i];
    const double below = line.y0 - destination.y;
    if (below < -6 || below > 26) continue;
    double cost = below < -1 ? -below * 3 : std::fabs(below - 2);
    if (printed.contains(i)) cost -= 4;
    if (destination.has_x) {
      if (destination.x > line.x1 || destination.x < line.x0 - 60) continue;
      cost += std::fabs(line.x0 - destination.x) * 0.08;
    } else {
      cost -= name_agreement(destination.name + " " + cited, flow.text(i)) * 3;
    }
    found.emplace_back(cost, i);
  }
  return found;
}

}  // namespace

bool segment_by_destinations(const Flow& flow, const pdf::Content& content, ReferenceList& list) {
  const auto& destinations = content.destinations;
  std::set<std::size_t> printed;
  if (list.found()) {
    ReferenceList by_print = list;
    segment_by_print(flow, by_print);
    printed.insert(by_print.starts.begin(), by_print.starts.end());
  }
  std::map<std::size_t, std::string> found;
  std::size_t named = 0;
  // The surest first: each line begins one entry only.
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t d = 0; d < destinations.size(); ++d) {
    if (!destinations[d].name.starts_with("cite.")) continue;
    ++named;
    const std::string cited = destinations[d].has_x ? std::string() : cited_as(content, destinations[d].name);
    for (const auto& [cost, line] : lines_of_destination(flow, destinations[d], cited, printed)) pairs.emplace_back(cost, d, line);
  }
  std::sort(pairs.begin(), pairs.end());
  std::set<std::size_t> placed;
  for (const auto& [cost, d, line] : pairs) {
    if (placed.contains(d) || found.contains(line)) continue;
    placed.insert(d);
    found.emplace(line, destinations[d].name);
  }
  if (named < 2 || found.size() * 2 < named) return false;
  const std::size_t first = found.begin()->first;
  if (!list.found() || first < list.begin || found.rbegin()->first >= list.end) {
    // The list stands elsewhere, or reaches further, than print alone says.
    const std::size_t old_end = list.found() ? list.end : 0;
    ReferenceList widened;
    widened.heading = list.found() && list.heading != kNoLine && list.heading < first ? list.heading : kNoLine;
    widened.begin = first;
    widened.second = list.second;
    widened.end = std::max(old_end, found.rbegin()->first + 1);
    if (old_end <= found.rbegin()->first) {
      const float size = flow[found.rbegin()->first].size;
      while (widened.end < flow.size() && widened.end < found.rbegin()->first + 14 && std::fabs(flow[widened.end].size - size) < 0.6F && !looks_like_heading(flow, widened.end) && flow[widened.end].column == flow[widened.end - 1].column) ++widened.end;
    }
    widened.skipped.assign(widened.end - widened.begin, false);
    for (std::size_t i = widened.begin; i < widened.end; ++i) {
      if (list.found() && i >= list.begin && i < list.end) widened.skipped[i - widened.begin] = list.skipped[i - list.begin];
    }
    list = std::move(widened);
  } else {
    list.skipped.erase(list.skipped.begin(), list.skipped.begin() + static_cast<std::ptrdiff_t>(first - list.begin));
    list.begin = first;
  }
  list.starts.clear();
  list.destinations.clear();
  for (const auto& [line, name] : found) {
    list.starts.push_back(line);
    list.destinations.push_back(name);
    list.skipped[line - list.begin] = false;
  }
  list.signal = "destinations";
  return true;
}

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
  style = form == Form::none ? ReferenceStyle::author_year : form == Form::alpha ? ReferenceStyle::alpha : ReferenceStyle::numeric;
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
