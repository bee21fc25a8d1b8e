#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/base/hash.hpp"

/// Changes to a sound section file whose checksums are made to hold again: shared by the fuzzers of such files.
namespace mustcite::fuzz {

inline constexpr std::size_t kTailBytes = 64;
inline constexpr std::size_t kEntryBytes = 32;

inline std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

inline void put_number(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

/// Makes table and section checksums hold, as far as the table can be read.
inline void mend(std::string& bytes) {
  if (bytes.size() < 2 * kTailBytes) return;
  const std::size_t tail = bytes.size() - kTailBytes;
  const std::uint64_t table = number_at(bytes, tail);
  const std::uint64_t sections = number_at(bytes, tail + 24) & 0xffffffff;
  if (sections > 256 || table > tail || sections * kEntryBytes > tail - table) return;
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::size_t entry = table + i * kEntryBytes;
    const std::uint64_t offset = number_at(bytes, entry + 8);
    const std::uint64_t size = number_at(bytes, entry + 16);
    if (offset > table || size > table - offset) continue;
    put_number(bytes, entry + 24, checksum64(std::as_bytes(std::span(bytes)).subspan(offset, size)));
  }
  put_number(bytes, tail + 8, checksum64(std::as_bytes(std::span(bytes)).subspan(table, sections * kEntryBytes)));
}

inline std::string changed(const std::string& sound, const std::uint8_t* data, std::size_t size) {
  std::string bytes = sound;
  const std::size_t tail = bytes.size() - kTailBytes;
  const std::uint64_t table = number_at(bytes, tail);
  const std::uint64_t sections = number_at(bytes, tail + 24) & 0xffffffff;
  for (std::size_t i = 0; i + 6 <= size; i += 6) {
    std::uint32_t place = 0;
    std::memcpy(&place, data + i + 1, sizeof(place));
    const std::uint64_t section = data[i] % (sections + 1);
    // The last "section" is the table itself: sizes and offsets.
    const std::uint64_t begin = section == sections ? table : number_at(sound, table + section * kEntryBytes + 8);
    const std::uint64_t length =
        section == sections ? sections * kEntryBytes : number_at(sound, table + section * kEntryBytes + 16);
    if (length > 0) bytes[begin + place % length] = static_cast<char>(data[i + 5]);
  }
  return bytes;
}

}  // namespace mustcite::fuzz
