#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace mustcite::pdf {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

/// Appends numbers and strings.
class ByteWriter {
 public:
  template <typename T>
  void number(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Takes numbers and strings from bytes that may be hostile. Every call throws corrupt rather than read past
/// the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  [[nodiscard]] T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  /// A coordinate or size: finite, and of a magnitude that a page can have.
  [[nodiscard]] float coordinate() {
    const auto value = number<float>();
    if (!std::isfinite(value) || std::fabs(value) > 1e6F) broken("a coordinate out of range");
    return value;
  }
  [[nodiscard]] std::string_view text(std::size_t max_bytes) {
    const auto size = number<std::uint32_t>();
    if (size > max_bytes) broken("an overlong text");
    need(size);
    const auto value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return value;
  }
  /// A count of things that take at least `least_bytes` each: never more than can follow.
  [[nodiscard]] std::uint32_t count(std::size_t least_bytes, std::uint32_t most) {
    const auto value = number<std::uint32_t>();
    if (value > most || value > bytes_.size() / least_bytes) broken("a count larger than what follows");
    return value;
  }
  void end() const {
    if (!bytes_.empty()) broken("bytes left over");
  }
  [[noreturn]] static void broken(const char* what) {
    fail(ErrorCode::corrupt,
         "reading the PDF worker's answer: it holds {}; the worker and this program do not match", what);
  }

 private:
  void need(std::size_t size) const {
    if (bytes_.size() < size) broken("fewer bytes than it announces");
  }
  std::string_view bytes_;
};

}  // namespace mustcite::pdf
