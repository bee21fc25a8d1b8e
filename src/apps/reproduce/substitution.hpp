#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite::reproduce {

/// How an input names the shared folder.
inline constexpr std::string_view kSharedVariable = "$MUSTCITE_SHARED";

/// Placeholders by their name without braces, and what they stand for.
using Words = std::map<std::string, std::string, std::less<>>;

/// What the placeholders of a claim's step stand for.
struct Places {
  std::filesystem::path mustcite;
  std::filesystem::path work;
  std::filesystem::path shared;
  std::filesystem::path source;

  [[nodiscard]] Words words() const;
};

/// The first `{word}` that is no placeholder; other braces (JSON, say) are left alone.
[[nodiscard]] std::optional<std::string> unknown_placeholder(std::string_view text, const Words& known);

/// `text` with every known `{word}` replaced; unknown ones stay as they are.
[[nodiscard]] std::string substitute(std::string_view text, const Words& words);

}  // namespace mustcite::reproduce
