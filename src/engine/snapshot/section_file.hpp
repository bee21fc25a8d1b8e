#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::snapshot {

/// Kind of a section file: eight bytes that open and close it, and the version of what lies inside.
struct FileKind {
  std::string_view magic;  ///< exactly eight bytes
  std::uint32_t version = 1;
  std::string_view what;     ///< "snapshot", "sparse index": for messages
  std::string_view rebuild;  ///< the command that makes it anew
};

/// Writes a file of named, checksummed sections, each aligned to 64 bytes. Little-endian.
/// Layout: head (64 bytes), sections, table of sections, tail (64 bytes): docs/formats/index.md.
class SectionWriter {
 public:
  SectionWriter(const std::filesystem::path& path, const FileKind& kind);
  ~SectionWriter();
  SectionWriter(const SectionWriter&) = delete;
  SectionWriter& operator=(const SectionWriter&) = delete;

  /// Opens a section; `tag` has at most eight bytes. The one before is closed.
  void begin(std::string_view tag);
  void write(std::string_view bytes);
  template <typename T>
  void write(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(std::string_view{reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  template <typename T>
  void section(std::string_view tag, const std::vector<T>& values) {
    begin(tag);
    write(std::span<const T>(values));
  }

  /// SHA-256 of the tags and bytes of every section closed so far: the identity of the content.
  [[nodiscard]] std::string digest();
  /// Writes table and tail, syncs. Returns the size of the file.
  std::uint64_t close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A mapped section file whose table and checksums hold. What lies inside the sections is for the caller to check.
class SectionFile {
 public:
  /// Throws not_found when there is none, corrupt when it is damaged, truncated, foreign or of another version.
  SectionFile(const std::filesystem::path& path, const FileKind& kind);

  /// Values of the section. Throws corrupt when it is missing or its size is no multiple of T.
  template <typename T>
  [[nodiscard]] std::span<const T> section(std::string_view tag) const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);
    const auto bytes = find(tag);
    if (bytes.size() % sizeof(T) != 0) refuse("a section has a wrong size");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] std::string_view text(std::string_view tag) const {
    const auto bytes = find(tag);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// Throws corrupt: says what is wrong and which command makes the file anew.
  [[noreturn]] void refuse(std::string_view why) const;
  void expect(bool sound, std::string_view why) const {
    if (!sound) refuse(why);
  }

 private:
  struct Entry {
    std::string_view tag;
    std::span<const std::byte> bytes;
  };
  [[nodiscard]] std::span<const std::byte> find(std::string_view tag) const;

  std::string path_;
  FileKind kind_;
  io::MappedFile file_;
  std::vector<Entry> entries_;
};

/// Throws corrupt in the words every engine artefact uses.
[[noreturn]] void refuse_artefact(const std::filesystem::path& path, const FileKind& kind, std::string_view why);

}  // namespace mustcite::snapshot
