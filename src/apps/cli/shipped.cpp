#include "apps/cli/shipped.hpp"

namespace mustcite::cli {

std::optional<std::filesystem::path> shipped(const std::filesystem::path& below_data) {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  const auto installed = program.parent_path().parent_path() / "share" / "mustcite" / below_data;
  if (std::filesystem::exists(installed)) return installed;
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const auto candidate = folder / "data" / below_data;
    if (std::filesystem::exists(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace mustcite::cli
