#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite::reproduce {

/// How an input names the shared folder.
inline constexpr std::string_view kSharedVariable = "$MUSTCITE_SHARED";

/// What the placeholders of a step stand for.
struct Places {
  std::filesystem::path mustcite;
  std::filesystem::path work;
  std::filesystem::path shared;
  std::filesystem::path source;
};

/// The first `{word}` that is no placeholder; other braces (JSON, say) are left alone.
[[nodiscard]] std::optional<std::string> unknown_placeholder(std::string_view text);

[[nodiscard]] std::string substitute(std::string_view text, const Places& places);

}  // namespace mustcite::reproduce
