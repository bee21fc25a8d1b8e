#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/cli/context.hpp"
#include "apps/cli/late_models.hpp"
#include "apps/cli/model_pull.hpp"
#include "apps/cli/neural_models.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "engine/model/bert_tensors.hpp"
#include "engine/model/model_folder.hpp"
#include "engine/model/tokenizer.hpp"
#include "engine/rank/model.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

bool is_neural(const fs::path& folder) {
  return fs::exists(folder / "config.json") || fs::exists(folder / "modules.json") ||
         fs::exists(folder / "adapter_config.json");
}

std::string ranker_line(const fs::path& folder) {
  const auto model = rank::load_model(folder);
  std::string tiers;
  for (const auto& [tier, trees] : model.tiers)
    tiers += (tiers.empty() ? "" : ", ") + std::string(tier_name(tier));
  return fmt::format("{} features; tiers {}", model.width(), tiers);
}

std::string neural_line(const fs::path& folder) {
  if (!fs::exists(folder / "config.json") && !fs::exists(folder / "modules.json"))
    return "adapter of another model";
  const auto model = model::resolve_model(folder);
  return fmt::format("{} layers, {} numbers a vector, pooling {}, {} tokens at most", model.config.layers,
                     model.dimensions(), model::name_of(model.pooling), model.max_length);
}

int run_list(const Context& context) {
  struct Found {
    std::string name;
    std::string kind;
    std::string what;
    std::string folder;
  };
  std::vector<Found> found;
  const auto add = [&](const fs::path& folder) {
    Found model{folder.filename().string(), is_neural(folder) ? "encoder" : "ranker", "", folder.string()};
    try {
      model.what = is_neural(folder) ? neural_line(folder) : ranker_line(folder);
    } catch (const Error& error) {
      model.what = fmt::format("cannot be used: {}", error.what());
    }
    found.push_back(std::move(model));
  };
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(context.workspace_folder() / "models", none)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    if (is_neural(entry.path()) || fs::exists(entry.path() / "model.json")) add(entry.path());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  if (const auto used = ranker_model(context, "")) {
    if (used->parent_path() != context.workspace_folder() / "models") add(*used);
  }
  if (context.json) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& model : found)
      json.push_back(
          {{"name", model.name}, {"kind", model.kind}, {"what", model.what}, {"folder", model.folder}});
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  Table table;
  for (const char* title : {"model", "kind", "what", "folder"}) table.add_column(title);
  for (const auto& model : found) table.add_row({model.name, model.kind, model.what, model.folder});
  fmt::print("{}", table.render());
  return 0;
}

/// Reads every part of an encoder: what `pull` and `info` say is what can be computed.
nlohmann::ordered_json describe(const model::ModelFolder& model) {
  const auto weights = model::TensorFile::open(model.transformer);
  const auto tensors = model::bert_tensors(weights, model.config);
  const auto tokenizer = model::Tokenizer::open(model.transformer);
  model::check_vocabulary(tokenizer, model.config);
  std::size_t parameters = 0;
  for (const auto& [name, tensor] : tensors) parameters += tensor.elements();
  nlohmann::ordered_json json;
  json["folder"] = fs::absolute(model.folder).string();
  json["architecture"] = model.config.model_type;
  json["layers"] = model.config.layers;
  json["heads"] = model.config.heads;
  json["hidden_size"] = model.config.hidden_size;
  json["activation"] = std::string(model::name_of(model.config.activation));
  json["vocabulary"] = tokenizer.vocab_size();
  json["parameters"] = parameters;
  json["weights"] = weights.files().front().filename().string();
  json["numbers"] = std::string(model::name_of(tensors.begin()->second.dtype));
  json["pooling"] = std::string(model::name_of(model.pooling));
  json["dense_layers"] = model.dense.size();
  json["normalise"] = model.normalise;
  json["dimensions"] = model.dimensions();
  json["max_length"] = model.max_length;
  if (model.adapter) json["adapter"] = model.adapter->name;
  json["digest"] = model.digest;
  return json;
}

/// The same of a model of late interaction.
nlohmann::ordered_json describe(const model::LateModel& model) {
  auto json = describe(model.folder);
  const auto tokenizer = model::Tokenizer::open(model.folder.transformer);
  static_cast<void>(model::LateReader(model, tokenizer));
  json["pooling"] = "none: vectors of tokens";
  json["normalise"] = true;
  json.erase("max_length");
  json["query_marker"] = model.reading.query_marker;
  json["document_marker"] = model.reading.document_marker;
  json["query_length"] = model.reading.query_length;
  json["document_length"] = model.reading.document_length;
  json["expand_queries"] = model.reading.expand_queries;
  json["skip_punctuation"] = model.reading.skip_punctuation;
  json["digest"] = model.digest;
  return json;
}

nlohmann::ordered_json describe(const fs::path& folder) {
  return model::is_late_folder(folder) ? describe(model::resolve_late_model(folder))
                                       : describe(model::resolve_model(folder));
}

void print_description(const Context& context, const nlohmann::ordered_json& json) {
  if (context.json) {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const auto& [name, value] : json.items())
    fmt::print("{:14} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
}

int run_info(const Context& context, const std::string& name) {
  if (!name.empty()) {
    if (recipe_file(context, name)) {
      if (const auto late = ready_late(context, name)) {
        if (!context.json) fmt::print("{}\n", late::recipe_text(late->recipe));
        print_description(context, describe(late->model));
        return 0;
      }
      const auto ready = ready_recipe(context, name);
      if (!context.json) fmt::print("{}\n", dense::recipe_text(ready.recipe));
      print_description(context, describe(ready.model));
      return 0;
    }
    const auto ranker = ranker_model(context, name);
    if (!ranker || !fs::exists(*ranker / "model.json")) {
      const auto found = neural_model(context, name);
      print_description(context, describe(found));
      return 0;
    }
  }
  const auto folder = ranker_model(context, name);
  if (!folder) fail(ErrorCode::not_found, "there is no trained model: `mustcite train ranker` makes one");
  const auto model = rank::load_model(*folder);
  fmt::print("{}\n{}\n", folder->string(), model.training_record);
  return 0;
}

int run_pull(Context& context, const std::string& wish) {
  PullOptions options;
  options.endpoint = context.config().text("model.endpoint");
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  options.token = context.config().text("model.token");
  options.retries = static_cast<int>(context.config().integer("http.retries"));
  options.timeout = std::chrono::seconds(context.config().integer("http.timeout_s"));
  options.max_bytes = static_cast<std::uint64_t>(context.config().integer("http.max_bytes"));
  const auto at = wish.find('@');
  const std::string name = wish.substr(0, at);
  if (at != std::string::npos) options.revision = wish.substr(at + 1);
  if (options.revision.empty()) fail(ErrorCode::usage, "'{}' names no revision behind the @", wish);
  const auto folder = context.workspace().models() / pulled_folder(context, name).filename();
  const auto report = pull_model(name, folder, options, context.progress());
  fmt::print(
      "{} at {}: {} files, {:.1f} MB; {} fetched, {} there already; {} files for other programs left out\n",
      folder.string(), report.commit, report.files, static_cast<double>(report.bytes) / 1e6, report.fetched,
      report.kept, report.left_out);
  if (fs::exists(folder / "adapter_config.json")) return 0;  // its base says whether it fits
  try {
    static_cast<void>(describe(folder));
  } catch (const Error& error) {
    log::warning("the model is there whole, but cannot be used: {}", error.what());
  }
  return 0;
}

}  // namespace

void add_model(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand(
      "model", "Models of the learned ranker, and encoders: fetch them, list them, look into them");
  verb->require_subcommand(1);
  auto* list = verb->add_subcommand("list", "The models of the workspace and the ranker that ships");
  list->add_flag("--json", context.json, "JSON instead of a table");
  list->callback([&context, &action] { action = [&context] { return run_list(context); }; });
  auto* info =
      verb->add_subcommand("info", "A ranker's training record, or what an encoder or a recipe computes");
  auto name = std::make_shared<std::string>();
  info->add_option("model", *name, "Name, recipe or folder (default: the ranker in use)");
  info->add_flag("--json", context.json, "JSON instead of lines");
  info->callback(
      [&context, &action, name] { action = [&context, name] { return run_info(context, *name); }; });
  auto* pull = verb->add_subcommand("pull", "Fetch an encoder from the hub: resumes, and checks every file");
  auto wish = std::make_shared<std::string>();
  pull->add_option("model", *wish, "ORG/NAME, or ORG/NAME@REVISION")->required();
  pull->callback(
      [&context, &action, wish] { action = [&context, wish] { return run_pull(context, *wish); }; });
}

}  // namespace mustcite::cli
