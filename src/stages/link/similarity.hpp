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

/// What two titles do not share, word for word; spelling variants ("modelling", "pre training") are shared.
struct WordDifference {
  std::size_t replaced = 0;   ///< content words of one side against others of the other side
  std::size_t added = 0;      ///< content words that only one side has, nothing against them
  bool numbering = false;     ///< numbers or numerals differ
};
[[nodiscard]] WordDifference word_difference(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace mustcite::link
