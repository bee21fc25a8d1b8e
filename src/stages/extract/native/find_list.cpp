#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/text/printed_years.hpp"
#include "stages/extract/native/reference_list.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract::native {
namespace {

bool is_list_heading(const Flow& flow, std::size_t at) {
  const std::string& text = flow.text(at);
  if (text.size() > 48) return false;
  static const std::set<std::string> kHeadings{"references",
                                               "reference",
                                               "bibliography",
                                               "literaturecited",
                                               "referencesandnotes",
                                               "listofreferences",
                                               "workscited",
                                               "literature",
                                               "citedreferences",
                                               "referencescited",
                                               "selectedbibliography",
                                               "referencesandfurtherreading",
                                               "bibliographicreferences",
                                               "citedliterature"};
  const std::string key = heading_key(text);
  if (!kHeadings.contains(key)) return false;
  // A word that ends a sentence of the body by chance stands in its type and is lower case.
  return std::isupper(
             static_cast<unsigned char>(text[text.find_first_not_of(" 0123456789.") == std::string::npos
                                                 ? 0
                                                 : text.find_first_not_of(" 0123456789.")])) != 0;
}

std::size_t years_near(const Flow& flow, std::size_t from, std::size_t count) {
  std::size_t years = 0;
  for (std::size_t i = from; i < std::min(flow.size(), from + count); ++i)
    years += text::printed_years(flow.text(i)).empty() ? 0 : 1;
  return years;
}

/// The first line of a run "[1]", "[2]", … that counts up at line starts, in the later part of the paper.
std::size_t labelled_run(const Flow& flow, std::size_t from) {
  std::size_t best = kNoLine;
  std::size_t best_length = 4;
  for (std::size_t i = from; i < flow.size(); ++i) {
    if (label_at_start(flow.text(i), Label::Form::bracketed).number != 1) continue;
    int expected = 2;
    std::size_t last = i;
    for (std::size_t k = i + 1; k < flow.size() && k < last + 60; ++k) {
      if (label_at_start(flow.text(k), Label::Form::bracketed).number == expected) {
        ++expected;
        last = k;
      }
    }
    const auto length = static_cast<std::size_t>(expected - 1);
    if (length > best_length && years_near(flow, i, last - i + 1) * 3 > length) {
      best = i;
      best_length = length;
    }
  }
  return best;
}

float size_of_list(const Flow& flow, std::size_t begin) {
  std::map<int, std::size_t> sizes;
  for (std::size_t i = begin; i < std::min(flow.size(), begin + 60); ++i)
    sizes[static_cast<int>(std::lround(flow[i].size * 4))] += flow.text(i).size();
  const auto usual = std::max_element(sizes.begin(), sizes.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return usual == sizes.end() ? 10.F : static_cast<float>(usual->first) / 4;
}

bool starts_with_any_label(const std::string& text) {
  for (const auto form : {Label::Form::bracketed, Label::Form::parenthesised, Label::Form::alpha}) {
    if (label_at_start(text, form).form != Label::Form::none) return true;
  }
  return false;
}

bool ends_the_list(const Flow& flow, std::size_t at, float list_size) {
  const std::string& text = flow.text(at);
  const Line& line = flow[at];
  if (starts_with_any_label(text) || text.empty()) return false;
  const std::string key = heading_key(text);
  static constexpr std::array kEnds{"appendix",       "appendices", "supplement",
                                    "acknowledg",     "biograph",   "authorbio",
                                    "abouttheauthor", "checklist",  "neuripspaperchecklist",
                                    "supporting",     "proofof",    "theorem",
                                    "contents",       "index",      "glossary",
                                    "ethics",         "reproducib", "author"};
  const bool known =
      std::any_of(kEnds.begin(), kEnds.end(), [&](const char* word) { return key.starts_with(word); });
  const char last = text.back();
  const bool stops = last == '.' || last == ',' || last == ';';
  if (!looks_like_heading(flow, at) && !(known && text.size() < 40 && !stops && line.size > list_size + 0.4F))
    return false;
  if (stops && !known) return false;
  if (line.size >= list_size + 1.2F && text.size() >= 4 && text::printed_years(text).empty()) return true;
  if (known && (line.bold || line.size > list_size + 0.4F || text.size() < 100)) return true;
  // "A Proofs", "A.1 Details", "S1 Data", "B PROOF OF …" in bold.
  const bool lettered =
      text.size() > 3 && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
      (text[1] == ' ' ||
       (text[1] == '.' && (text[2] == ' ' || std::isdigit(static_cast<unsigned char>(text[2])) != 0)));
  const bool shouted = std::none_of(text.begin(), text.end(),
                                    [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
  if (shouted && lettered && text.size() > 12 && text.find(',') == std::string::npos &&
      text::printed_years(text).empty())
    return true;
  return line.bold && (lettered || line.size > list_size + 0.6F);
}

/// Lines that go on with the list behind a figure or table.
bool list_goes_on(const Flow& flow, std::size_t from, float list_size, int next_label) {
  std::size_t like = 0;
  std::size_t years = 0;
  for (std::size_t i = from; i < std::min(flow.size(), from + 150); ++i) {
    if (next_label > 0) {
      if (label_at_start(flow.text(i), Label::Form::bracketed).number == next_label) return true;
      continue;
    }
    if (std::fabs(flow[i].size - list_size) > 0.3F) continue;
    if (++like > 24) break;
    years += text::printed_years(flow.text(i)).empty() ? 0 : 1;
  }
  return next_label == 0 && like >= 6 && years * 4 >= like;
}

/// "Figure 3:", "Table 2.": a float begins.
bool is_caption(const std::string& text) {
  for (const char* word : {"Figure ", "Table ", "Fig. ", "Algorithm "}) {
    if (!text.starts_with(word)) continue;
    const std::size_t digit = std::string_view(word).size();
    const std::size_t end = text.find_first_not_of("0123456789", digit);
    return end != std::string::npos && end > digit && (text[end] == ':' || text[end] == '.');
  }
  return false;
}

bool is_other_size(const Line& line, float list_size) {
  return std::fabs(line.size - list_size) > 0.7F;
}

void find_end(const Flow& flow, ReferenceList& list) {
  const float size = size_of_list(flow, list.begin);
  int label = 0;
  std::size_t last_kept = list.begin;
  list.end = flow.size();
  const bool labelled = label_at_start(flow.text(list.begin), Label::Form::bracketed).number == 1;
  list.skipped.assign(flow.size() - list.begin, false);
  for (std::size_t i = list.begin; i < flow.size(); ++i) {
    const std::string& text = flow.text(i);
    if (labelled && label_at_start(text, Label::Form::bracketed).number == label + 1) ++label;
    bool end = i > list.begin && ends_the_list(flow, i, size);
    // Text of another size for several lines: the list is over, or a float stands in it.
    if (!end && is_other_size(flow[i], size) && i > list.begin + 1) {
      std::size_t other = 0;
      for (std::size_t k = i; k < std::min(flow.size(), i + 5); ++k)
        other += is_other_size(flow[k], size) ? 1 : 0;
      end = other >= std::min<std::size_t>(4, flow.size() - i);
    }
    end = end || (i > list.begin && is_caption(text));
    if (!end) {
      if (!list.skipped[i - list.begin]) last_kept = i;
      continue;
    }
    const bool heading = ends_the_list(flow, i, size);
    if ((heading && !labelled) || !list_goes_on(flow, i + 1, size, labelled ? label + 1 : 0)) {
      list.end = i;
      break;
    }
    // A float: skip to where the list goes on.
    std::size_t k = i;
    if (labelled) {
      while (k < flow.size() && label_at_start(flow.text(k), Label::Form::bracketed).number != label + 1 &&
             (is_other_size(flow[k], size) || k < i + 2))
        ++k;
    } else {
      while (k < flow.size() && (is_other_size(flow[k], size) || k == i)) ++k;
    }
    for (std::size_t s = i; s < k; ++s) list.skipped[s - list.begin] = true;
    i = k - 1;
  }
  list.end = std::min(list.end, std::max(last_kept + 1, list.begin + 1));
  list.skipped.resize(list.end - list.begin);
}

}  // namespace

ReferenceList find_list(const Flow& flow) {
  ReferenceList list;
  for (std::size_t i = 0; i + 1 < flow.size(); ++i) {
    if (!is_list_heading(flow, i)) continue;
    const std::size_t years = years_near(flow, i + 1, 14);
    const bool labelled = starts_with_any_label(flow.text(i + 1)) ||
                          label_at_start(flow.text(i + 1), Label::Form::dotted).number == 1;
    // A table of contents names the list as well, without years behind it.
    if (years < 2 && !labelled && !(flow.size() - i < 14 && years >= 1)) continue;
    if (list.heading != kNoLine && !labelled && years < 4) continue;
    list.heading = i;
  }
  if (list.heading != kNoLine) {
    list.begin = list.heading + 1;
  } else {
    list.begin = labelled_run(flow, 0);
  }
  if (list.found()) find_end(flow, list);
  if (list.found() && label_at_start(flow.text(list.begin), Label::Form::bracketed).number == 1)
    list.second = labelled_run(flow, list.end);
  return list;
}

}  // namespace mustcite::extract::native
