#include <fmt/format.h>

#include "apps/cli/context.hpp"
#include "core/store/catalog.hpp"

namespace mustcite::cli {
namespace {

int run_init(Context& context, const std::string& folder) {
  const auto where = folder.empty() ? context.workspace_folder() : std::filesystem::path(folder);
  const bool existed = std::filesystem::exists(where / "mustcite.toml");
  const auto workspace = store::Workspace::create(where);
  store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::create);
  const auto shown = std::filesystem::absolute(workspace.folder()).lexically_normal().string();
  if (existed) {
    fmt::print("{} is a workspace already; nothing was changed\n", shown);
  } else {
    fmt::print("made the workspace {}\nnext: mustcite import papers FILE, or mustcite catalog pull URL\n", shown);
  }
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("init", "Make a workspace: the folder that holds catalog, indexes and releases");
  auto folder = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "Where (default: the workspace in force)");
  verb->callback([&context, &action, folder] { action = [&context, folder] { return run_init(context, *folder); }; });
}

}  // namespace mustcite::cli
