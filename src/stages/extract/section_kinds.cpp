#include <algorithm>
#include <array>
#include <string>

#include "core/text/normalise.hpp"
#include "stages/extract/document.hpp"

namespace mustcite::extract {
namespace {

struct KindWords {
  SectionKind kind;
  std::string_view words;  ///< begins of words, parted by '|'; several words must stand side by side
};

/// In order: the first one found decides ("experimental discussion" is experiments).
constexpr std::array kWords{
    KindWords{SectionKind::appendix, "appendi|supplement"},
    KindWords{SectionKind::abstract, "abstract"},
    KindWords{SectionKind::related_work,
              "related work|related literature|related research|previous work|prior work|literature "
              "review|background and related|related stud|state of the art|relation to|connections to"},
    KindWords{SectionKind::conclusion, "conclu|future work|closing remark|summary and|concluding"},
    KindWords{SectionKind::experiments,
              "experiment|evaluat|result|empirical|ablation|benchmark|simulation|case "
              "stud|performance|comparison|dataset|data set|implementation detail|numerical"},
    KindWords{SectionKind::discussion, "discuss|limitation|analysis|broader impact|threats to"},
    KindWords{SectionKind::introduction, "introduct|motivation|overview"},
    KindWords{SectionKind::related_work, "background|related"},
    KindWords{SectionKind::method,
              "method|preliminar|approach|model|algorithm|architecture|framework|proposed|formulation|"
              "problem|theor|system|training|learning|notation|design"},
};

/// The heading in lower case without its number: "IV. RELATED WORK" gives "related work".
std::string bare(std::string_view heading) {
  std::string lower = text::fold(heading);
  std::size_t at = 0;
  const std::size_t space = lower.find(' ');
  if (space != std::string::npos && space <= 8) {
    const std::string_view first = std::string_view(lower).substr(0, space);
    const bool number = first.find_first_not_of("0123456789.") == std::string_view::npos;
    const bool roman = first.find_first_not_of("ivx.") == std::string_view::npos;
    const bool letter = first.size() <= 2 && (first.size() == 1 || first[1] == '.');
    const bool lettered = first.size() > 2 && first[1] == '.' &&
                          first.find_first_not_of("0123456789.", 1) == std::string_view::npos;
    if (number || roman || letter || lettered) at = space + 1;
  }
  return " " + lower.substr(at);
}

bool names(const std::string& heading, std::string_view words) {
  while (!words.empty()) {
    const std::size_t bar = std::min(words.find('|'), words.size());
    if (heading.find(" " + std::string(words.substr(0, bar))) != std::string::npos) return true;
    words.remove_prefix(std::min(words.size(), bar + 1));
  }
  return false;
}

/// "A Proofs", "B.2 More results": how appendices number their sections.
bool is_lettered(std::string_view heading) {
  if (heading.size() < 3 || heading[0] < 'A' || heading[0] > 'H') return false;
  if (heading[1] == ' ') return heading[0] != 'A' || (heading[2] >= 'A' && heading[2] <= 'Z');
  return heading[1] == '.' && (heading[2] == ' ' || (heading[2] >= '0' && heading[2] <= '9'));
}

}  // namespace

SectionKind kind_of_heading(std::string_view heading) {
  const std::string key = bare(heading);
  for (const auto& candidate : kWords) {
    if (names(key, candidate.words)) return candidate.kind;
  }
  return SectionKind::other;
}

void set_section_kinds(std::vector<Section>& sections, const std::vector<int>& levels) {
  std::vector<std::size_t> open;  // sections that enclose the next one
  bool concluded = false;
  bool appendix = false;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Section& section = sections[i];
    const int level = i < levels.size() ? std::max(1, levels[i]) : 1;
    while (!open.empty() && (open.back() >= levels.size() || levels[open.back()] >= level)) open.pop_back();
    section.path.clear();
    if (!open.empty()) section.path = sections[open.back()].path;
    if (section.heading.empty()) continue;
    section.path.push_back(section.heading);
    section.kind = kind_of_heading(section.heading);
    const SectionKind above = open.empty() ? SectionKind::other : sections[open.back()].kind;
    if (level == 1 && (section.kind == SectionKind::appendix || (concluded && is_lettered(section.heading))))
      appendix = true;
    if (appendix && (level > 1 || is_lettered(section.heading) || section.kind == SectionKind::appendix))
      section.kind = SectionKind::appendix;
    else if (!open.empty() && (section.kind == SectionKind::other || above == SectionKind::experiments ||
                               above == SectionKind::related_work))
      section.kind = above;
    concluded = concluded || section.kind == SectionKind::conclusion ||
                section.kind == SectionKind::discussion || section.kind == SectionKind::experiments;
    open.push_back(i);
  }
}

}  // namespace mustcite::extract
