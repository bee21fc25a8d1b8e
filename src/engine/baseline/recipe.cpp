#include "engine/baseline/recipe.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::baseline {
namespace {

Settings settings_of(const toml::table* table, const std::string& where) {
  std::map<std::string, Settings::Value> values;
  if (table != nullptr) {
    for (const auto& [key, node] : *table) {
      const std::string name(key.str());
      if (const auto* text = node.as_string()) {
        values[name] = text->get();
      } else if (const auto* whole = node.as_integer()) {
        values[name] = whole->get();
      } else if (const auto* real = node.as_floating_point()) {
        values[name] = real->get();
      } else if (const auto* flag = node.as_boolean()) {
        values[name] = flag->get();
      } else {
        fail(ErrorCode::invalid_input, "{}: {} must be a number, a text, true or false", where, name);
      }
    }
  }
  return {std::move(values), where};
}

void read_training(const Settings& from, Recipe::Training& into) {
  into.first_year = static_cast<int>(from.count("first_year", 0, 0, 9999));
  into.last_year = static_cast<int>(from.count("last_year", 0, 0, 9999));
  into.epochs = from.count("epochs", into.epochs, 0, 10000);
  into.batch = from.count("batch", into.batch, 0, 100000);
  into.rate = from.number("rate", into.rate, 1e-9, 10);
  into.patience = from.count("patience", into.patience, 0, 1000);
  into.held_out = from.number("held_out", into.held_out, 0, 0.9);
  into.documents = from.count("documents", into.documents, 100, 100000000);
  into.queries = from.count("queries", into.queries, 1, 100000);
  into.features = from.text("features", into.features);
  into.seed = from.count("seed", 1, 0, std::size_t{1} << 62);
  from.finish();
}

}  // namespace

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"ar-gnn", "hatten-rr", "ktr", "litfm"};
  return all;
}

std::string family_of(std::string_view model_name) {
  for (const auto& name : names()) {
    if (model_name == name || model_name.starts_with(name + "-")) return name;
  }
  return {};
}

Recipe parse_recipe(std::string_view toml, std::string_view name) {
  Recipe recipe;
  recipe.name = name;
  recipe.source = toml;
  toml::table table;
  try {
    table = toml::parse(toml, name);
  } catch (const toml::parse_error& error) {
    fail(ErrorCode::invalid_input, "the recipe {} is no TOML: {} in line {}", name, error.description(),
         error.source().begin.line);
  }
  const std::string where = "the recipe " + recipe.name;
  for (const auto& [key, node] : table) {
    const std::string_view part = key.str();
    if (part == "training" || part == "model") {
      if (!node.is_table()) fail(ErrorCode::invalid_input, "{}: {} must be a table", where, part);
    } else if (part == "baseline" || part == "notes") {
      if (!node.is_string()) fail(ErrorCode::invalid_input, "{}: {} must be a text", where, part);
    } else {
      fail(ErrorCode::invalid_input, "{}: there is no '{}'; it has baseline, notes, [training] and [model]",
           where, part);
    }
  }
  recipe.baseline = table["baseline"].value_or(family_of(name));
  recipe.notes = table["notes"].value_or(std::string());
  if (std::find(names().begin(), names().end(), recipe.baseline) == names().end()) {
    fail(ErrorCode::invalid_input, "{}: baseline must be one of {}", where, fmt::join(names(), ", "));
  }
  read_training(settings_of(table["training"].as_table(), where + ", [training]"), recipe.training);
  recipe.model = settings_of(table["model"].as_table(), where + ", [model]");
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& file) {
  return parse_recipe(io::read_file(file, std::size_t{1} << 20), file.stem().string());
}

}  // namespace mustcite::baseline
