#pragma once

#include <string>
#include <string_view>

namespace mustcite {

/// The text with A-Z as a-z and every other byte as it is: for names of protocols, hosts, tags and
/// identifiers. Words of people go through text::to_lower.
[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// The text without white space at both ends.
[[nodiscard]] constexpr std::string_view ascii_trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace mustcite
