#include "apps/cli/context.hpp"

#include <algorithm>
#include <cstdlib>

#include "apps/cli/shipped.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "core/schema/bibtex.hpp"

namespace mustcite::cli {

namespace {

log::Level level_of(const std::string& name) {
  if (name == "debug") return log::Level::debug;
  if (name == "info") return log::Level::info;
  if (name == "warning") return log::Level::warning;
  if (name == "error") return log::Level::error;
  fail(ErrorCode::invalid_input, "the setting log.level is '{}': use debug, info, warning or error", name);
}

}  // namespace

void Context::prepare() {
  if (quiet && verbose) fail(ErrorCode::usage, "--quiet and --verbose contradict each other");
  progress_ = quiet ? std::make_unique<SilentProgress>() : terminal_progress();

  const auto file = workspace_folder() / "mustcite.toml";
  if (std::filesystem::exists(file)) config_.load_file(file);
  config_.load_environment();
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) fail(ErrorCode::usage, "--set wants name=value, not '{}'", setting);
    config_.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
  log::set_level(verbose ? log::Level::debug : quiet ? log::Level::warning : level_of(config_.text("log.level")));
  if (threads == 0) threads = static_cast<std::size_t>(std::max<std::int64_t>(0, config_.integer("threads")));
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

std::optional<std::filesystem::path> shipped_model(const std::string& name) {
  if (const char* models = std::getenv("MUSTCITE_MODELS"); models != nullptr && *models != '\0') {
    if (const auto chosen = std::filesystem::path(models) / name; std::filesystem::exists(chosen / "model.json")) return chosen;
  }
  const auto manifest = shipped(std::filesystem::path("models") / name / "model.json");
  return manifest ? std::optional(manifest->parent_path()) : std::nullopt;
}

std::filesystem::path index_folder(const Context& context, const std::string& flag, const std::string& release) {
  if (!flag.empty()) return flag;
  if (release.empty()) return context.workspace().index();
  return context.workspace().index(std::filesystem::absolute(release_folder(context, release)).filename().string());
}

std::optional<Date> before_date(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto date = parse_date(text);
  if (!date) fail(ErrorCode::usage, "'{}' is no date: write --before 2024, 2024-05 or 2024-05-15", text);
  return date;
}

std::vector<Reference> read_bibliography(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  const auto bib = text::parse_bibtex(io::read_file(file, kMostBytes));
  for (const auto& problem : bib.problems) log::warning("{}:{}: {}", file.string(), problem.line, problem.reason);
  std::vector<Reference> references;
  for (const auto& entry : bib.entries) references.push_back(reference_from_bibtex(entry));
  return references;
}

std::optional<std::filesystem::path> ranker_model(const Context& context, const std::string& flag) {
  const auto in_workspace = context.workspace_folder() / "models" / (flag.empty() ? "ranker" : flag);
  if (std::filesystem::exists(in_workspace / "model.json")) return in_workspace;
  if (!flag.empty()) return flag;
  return shipped_model("ranker");
}

}  // namespace mustcite::cli
