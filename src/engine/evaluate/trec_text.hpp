#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/file.hpp"

namespace mustcite::evaluate {

/// The text of an evaluation file: mapped when it lies plain on disk, else read (and decompressed) into
/// memory.
class TrecText {
 public:
  TrecText() = default;
  /// Opens a plain, gzip or zstd file or a pipe ("-": standard input).
  /// Throws invalid_input when more than `max_bytes` come out of it.
  explicit TrecText(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{1} << 33);
  /// Takes a text that is in memory already.
  static TrecText from_string(std::string text);

  [[nodiscard]] std::string_view view() const noexcept {
    return mapped_ ? mapped_->text() : std::string_view(*owned_);
  }
  /// 1-based number of the line that holds byte `offset`. Linear: for messages only.
  [[nodiscard]] std::size_t line_of(std::size_t offset) const noexcept;

 private:
  std::optional<io::MappedFile> mapped_;
  // Behind a pointer: views into the text stay valid when the object moves.
  std::shared_ptr<const std::string> owned_ = std::make_shared<const std::string>();
};

/// True for the bytes that separate columns.
[[nodiscard]] inline bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Takes the next column from [at, end); empty when there is none.
[[nodiscard]] inline std::string_view next_column(const char*& at, const char* end) noexcept {
  while (at < end && is_blank(*at)) ++at;
  const char* begin = at;
  while (at < end && !is_blank(*at)) ++at;
  return {begin, static_cast<std::size_t>(at - begin)};
}

/// Columns of a line, for messages.
[[nodiscard]] std::size_t count_columns(std::string_view line) noexcept;

/// A short text made fit for a message: cut, control bytes shown as '?'.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Hash of a document id. Never stored: it may change between versions.
[[nodiscard]] inline std::uint32_t hash_id(std::string_view id) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
  std::uint64_t hash = id.size() * kMultiplier;
  const char* at = id.data();
  std::size_t left = id.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  };
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  if (left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace mustcite::evaluate
