#include "engine/model/zip_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/base/error.hpp"

namespace mustcite::model {
namespace {

// Sizes and places of APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16
// (ends).
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kMostComment = 65535;
constexpr std::uint32_t kLocalMagic = 0x04034b50;
constexpr std::uint32_t kCentralMagic = 0x02014b50;
constexpr std::uint32_t kEndMagic = 0x06054b50;
constexpr std::uint32_t kEnd64Magic = 0x06064b50;
constexpr std::uint32_t kLocatorMagic = 0x07064b50;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint64_t kMostEntries = 200000;

class Directory {
 public:
  Directory(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::vector<ZipEntry> read() {
    find_end();
    std::vector<ZipEntry> entries;
    std::uint64_t at = first_;
    for (std::uint64_t i = 0; i < count_; ++i) entries.push_back(entry(at));
    return entries;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail(ErrorCode::invalid_input, "cannot read {}: {}; fetch the file again", where_, why);
  }

  template <typename T>
  [[nodiscard]] T at(std::uint64_t offset) const {
    if (bytes_.size() < sizeof(T) || offset > bytes_.size() - sizeof(T))
      refuse("its zip directory is cut off");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      refuse("a file of its zip archive lies beyond its end");
    return bytes_.subspan(offset, size);
  }

  void find_end() {
    if (bytes_.size() < kEndBytes) refuse("it is too short for a zip archive");
    const std::uint64_t last = bytes_.size() - kEndBytes;
    const std::uint64_t earliest = last > kMostComment ? last - kMostComment : 0;
    for (std::uint64_t end = last;; --end) {
      if (at<std::uint32_t>(end) == kEndMagic) return read_end(end);
      if (end == earliest) break;
    }
    refuse("the directory at its end is missing: it is cut off");
  }

  void read_end(std::uint64_t end) {
    count_ = at<std::uint16_t>(end + 10);
    first_ = at<std::uint32_t>(end + 16);
    if (end >= kLocatorBytes && at<std::uint32_t>(end - kLocatorBytes) == kLocatorMagic) {
      const auto end64 = at<std::uint64_t>(end - kLocatorBytes + 8);
      static_cast<void>(part(end64, kEnd64Bytes));
      if (at<std::uint32_t>(end64) != kEnd64Magic) refuse("its zip64 directory is damaged");
      count_ = at<std::uint64_t>(end64 + 32);
      first_ = at<std::uint64_t>(end64 + 48);
    }
    if (count_ > kMostEntries) refuse("its zip archive claims too many files");
  }

  /// Reads the directory's entry at `at_entry` and moves behind it.
  ZipEntry entry(std::uint64_t& at_entry) const {
    static_cast<void>(part(at_entry, kCentralBytes));
    if (at<std::uint32_t>(at_entry) != kCentralMagic) refuse("its zip directory is damaged");
    const auto flags = at<std::uint16_t>(at_entry + 8);
    const auto method = at<std::uint16_t>(at_entry + 10);
    std::uint64_t packed = at<std::uint32_t>(at_entry + 20);
    std::uint64_t size = at<std::uint32_t>(at_entry + 24);
    const auto name_bytes = at<std::uint16_t>(at_entry + 28);
    const auto extra_bytes = at<std::uint16_t>(at_entry + 30);
    const auto comment_bytes = at<std::uint16_t>(at_entry + 32);
    std::uint64_t local = at<std::uint32_t>(at_entry + 42);
    const auto name = part(at_entry + kCentralBytes, name_bytes);
    widen(part(at_entry + kCentralBytes + name_bytes, extra_bytes), size, packed, local);
    ZipEntry entry;
    entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    entry.crc = at<std::uint32_t>(at_entry + 16);
    if ((flags & 1U) != 0) refuse("a file of its zip archive is encrypted");
    if (method != 0 || packed != size)
      refuse("its zip archive is compressed, which torch.save never does: save the model anew");
    static_cast<void>(part(local, kLocalBytes));
    if (at<std::uint32_t>(local) != kLocalMagic) refuse("a file of its zip archive is damaged");
    const std::uint64_t skip =
        std::uint64_t{kLocalBytes} + at<std::uint16_t>(local + 26) + at<std::uint16_t>(local + 28);
    entry.bytes = part(local + skip, size);
    at_entry += std::uint64_t{kCentralBytes} + name_bytes + extra_bytes + comment_bytes;
    return entry;
  }

  /// Takes from the zip64 field what did not fit 32 bits, in the order in which it lies there.
  void widen(std::span<const std::byte> extra, std::uint64_t& size, std::uint64_t& packed,
             std::uint64_t& local) const {
    const auto word = [&](std::size_t offset, std::size_t width) {
      std::uint64_t value = 0;
      if (extra.size() < width || offset > extra.size() - width) refuse("its zip directory is damaged");
      std::memcpy(&value, extra.data() + offset, width);
      return value;
    };
    for (std::size_t at_field = 0; at_field + 4 <= extra.size();) {
      const std::uint64_t id = word(at_field, 2);
      const std::uint64_t length = word(at_field + 2, 2);
      if (id == kExtra64) {
        std::size_t next = at_field + 4;
        for (std::uint64_t* value : {&size, &packed, &local}) {
          if (*value != kIn64) continue;
          *value = word(next, 8);
          next += 8;
        }
        return;
      }
      at_field += 4 + length;
    }
  }

  std::span<const std::byte> bytes_;
  std::string where_;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
};

}  // namespace

std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> bytes, std::string_view where) {
  return Directory(bytes, where).read();
}

}  // namespace mustcite::model
