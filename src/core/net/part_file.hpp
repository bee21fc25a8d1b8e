#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mustcite::net {

/// The bytes of a download that is not finished, beside its destination, with a note of where they come from.
/// Holds an exclusive lock: a second download to the same place gets `unavailable`.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path destination);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// The ETag or date under which the bytes were sent, if they came from `source`; else empty.
  [[nodiscard]] std::string validator(const std::string& source) const;
  /// Notes it before the first byte is kept, so that a killed process leaves no bytes of unknown origin.
  void note(const std::string& source, const std::string& validator);

  /// Throws exhausted on a full disk.
  void append(std::string_view bytes);
  /// Forgets all bytes and the note.
  void clear();
  /// Syncs and renames to the destination.
  void publish();

 private:
  std::filesystem::path destination_;
  std::filesystem::path path_;
  std::filesystem::path note_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace mustcite::net
