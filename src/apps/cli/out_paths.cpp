#include "apps/cli/out_paths.hpp"

#include <unistd.h>

#include "core/base/error.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

bool writable(const fs::path& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

fs::path model_out(const fs::path& wanted, const std::string& mark) {
  fs::path out = wanted;
  if (out.filename().empty()) out = out.parent_path();
  std::error_code error;
  const fs::path parent = fs::absolute(out).parent_path();
  fs::create_directories(parent, error);
  if (error || !writable(parent)) {
    fail(ErrorCode::unavailable,
         "cannot write a model to {}: the folder {} cannot be written{}; give another --out", out.string(),
         parent.string(), error ? " (" + error.message() + ")" : "");
  }
  if (!fs::exists(out)) return out;
  if (!fs::is_directory(out)) {
    fail(ErrorCode::invalid_input, "cannot write a model to {}: it is a file; give a folder with --out",
         out.string());
  }
  if (!fs::is_empty(out) && !fs::exists(out / mark)) {
    fail(ErrorCode::invalid_input,
         "cannot write a model to {}: the new model would replace what is there, and that is no model of "
         "this kind "
         "(it has no {}); give a new folder with --out, or empty this one",
         out.string(), mark);
  }
  return out;
}

void check_run_path(const fs::path& run) {
  if (fs::is_directory(run))
    fail(ErrorCode::invalid_input, "cannot write the run {}: it is a folder; give a file with --run",
         run.string());
  const fs::path parent = fs::absolute(run).parent_path();
  if (!fs::is_directory(parent)) {
    fail(ErrorCode::invalid_input,
         "cannot write the run {}: there is no folder {}; make it, or give another --run", run.string(),
         parent.string());
  }
  if (!writable(parent)) {
    fail(ErrorCode::unavailable,
         "cannot write the run {}: the folder {} cannot be written; give another --run", run.string(),
         parent.string());
  }
}

}  // namespace mustcite::cli
