#pragma once

#include <string>
#include <string_view>

namespace mustcite {

/// What git calls a file with these bytes: SHA-1 of "blob SIZE\0" and the bytes, in lower-case hex. Proves that
/// nothing was lost on the way; no proof against forgers.
[[nodiscard]] std::string git_blob_id(std::string_view bytes);

}  // namespace mustcite
