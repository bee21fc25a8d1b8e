#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/collect/html/document.hpp"

// What several readers take from links and lines.
namespace mustcite::collect {

/// The last segment of a path, without query: "li26a.html" of "https://…/v336/li26a.html?x".
[[nodiscard]] std::string last_segment(std::string_view url);
/// The same without its ending.
[[nodiscard]] std::string stem(std::string_view url);
/// The first whole number in a text ("4,493 papers" → 4493).
[[nodiscard]] std::optional<std::size_t> number_in(std::string_view text);
/// Lower case (ASCII) and trimmed.
[[nodiscard]] std::string lowered(std::string_view text);
/// Without white space at both ends.
[[nodiscard]] std::string trimmed(std::string_view text);
/// The address that an attribute of an element means on the page `base`; empty when it is none.
[[nodiscard]] std::string link_of(const html::Element& element, std::string_view base,
                                  std::string_view attribute = "href");

}  // namespace mustcite::collect
