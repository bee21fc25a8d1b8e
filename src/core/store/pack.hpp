#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/progress.hpp"
#include "core/store/catalog.hpp"

namespace mustcite::store {

struct PackOptions {
  /// What the pack is called, e.g. "ml-2000-2026".
  std::string name = "catalog";
  /// Abstracts and citing sentences belong to their authors: a pack to be passed on may have to do without.
  bool with_abstracts = true;
  bool with_contexts = true;
  /// zstd level, 1 to 19: higher is smaller and slower.
  int level = 10;
};

/// What stands in the head of a pack.
struct PackInfo {
  std::string name;
  std::uint64_t papers = 0;
  std::uint64_t citations = 0;
  std::uint64_t contexts = 0;
  std::uint64_t labels = 0;
  std::uint64_t text_bytes = 0;     ///< of the records, uncompressed
  std::uint64_t payload_bytes = 0;  ///< compressed
  std::string sha256;               ///< of the compressed payload: names this very content
};

/// added + updated + unchanged == records of the pack, always.
struct InstallReport {
  PackInfo info;
  std::uint64_t added = 0;
  std::uint64_t updated = 0;
  std::uint64_t unchanged = 0;
};

/// Freezes papers, citations and labels into one file, which appears complete or not at all. The same records
/// and options give the same bytes (with the same version of zstd). The ledger and the facts stay behind.
PackInfo pack(const Catalog& catalog, const std::filesystem::path& out, const PackOptions& options,
              Progress& progress);

/// Reads the head. Throws not_found, or corrupt for anything but a complete pack of a known version; the
/// payload itself is not read.
PackInfo inspect_pack(const std::filesystem::path& file);

/// Puts the records of a pack into a catalog, after its checksum was verified. Committed in batches: an
/// interrupted call is finished by running it again, and installing twice changes nothing. Sets the fact
/// "pack".
InstallReport install_pack(const std::filesystem::path& file, Catalog& catalog, Progress& progress);

}  // namespace mustcite::store
