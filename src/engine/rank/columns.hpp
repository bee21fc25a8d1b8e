#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

/// What the ranker asks of every document all the time, in plain arrays: year and venue; and the title keys
/// of citing papers. Immutable, memory-mapped, thread-safe.
class Columns {
 public:
  static void build(const snapshot::Snapshot& snapshot, const std::filesystem::path& file);
  Columns(const std::filesystem::path& file, const std::string& snapshot_digest);
  ~Columns();
  Columns(Columns&&) noexcept;
  Columns& operator=(Columns&&) noexcept;

  /// Year of the document; 0 when unknown.
  [[nodiscard]] int year(DocId doc) const;
  /// Number of the document's venue; papers without one share a number of their own.
  [[nodiscard]] std::uint32_t venue(DocId doc) const;
  [[nodiscard]] std::uint32_t venues() const noexcept;
  /// Citing papers whose title has this key (see text::title_key); a different title may come along by chance
  /// of a 64-bit hash.
  [[nodiscard]] std::vector<std::uint32_t> citing_with_title(std::string_view title_key) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::rank
