#include <fmt/format.h>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "engine/rank/model.hpp"

namespace mustcite::cli {
namespace {

int run_list(const Context& context) {
  Table table;
  for (const char* title : {"model", "features", "tiers", "folder"}) table.add_column(title);
  const auto add = [&](const std::filesystem::path& folder) {
    const auto model = rank::load_model(folder);
    std::string tiers;
    for (const auto& [tier, trees] : model.tiers) tiers += (tiers.empty() ? "" : ", ") + std::string(tier_name(tier));
    table.add_row({model.name, std::to_string(model.width()), tiers, folder.string()});
  };
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(context.workspace_folder() / "models", none)) {
    if (std::filesystem::exists(entry.path() / "model.json")) add(entry.path());
  }
  if (const auto used = ranker_model(context, "")) {
    if (used->parent_path() != context.workspace_folder() / "models") add(*used);
  }
  fmt::print("{}", table.render());
  return 0;
}

int run_info(const Context& context, const std::string& name) {
  const auto folder = ranker_model(context, name);
  if (!folder) fail(ErrorCode::not_found, "there is no trained model: `mustcite train ranker` makes one");
  const auto model = rank::load_model(*folder);
  fmt::print("{}\n{}\n", folder->string(), model.training_record);
  return 0;
}

}  // namespace

void add_model(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("model", "Models of the learned ranker: which there are, and how they were trained");
  verb->require_subcommand(1);
  auto* list = verb->add_subcommand("list", "The models of the workspace and the one that ships");
  list->callback([&context, &action] { action = [&context] { return run_list(context); }; });
  auto* info = verb->add_subcommand("info", "The training record of a model");
  auto name = std::make_shared<std::string>();
  info->add_option("model", *name, "Name or folder (default: the one in use)");
  info->callback([&context, &action, name] { action = [&context, name] { return run_info(context, *name); }; });
}

}  // namespace mustcite::cli
