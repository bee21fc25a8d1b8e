#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/config.hpp"
#include "core/base/date.hpp"
#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"
#include "core/store/workspace.hpp"

namespace mustcite::cli {

/// What every verb shares: the global options, the settings, and where answers and progress go.
class Context {
 public:
  std::string workspace_flag;
  std::vector<std::string> settings;  ///< --set name=value
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  std::size_t threads = 0;  ///< 0: all cores

  /// Applies --quiet, --verbose and the settings given by file, environment and flags. Called before a verb runs.
  void prepare();

  /// The workspace in force. Throws not_found, naming `mustcite init`.
  [[nodiscard]] store::Workspace workspace() const;
  [[nodiscard]] std::filesystem::path workspace_folder() const { return store::Workspace::find(workspace_flag); }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] Progress& progress() { return *progress_; }

 private:
  Config config_;
  std::unique_ptr<Progress> progress_ = std::make_unique<SilentProgress>();
};

/// What a parsed command line asks for: set by the chosen verb, run after parsing, its value is the exit code.
using Action = std::function<int()>;

/// Each verb adds itself and, when chosen, sets `action`.
void add_init(CLI::App& app, Context& context, Action& action);
void add_status(CLI::App& app, Context& context, Action& action);
void add_doctor(CLI::App& app, Context& context, Action& action);
void add_config(CLI::App& app, Context& context, Action& action);
void add_collect(CLI::App& app, Context& context, Action& action);
void add_import(CLI::App& app, Context& context, Action& action);
void add_catalog(CLI::App& app, Context& context, Action& action);
void add_index(CLI::App& app, Context& context, Action& action);
void add_recommend(CLI::App& app, Context& context, Action& action);
void add_search(CLI::App& app, Context& context, Action& action);
void add_release(CLI::App& app, Context& context, Action& action);
void add_evaluate(CLI::App& app, Context& context, Action& action);
void add_reproduce(CLI::App& app, Context& context, Action& action);
void add_train(CLI::App& app, Context& context, Action& action);
void add_model(CLI::App& app, Context& context, Action& action);
void add_extract(CLI::App& app, Context& context, Action& action);
void add_audit(CLI::App& app, Context& context, Action& action);

/// A release by name (in the workspace) or by folder. Throws not_found.
[[nodiscard]] std::filesystem::path release_folder(const Context& context, const std::string& name_or_folder);

/// The index folder in force: `flag` when given, else that of the release, else the workspace's own.
[[nodiscard]] std::filesystem::path index_folder(const Context& context, const std::string& flag, const std::string& release);

/// The date of --before; nothing for an empty text. Throws usage.
[[nodiscard]] std::optional<Date> before_date(const std::string& text);

/// Entries of a .bib file as references. What cannot be read is reported and left out. Throws not_found.
[[nodiscard]] std::vector<Reference> read_bibliography(const std::filesystem::path& file);

/// The folder of a model that ships with the program: below $MUSTCITE_MODELS, installed (../share/mustcite/models), or in
/// the source tree that the program was built in; nothing when there is none.
[[nodiscard]] std::optional<std::filesystem::path> shipped_model(const std::string& name);

/// The model folder of the learned ranker: `flag` when given (a name in the workspace, or a folder), else the
/// workspace's `ranker`, else the one that ships with the program; nothing when there is none.
[[nodiscard]] std::optional<std::filesystem::path> ranker_model(const Context& context, const std::string& flag);

}  // namespace mustcite::cli
