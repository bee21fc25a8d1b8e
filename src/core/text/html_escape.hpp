#pragma once

#include <string>
#include <string_view>

namespace mustcite::text {

/// Text for an HTML or SVG page, in elements and in quoted attributes: `& < > " '` become references, control
/// characters other than the line end go, malformed UTF-8 becomes U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace mustcite::text
