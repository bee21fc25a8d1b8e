#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::link {

/// Words of a title: lower case, accents removed, split at everything but letters and digits.
[[nodiscard]] std::vector<std::string> title_words(std::string_view title);

/// 1 - edit distance / longer length, over bytes of the first 400; 1 for two empty texts.
[[nodiscard]] double edit_similarity(std::string_view a, std::string_view b);

/// A number, a roman numeral up to x, or a word with a digit: words whose difference makes another paper ("Part II",
/// "GPT-3", "YOLOv4").
[[nodiscard]] bool is_numbering(std::string_view word);

/// Words that carry no meaning by themselves ("a", "the", "for", "with", …).
[[nodiscard]] bool is_function_word(std::string_view word);

/// The title without what reference managers leave in it: "[2103.03570] ", "(arXiv:2102.01670v2 [cs.LG] UPDATED)", and
/// " | Proceedings of …".
[[nodiscard]] std::string bare_title(std::string_view title);

/// What stands before the first and behind the last mark that parts a title from its subtitle; empty without such a mark.
struct TitleParts {
  std::string_view first;
  std::string_view last;
};
[[nodiscard]] TitleParts title_parts(std::string_view title);

/// What two titles do not share, word for word; spelling variants ("modelling", "pre training") are shared.
struct WordDifference {
  std::size_t replaced = 0;   ///< content words of one side against others of the other side
  std::size_t added = 0;      ///< content words that only one side has, nothing against them
  bool numbering = false;     ///< numbers or numerals differ
  double shared = 1;          ///< Dice's coefficient of the words, spelling variants counted as equal
};
[[nodiscard]] WordDifference word_difference(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace mustcite::link
