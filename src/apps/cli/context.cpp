#include "apps/cli/context.hpp"

#include "core/base/error.hpp"
#include "core/base/log.hpp"

namespace mustcite::cli {

void Context::prepare() {
  if (quiet && verbose) fail(ErrorCode::usage, "--quiet and --verbose contradict each other");
  if (quiet) log::set_level(log::Level::warning);
  if (verbose) log::set_level(log::Level::debug);
  progress_ = quiet ? std::make_unique<SilentProgress>() : terminal_progress();

  const auto file = workspace_folder() / "mustcite.toml";
  if (std::filesystem::exists(file)) config_.load_file(file);
  config_.load_environment();
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) fail(ErrorCode::usage, "--set wants name=value, not '{}'", setting);
    config_.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
}

store::Workspace Context::workspace() const { return store::Workspace::open(workspace_folder()); }

std::filesystem::path release_folder(const Context& context, const std::string& name_or_folder) {
  if (std::filesystem::exists(std::filesystem::path(name_or_folder) / "manifest.json")) return name_or_folder;
  const auto named = context.workspace().release(name_or_folder);
  if (std::filesystem::exists(named / "manifest.json")) return named;
  fail(ErrorCode::not_found,
       "there is no release '{}': neither a folder with a manifest.json nor one of the workspace; make one with "
       "`mustcite release build {}`",
       name_or_folder, name_or_folder);
}

}  // namespace mustcite::cli
