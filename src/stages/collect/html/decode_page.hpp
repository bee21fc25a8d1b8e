#pragma once

#include <string>
#include <string_view>

namespace mustcite::collect::html {

/// The text of a page as UTF-8: by its byte order mark, else as UTF-8 where it is valid (whatever is
/// declared: static pages often declare nothing or the wrong thing), else by the charset of the Content-Type
/// or of a <meta>, else as Windows-1252, which includes Latin-1. UTF-8 with a few damaged bytes stays UTF-8
/// with U+FFFD in their place.
[[nodiscard]] std::string decode_page(std::string_view bytes, std::string_view content_type);

}  // namespace mustcite::collect::html
