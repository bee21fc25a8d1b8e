#pragma once

#include <filesystem>
#include <string>

namespace mustcite::store {

/// The folder that holds everything of one user or project: mustcite.toml, catalog.sqlite, index/, models/,
/// releases/, runs/, pdf/.
class Workspace {
 public:
  /// An existing workspace. Throws not_found, naming `mustcite init`.
  static Workspace open(const std::filesystem::path& folder);
  /// Makes the folder and its parts; an existing workspace is left as it is.
  static Workspace create(const std::filesystem::path& folder);
  /// The folder that `--workspace`, then MUSTCITE_WORKSPACE, then the nearest parent holding mustcite.toml
  /// names; else ~/.local/share/mustcite.
  static std::filesystem::path find(const std::string& from_flag);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::filesystem::path catalog() const { return folder_ / "catalog.sqlite"; }
  [[nodiscard]] std::filesystem::path config() const { return folder_ / "mustcite.toml"; }
  [[nodiscard]] std::filesystem::path index(const std::string& name = "catalog") const {
    return folder_ / "index" / name;
  }
  [[nodiscard]] std::filesystem::path release(const std::string& name) const {
    return folder_ / "releases" / name;
  }
  [[nodiscard]] std::filesystem::path models() const { return folder_ / "models"; }
  [[nodiscard]] std::filesystem::path runs() const { return folder_ / "runs"; }

 private:
  explicit Workspace(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace mustcite::store
