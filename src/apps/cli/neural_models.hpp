#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "engine/dense/build.hpp"
#include "engine/dense/recipe.hpp"
#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {

/// The folder in models/ of a hub's model: `ORG/NAME` lies in `ORG--NAME`.
[[nodiscard]] std::filesystem::path pulled_folder(const Context& context, const std::string& name);

/// The folder of a model: as given when it is one, else in models/ of the workspace. Throws not_found, naming
/// `mustcite model pull`.
[[nodiscard]] std::filesystem::path neural_model(const Context& context, const std::string& name_or_folder);

/// The file of a recipe by its name: in recipes/ of the workspace, else the one that ships; or a path that
/// ends in .toml.
[[nodiscard]] std::optional<std::filesystem::path> recipe_file(const Context& context,
                                                               const std::string& name);

/// Names of the recipes that ship and of those of the workspace, sorted.
[[nodiscard]] std::vector<std::string> recipe_names(const Context& context);

/// What a model without a recipe is called: its folder's name, without the organisation.
[[nodiscard]] std::string model_name(const std::filesystem::path& folder);

/// A recipe with its model, ready to encode.
struct ReadyRecipe {
  dense::Recipe recipe;
  model::ModelFolder model;
};

/// From the name or file of a recipe, or from a model alone: then cosine over the vectors that its folder
/// describes, of title [SEP] abstract, with the prompts that the folder has. Throws not_found, invalid_input.
[[nodiscard]] ReadyRecipe ready_recipe(const Context& context, const std::string& recipe_or_model);

/// Threads and precision as the settings say. Throws invalid_input.
[[nodiscard]] dense::EncoderOptions encoder_options(const Context& context);

/// Opens encoders through the neural library, as the settings say.
[[nodiscard]] dense::EncoderFactory encoder_factory(const Context& context);

/// Opens trained baselines: of models/ in the workspace by their name, or all from `folder` when one is given.
[[nodiscard]] recommend::BaselineFactory baseline_factory(const Context& context, const std::string& folder);

}  // namespace mustcite::cli
