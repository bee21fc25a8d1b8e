#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace mustcite::snapshot {

/// The names in DocumentView::authors, in order.
[[nodiscard]] inline std::vector<std::string_view> split_authors(std::string_view joined) {
  std::vector<std::string_view> names;
  for (std::size_t begin = 0; begin < joined.size();) {
    const std::size_t end = std::min(joined.find('\n', begin), joined.size());
    names.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace mustcite::snapshot
