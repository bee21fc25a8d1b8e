#include "core/store/workspace.hpp"

#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"

namespace mustcite::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "mustcite.toml";
constexpr std::string_view kFirstConfig =
    "# Settings of this workspace. `mustcite config` lists every setting with its meaning and its value.\n";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    fail(ErrorCode::unavailable, "cannot make the folder {}: {}; choose another one with --workspace",
         folder.string(), error.message());
  }
}

}  // namespace

Workspace Workspace::open(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kConfigName)) {
    fail(ErrorCode::not_found,
         "{} is no mustcite workspace (it has no {}); make one with `mustcite init`, or name "
         "another with --workspace",
         folder.string(), kConfigName);
  }
  return Workspace(folder);
}

Workspace Workspace::create(const fs::path& folder) {
  const Workspace workspace(folder);
  // A complete one is left alone: an import may be writing to it.
  if (fs::exists(workspace.config()) && fs::exists(workspace.catalog())) return workspace;
  make_folder(folder);
  for (const char* part : {"index", "models", "releases", "runs", "pdf"}) make_folder(folder / part);
  // The catalog comes before the file that marks a workspace, so a workspace always has one.
  { const Catalog catalog(workspace.catalog(), Catalog::Mode::create); }
  if (!fs::exists(workspace.config())) io::write_file_atomically(workspace.config(), kFirstConfig);
  return workspace;
}

fs::path Workspace::find(const std::string& from_flag) {
  if (!from_flag.empty()) return from_flag;
  if (const std::string set = variable("MUSTCITE_WORKSPACE"); !set.empty()) return set;
  std::error_code error;
  fs::path here = fs::current_path(error);
  while (!error && !here.empty()) {
    if (fs::is_regular_file(here / kConfigName, error)) return here;
    error.clear();
    if (here == here.parent_path()) break;
    here = here.parent_path();
  }
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty()) return fs::path(data) / "mustcite";
  const std::string home = variable("HOME");
  if (home.empty()) {
    fail(ErrorCode::not_found,
         "cannot tell where your workspace is: neither --workspace, MUSTCITE_WORKSPACE nor HOME "
         "is set");
  }
  return fs::path(home) / ".local" / "share" / "mustcite";
}

}  // namespace mustcite::store
