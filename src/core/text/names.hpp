#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mustcite::text {

/// One author as "Given Family", from "Given Family" or "Family, Given" (also "von Family, Jr, Given"),
/// cleaned; footnote marks, remarks in parentheses and e-mail addresses go. Empty when nothing of a name is
/// left.
[[nodiscard]] std::string author_name(std::string_view text);

/// The authors of one field: "A and B", "A, B and C", or a single one in either order. A single comma
/// separates two authors only when both sides have several words. "and others" and "et al." go.
[[nodiscard]] std::vector<std::string> split_authors(std::string_view text);

}  // namespace mustcite::text
