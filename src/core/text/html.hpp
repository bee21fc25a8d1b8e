#pragma once

#include <string>
#include <string_view>

namespace mustcite::text {

/// HTML, JATS and MathML remnants turned into text: character references (also escaped up to three times
/// over) become characters, known tags go (block tags leave a space), comments, scripts and styles go with
/// their content. Unknown names in angle brackets stay: `a <b and c> d` is mathematics.
[[nodiscard]] std::string html_to_text(std::string_view text);

/// The character of a Windows-1252 byte (0x80 to 0xFF; Latin-1 where both agree).
[[nodiscard]] char32_t windows_1252(unsigned char byte) noexcept;

/// UTF-8 that was read as Windows-1252 or Latin-1 (`Ã©` for é) undone, sequence by sequence, only where the
/// sequence means nothing else.
[[nodiscard]] std::string undo_mojibake(std::string_view text);

}  // namespace mustcite::text
