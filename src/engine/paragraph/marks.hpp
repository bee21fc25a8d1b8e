#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What does one paragraph say, what does it cite, and which of its sentences is its topic?
namespace mustcite::paragraph {

/// How a citation is printed.
enum class MarkForm {
  label,      ///< in square brackets: [3, 5-7], [KPR+17]
  bracketed,  ///< names and years in brackets: (Author et al., 2020)
  named,      ///< names that are part of the sentence: Author and Author (2020), Author et al.
  year        ///< a year alone: "since 2015", "(2015)"; no citation by itself
};

/// Bytes [begin, end) of a text, the brackets included.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  MarkForm form = MarkForm::year;
  std::size_t works = 1;  ///< works named in it: labels (a range counts its two ends), or years
};

/// Citation marks and years of a text, ascending, without overlap. Time is linear in the text's length.
[[nodiscard]] std::vector<Mark> find_marks(std::string_view text);

/// The text without marks and years: what may be shown to a search without telling whom the paragraph cites.
/// White space is folded, and none stays before a comma or a stop.
[[nodiscard]] std::string masked(std::string_view text);

}  // namespace mustcite::paragraph
