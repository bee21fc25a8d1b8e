#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/store/pack.hpp"

namespace mustcite::store {

/// The head has a fixed size, so that it can be written last: docs/formats/pack.md.
inline constexpr std::size_t kPackHeadBytes = 4096;

/// Exactly kPackHeadBytes bytes.
[[nodiscard]] std::string encode_pack_head(const PackInfo& info);
/// Throws corrupt, naming `file`.
[[nodiscard]] PackInfo decode_pack_head(std::string_view head, const std::string& file);

[[nodiscard]] std::string label_to_json(const Label& label);
[[nodiscard]] Label label_from_json(std::string_view line);

/// Compresses lines into a file behind the room for the head, counting and hashing as it goes.
class PackWriter {
 public:
  PackWriter(const std::filesystem::path& file, int level);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  void line(std::string_view text);
  /// Ends the stream, completes `info` and writes the head. The file is then on disk.
  void finish(PackInfo& info);

 private:
  void compress(std::string_view text, bool is_end);

  struct Stream;
  std::filesystem::path path_;
  io::FileWriter file_;
  std::unique_ptr<Stream> stream_;
  Sha256 sha_;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t payload_bytes_ = 0;
};

/// Gives the lines back. Memory stays bounded whatever the file holds.
class PackReader {
 public:
  explicit PackReader(const std::filesystem::path& file);
  ~PackReader();
  PackReader(const PackReader&) = delete;
  PackReader& operator=(const PackReader&) = delete;

  [[nodiscard]] const PackInfo& info() const noexcept { return info_; }
  /// Reads the payload once and compares its digest. Throws corrupt.
  void verify(Progress& progress);
  /// The next line, valid until the next call. Throws corrupt where the stream ends early.
  [[nodiscard]] std::string_view line();
  /// Throws corrupt unless every byte was used.
  void expect_end();

 private:
  bool fill();
  [[noreturn]] void fail_damaged(std::string_view why) const;

  struct Stream;
  std::string name_;
  std::ifstream file_;
  PackInfo info_;
  std::unique_ptr<Stream> stream_;
  std::string text_;
  std::size_t begin_ = 0;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace mustcite::store
