#pragma once

#include <string>
#include <vector>

#include "core/pdf/content.hpp"
#include "stages/extract/native/layout.hpp"

namespace mustcite::extract::native {

/// What a font's name says about it.
struct FontTraits {
  bool bold = false;
  bool italic = false;
  bool math = false;
};
[[nodiscard]] FontTraits font_traits(const std::string& name);

/// NFC, ligatures taken apart, soft hyphens made plain, control and private-use characters dropped.
[[nodiscard]] std::string readable(const std::string& word);

/// The upright words of a page, small capitals joined to their capital ("R EFERENCES").
[[nodiscard]] std::vector<Token> page_tokens(const pdf::Page& page, const std::vector<FontTraits>& fonts);

/// Drops the numbers that review copies print beside their lines. Returns how many.
std::size_t drop_line_numbers(std::vector<Token>& tokens, float page_width);

}  // namespace mustcite::extract::native
