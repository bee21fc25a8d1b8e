#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite {

/// One known setting: its dotted name (`index.analyzer`), default and one-line meaning.
struct Setting {
  std::string name;
  std::string default_value;
  std::string meaning;
};

/// Settings from four places, the later winning: defaults, mustcite.toml, environment (MUSTCITE_INDEX_ANALYZER),
/// command line (`--set index.analyzer=plain`). Values keep where they came from.
class Config {
 public:
  enum class Origin { built_in, file, environment, flag };
  struct Value {
    std::string text;
    Origin origin = Origin::built_in;
  };

  /// Every setting the program knows, sorted by name.
  static const std::vector<Setting>& known();

  Config();
  /// Throws invalid_input for broken TOML (with line) and for unknown keys (with the nearest known name).
  void load_file(const std::filesystem::path& path);
  /// Reads MUSTCITE_* variables; unknown ones that look like settings are refused the same way.
  void load_environment();
  void set(std::string_view name, std::string_view value);

  [[nodiscard]] const Value& value(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  /// Throw invalid_input naming the setting and its origin when the text is no number.
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;

 private:
  std::vector<Value> values_;
};

/// The known name with the smallest edit distance, or nothing when none is near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace mustcite
