#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mustcite::text {

/// What `decode` gives for a malformed byte.
inline constexpr char32_t kMalformed = 0xFFFFFFFF;

/// The code point at `text[at]`, which moves past it; past one byte for a malformed sequence. Surrogates,
/// overlong forms and values past U+10FFFF are malformed.
[[nodiscard]] char32_t decode(std::string_view text, std::size_t& at) noexcept;

/// Appends a code point as UTF-8. Precondition: a Unicode scalar value.
void encode(char32_t code, std::string& out);

[[nodiscard]] bool is_ascii(std::string_view text) noexcept;

/// Unicode letters of any script (general category L).
[[nodiscard]] bool is_letter(char32_t code) noexcept;
[[nodiscard]] bool is_digit(char32_t code) noexcept;
/// Combining marks (Mn, Me, Mc).
[[nodiscard]] bool is_mark(char32_t code) noexcept;
/// Combining marks of the Latin, Greek and Cyrillic alphabets (U+0300 to U+036F).
[[nodiscard]] constexpr bool is_accent(char32_t code) noexcept {
  return code >= 0x300 && code <= 0x36F;
}
[[nodiscard]] bool is_upper(char32_t code) noexcept;

}  // namespace mustcite::text
