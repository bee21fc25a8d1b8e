#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mustcite::reproduce {

/// What a table says of the release that it was made on.
struct Collection {
  std::filesystem::path folder;
  std::string name;
  std::string version;
  std::string digest;  ///< sha256 of the manifest
  std::uint64_t papers = 0;
  std::uint64_t evidence = 0;
  std::string pool_years;
  std::string split;
  std::string query_years;
  std::vector<std::string> query_venues;  ///< empty: all
  std::uint64_t queries = 0;              ///< all there are
  /// Queries of the table; fewer than `queries` for a sample.
  std::uint64_t asked = 0;
  std::string queries_digest;
  /// Pairs without a label, by tier.
  std::map<std::string, std::uint64_t> unlabelled;
};

/// Reads a release's manifest and masks. An empty `split` means `test` where there is one, else `dev`.
/// Throws not_found when there is no release or no such split, corrupt when the manifest is none.
[[nodiscard]] Collection read_collection(const std::filesystem::path& release, const std::string& split);

/// Writes the queries to `file`, as `recommend --queries` reads them: all, or a sample of so many, drawn by
/// their ids (0: all). They are those of the split, or all of the file `source` where it is given. Sets
/// `queries`, `asked` and `queries_digest`. Throws not_found when there is none, corrupt for a broken line.
void write_queries(Collection& collection, const std::filesystem::path& source, std::size_t sample,
                   const std::filesystem::path& file);

}  // namespace mustcite::reproduce
