#include "core/text/padding.hpp"

#include <algorithm>

namespace mustcite::text {

std::size_t count_characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t size, bool left) {
  const std::size_t width = count_characters(text);
  const std::string blanks(size > width ? size - width : 0, ' ');
  return left ? std::string(text) + blanks : blanks + std::string(text);
}

}  // namespace mustcite::text
