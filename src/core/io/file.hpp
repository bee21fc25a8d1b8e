#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mustcite::io {

/// Whole file as bytes. Throws not_found, or invalid_input when it is larger than `max_bytes`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{1} << 32);

/// Writes beside `path`, syncs, and renames over it: readers see the old or the new file, never a part.
/// Throws exhausted when the disk is full, unavailable when the folder cannot be written.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A file mapped read-only. Empty files map to an empty span.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Output file with a large buffer that turns every failed write into an Error naming the path.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Flushes, syncs to disk and closes. Without it the file is unfinished.
  void close();

 private:
  void flush();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

/// Builds an artefact folder beside its final place; `publish` puts it there with one rename.
/// Not published when destroyed: removed. Left-overs of killed processes are removed by the next build.
class StagedDirectory {
 public:
  explicit StagedDirectory(std::filesystem::path final_path);
  ~StagedDirectory();
  StagedDirectory(const StagedDirectory&) = delete;
  StagedDirectory& operator=(const StagedDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return staging_; }
  void publish();

 private:
  std::filesystem::path final_;
  std::filesystem::path staging_;
  bool published_ = false;
};

/// An exclusive lock file: two processes never build the same artefact at once.
/// Throws unavailable at once, naming the holder's process id, when it is held.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace mustcite::io
