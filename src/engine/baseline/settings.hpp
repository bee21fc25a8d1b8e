#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mustcite::baseline {

/// The keys of one table of a recipe, each read once with its bounds. What nobody asked for is refused, so a
/// misspelt key never passes for its default.
class Settings {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  Settings() = default;
  /// `where` names file and table in messages.
  Settings(std::map<std::string, Value> values, std::string where)
      : values_(std::move(values)), where_(std::move(where)) {}

  /// Each throws invalid_input for a value of another kind or out of bounds.
  [[nodiscard]] double number(const std::string& key, double otherwise, double low, double high) const;
  [[nodiscard]] std::size_t count(const std::string& key, std::size_t otherwise, std::size_t low,
                                  std::size_t high) const;
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise) const;
  [[nodiscard]] std::string choice(const std::string& key, const std::string& otherwise,
                                   const std::vector<std::string>& choices) const;
  [[nodiscard]] bool flag(const std::string& key, bool otherwise) const;
  /// Throws invalid_input for a key that was never asked for, naming the nearest that was.
  void finish() const;

  /// A value from the command line in place of the file's.
  void set(const std::string& key, Value value) { values_[key] = std::move(value); }
  [[nodiscard]] const std::map<std::string, Value>& values() const noexcept { return values_; }

 private:
  [[nodiscard]] const Value* find(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const;

  std::map<std::string, Value> values_;
  std::string where_;
  mutable std::set<std::string> known_;
};

}  // namespace mustcite::baseline
