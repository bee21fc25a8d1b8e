#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::audit {

/// How much of a draft is read at most.
struct ReadLimits {
  std::size_t file_bytes = std::size_t{64} << 20;    ///< one file
  std::size_t total_bytes = std::size_t{256} << 20;  ///< all files together, macros expanded
  std::size_t files = 20'000;                        ///< files of a folder or an archive
};

/// The files of a draft, by their path relative to its folder. Nothing outside is read unless that was allowed.
class SourceTree {
 public:
  enum class Found { yes, no, outside, too_large };
  virtual ~SourceTree() = default;

  /// Reads `path` (relative, '/' between folders, "." and ".." resolved here). `outside`: it leaves the folder, by
  /// ".." or a symbolic link or as an absolute path, and that is not allowed.
  virtual Found read(std::string_view path, std::string& content) const = 0;
  /// Every file, sorted.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
};

/// `a/./b/../c` as `a/c`. Empty when the path leaves its folder or is absolute.
[[nodiscard]] std::string normal_path(std::string_view path);

/// A folder on disk. Hidden folders are not listed; at most `limits.files` files are.
class FolderTree final : public SourceTree {
 public:
  FolderTree(std::filesystem::path root, bool allow_outside, ReadLimits limits);
  Found read(std::string_view path, std::string& content) const override;
  [[nodiscard]] std::vector<std::string> files() const override;

 private:
  std::filesystem::path root_;
  bool allow_outside_;
  ReadLimits limits_;
};

/// Files held in memory: an unpacked archive, or a test.
class MemoryTree final : public SourceTree {
 public:
  explicit MemoryTree(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  Found read(std::string_view path, std::string& content) const override;
  [[nodiscard]] std::vector<std::string> files() const override;

 private:
  std::map<std::string, std::string> files_;
};

/// Unpacks the text files (.tex, .bib, .bbl, .md, .txt, …) of a zip archive in memory. Pictures and other files are
/// passed over. Throws invalid_input for a damaged or encrypted archive, a name that leaves the folder, and
/// exhausted when it unpacks to more than `limits` allow (whatever the headers promise).
[[nodiscard]] std::map<std::string, std::string> read_zip(std::string_view archive, const ReadLimits& limits);

}  // namespace mustcite::audit
