#include "apps/cli/neural_models.hpp"

#include <algorithm>
#include <set>

#include "apps/cli/shipped.hpp"
#include "core/base/error.hpp"
#include "engine/baseline/model_card.hpp"
#include "engine/baseline/recipe.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/model/added_model_tokens.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

std::string without_slash(std::string name) {
  for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at))
    name.replace(at, 1, "--");
  return name;
}

/// A recipe for a model that none was written for.
dense::Recipe plain_recipe(const fs::path& folder, const model::ModelFolder& model) {
  dense::Recipe recipe;
  recipe.name = model_name(folder);
  recipe.model = fs::absolute(folder).string();
  const auto prompt = [&](std::initializer_list<const char*> names) -> std::string {
    for (const char* known : names) {
      if (const auto found = model.prompts.find(known); found != model.prompts.end()) return found->second;
    }
    return "";
  };
  recipe.document = prompt({"document", "passage"}) + recipe.document;
  recipe.query = prompt({"query"}) + recipe.query;
  // A model that was trained with the token [TS] reads the topic sentence behind it.
  const std::string topic_token = "[TS]";
  if (!model::lacks_tokens(model, {&topic_token, 1})) recipe.topic_query = "{title}[SEP]{abstract}[TS]{topic}";
  recipe.topic_query = prompt({"query"}) + recipe.topic_query;
  return recipe;
}

}  // namespace

std::string model_name(const fs::path& folder) {
  std::string name = fs::absolute(folder).lexically_normal().filename().string();
  if (const auto org = name.rfind("--"); org != std::string::npos) name = name.substr(org + 2);
  return name;
}

fs::path pulled_folder(const Context& context, const std::string& name) {
  return context.workspace_folder() / "models" / without_slash(name);
}

fs::path neural_model(const Context& context, const std::string& name_or_folder) {
  for (const fs::path& folder : {fs::path(name_or_folder), pulled_folder(context, name_or_folder)}) {
    if (fs::exists(folder / "config.json") || fs::exists(folder / "modules.json") ||
        fs::exists(folder / "adapter_config.json"))
      return folder;
  }
  fail(
      ErrorCode::not_found,
      "there is no model '{}', neither as a folder nor in the workspace: `mustcite model pull {}` fetches it",
      name_or_folder, name_or_folder);
}

std::optional<fs::path> recipe_file(const Context& context, const std::string& name) {
  if (name.ends_with(".toml")) return fs::path(name);
  const fs::path own = context.workspace_folder() / "recipes" / (name + ".toml");
  if (fs::exists(own)) return own;
  return shipped(fs::path("recipes") / (name + ".toml"));
}

std::vector<std::string> recipe_names(const Context& context) {
  std::set<std::string> names;
  std::error_code none;
  const auto add = [&](const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  };
  add(context.workspace_folder() / "recipes");
  if (const auto folder = shipped("recipes")) add(*folder);
  return {names.begin(), names.end()};
}

ReadyRecipe ready_recipe(const Context& context, const std::string& recipe_or_model) {
  ReadyRecipe ready;
  if (const auto file = recipe_file(context, recipe_or_model)) {
    ready.recipe = dense::read_recipe(*file);
    std::optional<fs::path> adapter;
    if (!ready.recipe.adapter.empty()) adapter = neural_model(context, ready.recipe.adapter);
    ready.model = model::resolve_model(neural_model(context, ready.recipe.model),
                                       dense::folder_options(ready.recipe, adapter));
    return ready;
  }
  const fs::path folder = neural_model(context, recipe_or_model);
  ready.recipe = plain_recipe(folder, model::resolve_model(folder));
  ready.model = model::resolve_model(folder, dense::folder_options(ready.recipe, std::nullopt));
  return ready;
}

dense::EncoderOptions encoder_options(const Context& context) {
  using Precision = dense::EncoderOptions::Precision;
  dense::EncoderOptions options;
  options.threads = context.threads;
  const std::string precision = context.config().text("encode.precision");
  if (precision == "float32") {
    options.precision = Precision::float32;
  } else if (precision == "bfloat16") {
    options.precision = Precision::bfloat16;
  } else if (precision != "auto") {
    fail(ErrorCode::invalid_input, "the setting encode.precision is '{}': use auto, float32 or bfloat16",
         precision);
  }
  return options;
}

dense::EncoderFactory encoder_factory(const Context& context) {
  const dense::EncoderOptions options = encoder_options(context);
  return [options](const model::ModelFolder& model) {
    return dense::neural_plugin().open_encoder(model, options);
  };
}

recommend::BaselineFactory baseline_factory(const Context& context, const std::string& folder) {
  const std::size_t threads = context.threads;
  const fs::path models = context.workspace_folder() / "models";
  return [models, folder, threads](const std::string& name, const baseline::World& world) {
    fs::path place = models / name;
    if (!folder.empty()) place = fs::exists(models / folder) ? models / folder : fs::path(folder);
    const auto card = baseline::read_card(place);
    if (card.baseline != baseline::family_of(name)) {
      fail(ErrorCode::invalid_input, "the model in {} is {}, not {}: give its name to --method, or another model", place.string(),
           card.name, name);
    }
    baseline::World own = world;
    own.threads = threads;
    return dense::neural_plugin().open_baseline(place, own);
  };
}

}  // namespace mustcite::cli
