#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mustcite::dense {

/// Vectors that are made already, while others are still to come: records (digest of the text, vector in half
/// precision, checksum) appended to a file, so that an interrupted encoding goes on where it stopped. A
/// record that was cut off is dropped when the file is opened.
class PartialFile {
 public:
  /// Opens or makes the file. One that was begun for another model or another length of vectors is begun
  /// anew.
  PartialFile(std::filesystem::path path, std::string_view model_digest, std::uint32_t dims);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Records that an earlier call left.
  [[nodiscard]] std::size_t found() const noexcept { return found_; }
  [[nodiscard]] bool has(std::uint64_t text_digest) const { return places_.contains(text_digest); }
  /// Appends a vector. Throws exhausted when the disk is full.
  void add(std::uint64_t text_digest, std::span<const std::uint16_t> vector);
  /// What was added is on the disk afterwards.
  void sync();
  /// The vector of a text. Throws corrupt when the file was changed meanwhile.
  void read(std::uint64_t text_digest, std::span<std::uint16_t> out) const;
  /// Removes the file: its vectors are published.
  void remove();

 private:
  [[nodiscard]] std::size_t record_bytes() const noexcept;
  void load();
  void write_all(std::string_view bytes);

  std::filesystem::path path_;
  std::uint32_t dims_;
  std::string head_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::size_t found_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> places_;  ///< where a text's vector lies
};

}  // namespace mustcite::dense
