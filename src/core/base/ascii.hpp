#pragma once

#include <string>
#include <string_view>

namespace mustcite {

/// The text with A-Z as a-z and every other byte as it is: for names of protocols, hosts, tags and identifiers. Words of
/// people go through text::to_lower.
[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace mustcite
