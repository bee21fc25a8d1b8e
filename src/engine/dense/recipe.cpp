#include "engine/dense/recipe.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::dense {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::array<std::pair<std::string_view, Metric>, 3> kMetrics{
    {{"cosine", Metric::cosine}, {"dot", Metric::dot}, {"l2", Metric::l2}}};

[[noreturn]] void refuse(std::string_view where, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the recipe {}: {}", where, why);
}

Metric parse_metric(const std::string& name, std::string_view where) {
  for (const auto& [known, metric] : kMetrics) {
    if (known == name) return metric;
  }
  refuse(where, fmt::format("its metric is '{}'; use cosine, dot or l2", name));
}

/// The text with its places filled. Throws for a place that there is not.
std::string filled(std::string_view form, const TextParts& parts, std::string_view where) {
  std::string text;
  while (!form.empty()) {
    const std::size_t open = std::min(form.find('{'), form.size());
    text += form.substr(0, open);
    form.remove_prefix(open);
    if (form.empty()) break;
    const std::size_t close = form.find('}');
    const std::string_view name = form.substr(1, close == std::string_view::npos ? 0 : close - 1);
    if (name == "title") {
      text += parts.title;
    } else if (name == "abstract") {
      text += parts.abstract;
    } else if (name == "topic") {
      text += parts.topic;
    } else {
      refuse(where,
             fmt::format("its text has the place '{}'; known ones are {{title}}, {{abstract}} and {{topic}}",
                         form.substr(0, std::min<std::size_t>(close, 40) + 1)));
    }
    form.remove_prefix(close + 1);
  }
  return text;
}

void take_text(const toml::table& table, const char* name, std::string& value, std::string_view where) {
  const auto* const node = table.get(name);
  if (node == nullptr) return;
  if (!node->is_string()) refuse(where, fmt::format("its field '{}' is no text", name));
  value = node->as_string()->get();
}

void refuse_unknown_fields(const toml::table& table, std::string_view where) {
  constexpr std::array<std::string_view, 9> kFields{
      "name", "model", "adapter", "pooling", "max_length", "metric", "document", "query", "topic_query"};
  for (const auto& [key, node] : table) {
    if (std::find(kFields.begin(), kFields.end(), key.str()) == kFields.end())
      refuse(where, fmt::format("its field '{}' is unknown; the fields are {}", key.str(),
                                fmt::join(kFields, ", ")));
  }
}

}  // namespace

std::string_view name_of(Metric metric) noexcept {
  for (const auto& [name, known] : kMetrics) {
    if (known == metric) return name;
  }
  return "?";
}

Recipe parse_recipe(std::string_view text, std::string_view where) {
  toml::table table;
  try {
    table = toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    refuse(where,
           fmt::format("it is not valid TOML, line {}: {}", error.source().begin.line, error.description()));
  }
  // Late interaction takes the field before the rest is read here.
  if (table.contains("kind"))
    refuse(where, "its kind is unknown: \"late\" is the one there is; left out, a text becomes one vector");
  refuse_unknown_fields(table, where);
  Recipe recipe;
  take_text(table, "name", recipe.name, where);
  take_text(table, "model", recipe.model, where);
  take_text(table, "adapter", recipe.adapter, where);
  if (recipe.name.empty()) refuse(where, "it has no name");
  // The name is that of a folder of the index.
  if (recipe.name == "." || recipe.name == ".." || recipe.name.find('/') != std::string::npos)
    refuse(where, fmt::format("its name '{}' cannot be that of a folder", recipe.name));
  if (recipe.model.empty()) refuse(where, "it names no model");
  std::string word;
  take_text(table, "pooling", word, where);
  if (!word.empty()) recipe.pooling = model::parse_pooling(word, where);
  word = "cosine";
  take_text(table, "metric", word, where);
  recipe.metric = parse_metric(word, where);
  if (const auto* const length = table.get("max_length"); length != nullptr) {
    if (!length->is_integer() || length->as_integer()->get() < 3)
      refuse(where, "its max_length is no number of tokens");
    recipe.max_length = static_cast<std::size_t>(length->as_integer()->get());
  }
  take_text(table, "document", recipe.document, where);
  take_text(table, "query", recipe.query, where);
  take_text(table, "topic_query", recipe.topic_query, where);
  for (const std::string* form : {&recipe.document, &recipe.query, &recipe.topic_query})
    static_cast<void>(filled(*form, {}, where));
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& file) {
  return parse_recipe(io::read_file(file, kMostBytes), file.string());
}

std::string recipe_text(const Recipe& recipe) {
  toml::table table{
      {"name", recipe.name},         {"model", recipe.model}, {"metric", std::string(name_of(recipe.metric))},
      {"document", recipe.document}, {"query", recipe.query}, {"topic_query", recipe.topic_query}};
  if (!recipe.adapter.empty()) table.insert("adapter", recipe.adapter);
  if (recipe.pooling) table.insert("pooling", std::string(model::name_of(*recipe.pooling)));
  if (recipe.max_length) table.insert("max_length", static_cast<std::int64_t>(*recipe.max_length));
  std::ostringstream out;
  out << table << '\n';
  return out.str();
}

std::string document_text(const Recipe& recipe, const TextParts& parts) {
  return filled(recipe.document, parts, recipe.name);
}

std::string query_text(const Recipe& recipe, const TextParts& parts) {
  return filled(parts.topic.empty() ? recipe.query : recipe.topic_query, parts, recipe.name);
}

model::FolderOptions folder_options(const Recipe& recipe,
                                    const std::optional<std::filesystem::path>& adapter) {
  model::FolderOptions options;
  options.pooling = recipe.pooling;
  options.max_length = recipe.max_length;
  options.adapter = adapter;
  if (recipe.metric == Metric::cosine) options.normalise = true;
  return options;
}

}  // namespace mustcite::dense
