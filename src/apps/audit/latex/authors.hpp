#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mustcite::audit::latex {

/// Names in the argument of \author, in order: what stands between \and, \And, \AND, \\, commas and "and", without
/// notes, marks and commands, when it looks like a name of two to five words. Addresses and footnotes are left out as
/// far as their words give them away.
[[nodiscard]] std::vector<std::string> names_in_author_block(std::string_view block);

}  // namespace mustcite::audit::latex
