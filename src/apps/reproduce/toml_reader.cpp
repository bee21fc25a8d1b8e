#include "apps/reproduce/toml_reader.hpp"

#include <algorithm>

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::reproduce {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

}  // namespace

toml::table TomlReader::parse() const {
  try {
    return toml::parse(io::read_file(file_, kMaxBytes), file_.string());
  } catch (const toml::parse_error& error) {
    fail(ErrorCode::invalid_input, "{}:{} is no sound TOML: {}", file_.string(), error.source().begin.line,
         error.description());
  }
}

void TomlReader::refuse(const toml::node* node, const std::string& what) const {
  const auto line = node == nullptr ? 0 : node->source().begin.line;
  fail(ErrorCode::invalid_input, "cannot use the {} {}{}: {}", what_, file_.string(),
       line > 0 ? fmt::format(":{}", line) : "", what);
}

void TomlReader::know(const toml::table& table, const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto nearest = nearest_name(name, known);
    std::string all;
    for (const auto& one : known) all += (all.empty() ? "" : ", ") + one;
    refuse(&node, fmt::format("there is no key '{}'{}; known here: {}", name,
                              nearest ? fmt::format(", did you mean '{}'?", *nearest) : "", all));
  }
}

std::string TomlReader::text(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) refuse(&table, fmt::format("the key '{}' is missing", key));
  const auto value = node->value_exact<std::string>();
  if (!value || value->empty()) refuse(node, fmt::format("'{}' must be a text that is not empty", key));
  return *value;
}

std::string TomlReader::text_or_none(const toml::table& table, const char* key) const {
  return table.contains(key) ? text(table, key) : std::string{};
}

double TomlReader::number(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) refuse(&table, fmt::format("the key '{}' is missing", key));
  const auto value = node->value<double>();
  if (!value || !node->is_number() || !(*value - *value == 0)) {
    refuse(node, fmt::format("'{}' must be a finite number", key));
  }
  return *value;
}

double TomlReader::positive(const toml::table& table, const char* key) const {
  const double value = number(table, key);
  if (!(value > 0)) refuse(table.get(key), fmt::format("'{}' must be above 0", key));
  return value;
}

const toml::array& TomlReader::array(const toml::table& table, const char* key, Presence presence) const {
  static const toml::array kNone;
  const toml::node* node = table.get(key);
  if (node == nullptr && presence == Presence::optional) return kNone;
  if (node == nullptr) refuse(&table, fmt::format("the key '{}' is missing", key));
  if (!node->is_array()) refuse(node, fmt::format("'{}' must be a list", key));
  if (node->as_array()->empty() && presence == Presence::required)
    refuse(node, fmt::format("'{}' is empty", key));
  return *node->as_array();
}

std::vector<std::string> TomlReader::texts(const toml::table& table, const char* key,
                                           Presence presence) const {
  std::vector<std::string> result;
  for (const auto& node : array(table, key, presence)) {
    const auto value = node.value_exact<std::string>();
    if (!value) refuse(&node, fmt::format("every entry of '{}' must be a text", key));
    result.push_back(*value);
  }
  return result;
}

const toml::table& TomlReader::table_in(const toml::node& node, const char* list) const {
  if (!node.is_table()) refuse(&node, fmt::format("'{}' must be tables: write [[{}]]", list, list));
  return *node.as_table();
}

}  // namespace mustcite::reproduce
