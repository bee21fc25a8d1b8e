#include "apps/cli/late_models.hpp"

#include "apps/cli/neural_models.hpp"
#include "engine/late/plugin.hpp"

namespace mustcite::cli {

namespace fs = std::filesystem;

std::optional<ReadyLate> ready_late(const Context& context, const std::string& recipe_or_model) {
  ReadyLate ready;
  if (const auto file = recipe_file(context, recipe_or_model)) {
    if (!late::is_late_recipe(*file)) return std::nullopt;
    ready.recipe = late::read_recipe(*file);
    ready.model = model::resolve_late_model(neural_model(context, ready.recipe.text.model),
                                            late::late_options(ready.recipe));
    return ready;
  }
  const fs::path folder = neural_model(context, recipe_or_model);
  if (!model::is_late_folder(folder)) return std::nullopt;
  ready.recipe.text.name = model_name(folder);
  ready.recipe.text.model = fs::absolute(folder).string();
  ready.model = model::resolve_late_model(folder);
  return ready;
}

late::TokenEncoderFactory token_encoder_factory(const Context& context) {
  const dense::EncoderOptions options = encoder_options(context);
  return [options](const model::LateModel& model) {
    return late::token_plugin().open_token_encoder(model, options);
  };
}

recommend::Readers readers(const Context& context, const std::string& baseline) {
  return {encoder_factory(context), token_encoder_factory(context), baseline_factory(context, baseline)};
}

}  // namespace mustcite::cli
