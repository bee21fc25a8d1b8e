#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <vector>

namespace mustcite::reproduce {

enum class Presence { optional, required };

/// Takes values out of one TOML file and refuses what it does not know; every refusal names the file and,
/// where TOML knows it, the line. All of them throw invalid_input.
class TomlReader {
 public:
  /// `what` the file holds, for messages: "claim", "table".
  TomlReader(std::filesystem::path file, std::string what) : file_(std::move(file)), what_(std::move(what)) {}

  /// The whole file, at most one MiB. Throws not_found when there is none.
  [[nodiscard]] toml::table parse() const;
  [[noreturn]] void refuse(const toml::node* node, const std::string& what) const;
  /// Refuses keys that are none of these, with the nearest one.
  void know(const toml::table& table, const std::vector<std::string>& known) const;

  [[nodiscard]] std::string text(const toml::table& table, const char* key) const;
  /// Empty when the key is not there.
  [[nodiscard]] std::string text_or_none(const toml::table& table, const char* key) const;
  [[nodiscard]] double number(const toml::table& table, const char* key) const;
  [[nodiscard]] double positive(const toml::table& table, const char* key) const;
  [[nodiscard]] const toml::array& array(const toml::table& table, const char* key, Presence presence) const;
  /// A list of texts; empty when an optional key is not there.
  [[nodiscard]] std::vector<std::string> texts(const toml::table& table, const char* key,
                                               Presence presence) const;
  /// The entry of a list of tables.
  [[nodiscard]] const toml::table& table_in(const toml::node& node, const char* list) const;

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  std::filesystem::path file_;
  std::string what_;
};

}  // namespace mustcite::reproduce
