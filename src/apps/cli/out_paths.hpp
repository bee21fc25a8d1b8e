#pragma once

#include <filesystem>
#include <string>

namespace mustcite::cli {

/// Where a training may put its model: `wanted` without a slash at its end, its parent folder made.
/// A new model replaces the whole folder, so one that exists must be empty or hold a model of that kind,
/// which the file `mark` in it tells. Throws invalid_input for a file or a folder of other things, and
/// unavailable when the parent folder cannot be written.
[[nodiscard]] std::filesystem::path model_out(const std::filesystem::path& wanted, const std::string& mark);

/// Refuses a run that cannot be written before the work begins: a folder, or a file in a folder that is not
/// there or cannot be written.
void check_run_path(const std::filesystem::path& run);

}  // namespace mustcite::cli
