#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mustcite::text {

/// Characters of a UTF-8 text: near enough to its width in a terminal.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

/// The text with blanks up to `size` characters: behind it when `left`, else before it.
[[nodiscard]] std::string padded(std::string_view text, std::size_t size, bool left);

}  // namespace mustcite::text
