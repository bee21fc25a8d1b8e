#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace mustcite::io {

/// Streams a file of any size; gzip and zstd are recognised by their first bytes, not by the name.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  /// Fills at most `size` bytes; 0 at the end. Throws invalid_input on a damaged or truncated stream,
  /// naming the file and what to do.
  virtual std::size_t read(char* into, std::size_t size) = 0;
  /// Compressed bytes taken from the file so far, for progress.
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
};

/// Opens `path`; "-" is standard input.
[[nodiscard]] std::unique_ptr<ByteReader> open_reader(const std::filesystem::path& path);

/// Splits a stream into lines (LF or CRLF). A line over `max_bytes` is skipped and reported as too long.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{64} << 20);

  /// The next line without its end, valid until the next call; false at the end of the file.
  bool next(std::string_view& line);
  /// 1-based number of the line last returned.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }
  /// True when the line last returned was over the limit: only its first bytes were kept.
  [[nodiscard]] bool too_long() const noexcept { return too_long_; }
  [[nodiscard]] std::uint64_t consumed() const noexcept { return reader_->consumed(); }

 private:
  bool fill();

  std::unique_ptr<ByteReader> reader_;
  std::size_t max_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t line_number_ = 0;
  bool at_end_ = false;
  bool too_long_ = false;
};

}  // namespace mustcite::io
