#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::model {

/// One file of a zip archive, stored as it is.
struct ZipEntry {
  std::string name;
  std::span<const std::byte> bytes;
  std::uint32_t crc = 0;  ///< CRC-32 that the archive gives for the bytes
};

/// The entries of a zip archive whose files are stored, not compressed: what torch.save writes (zip64
/// included). Throws invalid_input naming `where` for a damaged archive, and for compressed or encrypted
/// files.
[[nodiscard]] std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> bytes,
                                                       std::string_view where);

}  // namespace mustcite::model
