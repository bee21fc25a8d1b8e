#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/dense/recipe.hpp"
#include "engine/model/late_model.hpp"

namespace mustcite::late {

/// A method of late interaction: a recipe of dense retrieval with `kind = "late"`, whose model reads texts as
/// `reading` says where it says anything.
struct Recipe {
  dense::Recipe
      text;  ///< name, model and texts; what it says of pooling, adapter and metric means nothing here
  model::LateOptions reading;
};

/// True when the file says `kind = "late"`. Throws not_found.
[[nodiscard]] bool is_late_recipe(const std::filesystem::path& file);

/// Throws like `dense::read_recipe`, and invalid_input for fields that mean nothing in late interaction.
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& file);
/// The same from text; `where` names it in messages.
[[nodiscard]] Recipe parse_recipe(std::string_view toml, std::string_view where);
/// As TOML: what `parse_recipe` reads back.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);

/// What a recipe changes of a model's reading.
[[nodiscard]] model::LateOptions late_options(const Recipe& recipe);

}  // namespace mustcite::late
