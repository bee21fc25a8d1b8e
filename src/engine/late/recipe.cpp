#include "engine/late/recipe.hpp"

#include <toml++/toml.h>

#include <array>
#include <sstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::late {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

[[noreturn]] void refuse(std::string_view where, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the recipe {}: {}", where, why);
}

toml::table parse_table(std::string_view text, std::string_view where) {
  try {
    return toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    refuse(where,
           fmt::format("it is not valid TOML, line {}: {}", error.source().begin.line, error.description()));
  }
}

/// Takes the field out of the table.
template <typename Value>
void take(toml::table& table, const char* name, std::optional<Value>& value, std::string_view where) {
  const auto* const node = table.get(name);
  if (node == nullptr) return;
  const auto given = node->value_exact<Value>();
  if (!given) refuse(where, fmt::format("its field '{}' is of the wrong type", name));
  value = *given;
  table.erase(name);
}

std::string text_of(const toml::table& table) {
  std::ostringstream out;
  out << table << '\n';
  return out.str();
}

}  // namespace

bool is_late_recipe(const std::filesystem::path& file) {
  const toml::table table = parse_table(io::read_file(file, kMostBytes), file.string());
  return table["kind"].value_or(std::string()) == "late";
}

Recipe parse_recipe(std::string_view text, std::string_view where) {
  toml::table table = parse_table(text, where);
  std::optional<std::string> kind;
  take(table, "kind", kind, where);
  if (kind != "late") refuse(where, "its kind is not \"late\"");
  for (const char* name : std::array{"adapter", "pooling", "metric"}) {
    if (table.contains(name))
      refuse(where, fmt::format("its field '{}' means nothing in late interaction", name));
  }
  Recipe recipe;
  std::optional<std::int64_t> length;
  take(table, "query_length", length, where);
  if (length && *length < 4) refuse(where, "its query_length is no number of tokens");
  if (length) recipe.reading.query_length = static_cast<std::size_t>(*length);
  take(table, "query_marker", recipe.reading.query_marker, where);
  take(table, "document_marker", recipe.reading.document_marker, where);
  take(table, "expand_queries", recipe.reading.expand_queries, where);
  take(table, "attend_to_expansion", recipe.reading.attend_to_expansion, where);
  take(table, "skip_punctuation", recipe.reading.skip_punctuation, where);
  recipe.text = dense::parse_recipe(text_of(table), where);
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& file) {
  return parse_recipe(io::read_file(file, kMostBytes), file.string());
}

std::string recipe_text(const Recipe& recipe) {
  toml::table table{{"name", recipe.text.name},   {"kind", "late"},
                    {"model", recipe.text.model}, {"document", recipe.text.document},
                    {"query", recipe.text.query}, {"topic_query", recipe.text.topic_query}};
  if (recipe.text.max_length) table.insert("max_length", static_cast<std::int64_t>(*recipe.text.max_length));
  const auto insert = [&](const char* name, const auto& value) {
    if (value) table.insert(name, *value);
  };
  if (recipe.reading.query_length)
    table.insert("query_length", static_cast<std::int64_t>(*recipe.reading.query_length));
  insert("query_marker", recipe.reading.query_marker);
  insert("document_marker", recipe.reading.document_marker);
  insert("expand_queries", recipe.reading.expand_queries);
  insert("attend_to_expansion", recipe.reading.attend_to_expansion);
  insert("skip_punctuation", recipe.reading.skip_punctuation);
  return text_of(table);
}

model::LateOptions late_options(const Recipe& recipe) {
  model::LateOptions options = recipe.reading;
  if (recipe.text.max_length) options.document_length = recipe.text.max_length;
  return options;
}

}  // namespace mustcite::late
