#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace mustcite::reproduce {

/// SHA-256 of files and folders, remembered in a file as long as size and time of change stay the same: an
/// index of gigabytes is digested once.
class DigestCache {
 public:
  /// Reads what `file` remembers; a damaged one is forgotten.
  explicit DigestCache(std::filesystem::path file);

  /// Digest of a file. Throws not_found.
  [[nodiscard]] std::string of_file(const std::filesystem::path& file);
  /// Digest over the names and digests of the regular files of a folder and its folders; of a file, its own.
  [[nodiscard]] std::string of(const std::filesystem::path& path);
  /// Digest over the files that lie in the folder itself, not in folders below.
  [[nodiscard]] std::string of_files_in(const std::filesystem::path& folder);
  /// Writes what is remembered now.
  void save() const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::int64_t changed_ns = 0;
    std::string sha256;
  };
  template <typename Iterator>
  [[nodiscard]] std::string of_entries(const std::filesystem::path& folder);

  std::filesystem::path file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace mustcite::reproduce
