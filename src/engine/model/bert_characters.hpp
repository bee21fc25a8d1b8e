#pragma once

#include <cstdint>
#include <string>

/// What a character is to BERT's tokenizer as the `tokenizers` library computes it. That library takes its
/// tables from several versions of Unicode: categories from 8.0, decompositions and combining classes
/// from 9.0, case from 17.0. ICU's tables are limited to the age that each of these knew, so a newer ICU
/// changes nothing.
namespace mustcite::model::characters {

/// White space that separates words.
[[nodiscard]] bool is_space(char32_t c) noexcept;
/// Control, format and private characters, U+0000 and U+FFFD: cleaning takes them out. Tab and line ends
/// stay.
[[nodiscard]] bool is_removed(char32_t c) noexcept;
/// Stands alone between words.
[[nodiscard]] bool is_punctuation(char32_t c) noexcept;
/// An ideograph, which is a word of its own. Not Hiragana, Katakana or Hangul.
[[nodiscard]] bool is_ideograph(char32_t c) noexcept;
/// A non-spacing mark: taken out with the accents.
[[nodiscard]] bool is_accent(char32_t c) noexcept;
/// Canonical combining class: marks of different classes are put in order.
[[nodiscard]] std::uint8_t combining_class(char32_t c) noexcept;
/// Appends the canonical decomposition, which most characters are themselves.
void decompose(char32_t c, std::u32string& out);
/// Appends the lower-case letters: two for U+0130, else one.
void lower(char32_t c, std::u32string& out);

}  // namespace mustcite::model::characters
