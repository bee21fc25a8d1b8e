#include "stages/extract/check_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stages/extract/mentions.hpp"

namespace mustcite::extract {
namespace {

/// Between two markers of one bracket stand separators and short words ("see also") only.
bool joins(std::string_view between) {
  return between.size() <= 24 && between.find_first_of("()[].\n") == std::string_view::npos;
}

}  // namespace

void note_links(Document& document, const std::vector<Span>& unlinked) {
  if (!unlinked.empty()) {
    const Span first = unlinked.front();
    document.problems.push_back(
        {ProblemKind::unlinked_markers,
         fmt::format("{} markers name no entry of the list, the first one is \"{}\"", unlinked.size(),
                     document.text.substr(first.begin, std::min<std::size_t>(60, first.end - first.begin)))});
  }
  if (document.references.empty()) return;
  const double covered = coverage(document, document.mentions);
  if (covered < 0.7)
    document.problems.push_back(
        {ProblemKind::uncited_references, fmt::format("no mention was found for {:.0f} % of {} entries",
                                                      (1 - covered) * 100, document.references.size())});
}

void group_by_brackets(Document& document) {
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < document.mentions.size(); ++i) {
    if (i > 0) {
      const std::size_t end = document.mentions[i - 1].span.end;
      const std::size_t begin = document.mentions[i].span.begin;
      const bool same = begin < end || joins(std::string_view(document.text).substr(end, begin - end));
      if (!same) ++group;
    }
    document.mentions[i].group = group;
  }
}

}  // namespace mustcite::extract
