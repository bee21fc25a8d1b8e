#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mustcite::cli {

/// A file or folder that ships with the program, by its path below data/: beside the installed program
/// (../share/mustcite/PATH), or in the source tree that the program was built in. Nothing when it is not
/// there.
[[nodiscard]] std::optional<std::filesystem::path> shipped(const std::filesystem::path& below_data);

}  // namespace mustcite::cli
