#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mustcite::recommend {

/// Where the token vectors of a recipe of late interaction lie in an index folder. They outlive a rebuild of
/// the index.
[[nodiscard]] std::filesystem::path late_folder(const std::filesystem::path& index_folder,
                                                const std::string& recipe);

/// Names of the recipes whose token vectors lie in an index folder, sorted.
[[nodiscard]] std::vector<std::string> late_recipes(const std::filesystem::path& index_folder);

}  // namespace mustcite::recommend
