#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::recommend {

struct VenueCount {
  std::string venue;
  std::uint64_t documents = 0;
};

/// What an index folder says of itself (`index.json`).
struct IndexInfo {
  std::string source;           ///< "catalog", or the name of a release
  std::string source_revision;  ///< the catalog's revision or the digest of the release's manifest
  std::string snapshot_digest;
  std::string analyzer;
  int title_weight = 1;
  int abstract_weight = 1;
  std::uint64_t papers = 0;     ///< read, with and without abstract
  std::uint64_t documents = 0;
  std::uint64_t evidence = 0;
  int first_year = 0;              ///< of the documents; 0: none is dated
  int last_year = 0;
  std::string newest_title;        ///< of the last dated document
  std::vector<VenueCount> venues;  ///< by falling number of documents, at most 40
};

struct IndexOptions {
  std::string analyzer = "english";
  int title_weight = 1;
  int abstract_weight = 1;
  /// Years of queries that get a latent space of their own, besides that of everything: see rank::ResourceOptions.
  std::vector<int> latent_years;
  bool latent = true;  ///< false: no latent space at all
  std::string source;
  std::string source_revision;
  std::size_t threads = 0;
};

/// Builds snapshot and indexes into a staged folder and publishes it at `folder` with one rename. Two builds of the
/// same folder at once: the second one is refused (unavailable). Killed at any moment, the old folder stays.
IndexInfo build_index(const snapshot::Source& source, const std::filesystem::path& folder, const IndexOptions& options,
                      Progress& progress);

/// Where the vectors of a recipe lie in an index folder. They outlive a rebuild of the index: what is still right in them
/// is taken over when they are made anew.
[[nodiscard]] std::filesystem::path dense_folder(const std::filesystem::path& index_folder, const std::string& recipe);

/// Names of the recipes whose vectors lie in an index folder, sorted.
[[nodiscard]] std::vector<std::string> dense_recipes(const std::filesystem::path& index_folder);

/// Throws not_found when there is no index, corrupt when it is damaged or of another version; both name the command
/// that builds it.
[[nodiscard]] IndexInfo read_index_info(const std::filesystem::path& folder);

/// Opens every part and checks its checksums. Throws corrupt naming the part.
void check_index(const std::filesystem::path& folder);

/// Digest of a release's manifest: what `IndexInfo::source_revision` holds for an index of that release.
[[nodiscard]] std::string release_revision(const std::filesystem::path& release_folder);

}  // namespace mustcite::recommend
