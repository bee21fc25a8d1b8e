#pragma once

#include <optional>
#include <string>

#include "apps/cli/context.hpp"
#include "engine/late/build.hpp"
#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {

/// A recipe of late interaction with its model.
struct ReadyLate {
  late::Recipe recipe;
  model::LateModel model;
};

/// From the name or file of a recipe with `kind = "late"`, or from a model folder of that kind alone, which
/// is then used as it says; nothing for others. Throws not_found, invalid_input.
[[nodiscard]] std::optional<ReadyLate> ready_late(const Context& context, const std::string& recipe_or_model);

/// Opens token encoders through the neural library, as the settings say.
[[nodiscard]] late::TokenEncoderFactory token_encoder_factory(const Context& context);

/// Opens whatever reads queries through the neural library; baselines from the model folder `baseline`, else
/// from that of their name.
[[nodiscard]] recommend::Readers readers(const Context& context, const std::string& baseline = "");

}  // namespace mustcite::cli
