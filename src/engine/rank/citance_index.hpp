#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/sparse_index.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

/// Terms under which papers are cited. A row is one citation (evidence row): the sentences in which the
/// citing paper cites the paper, each divided by the root of the number of papers it cites at once, and half
/// of the citing paper's title. Rows are chronological, so what was said of a paper before a date is a prefix
/// of every list; what belongs to one cited paper is added up when a query is answered. Terms are those of
/// the text index. Immutable, memory-mapped, thread-safe.
class CitanceIndex {
 public:
  struct Posting {
    std::uint32_t row = 0;  ///< evidence row
    float weight = 0;       ///< weighted frequency of the term
  };

  static void build(const index::SparseIndex& text, const snapshot::Snapshot& snapshot,
                    const std::filesystem::path& file,
                    const std::function<void(std::uint64_t)>& advance = {});
  /// Throws not_found, or corrupt when the file is damaged or of another snapshot.
  CitanceIndex(const std::filesystem::path& file, const std::string& snapshot_digest);
  ~CitanceIndex();
  CitanceIndex(CitanceIndex&&) noexcept;
  CitanceIndex& operator=(CitanceIndex&&) noexcept;

  [[nodiscard]] std::uint32_t rows() const noexcept;
  /// Rows below `horizon` that hold the term, ascending.
  [[nodiscard]] std::span<const Posting> postings(std::uint32_t term, std::uint32_t horizon) const;
  /// Weighted number of terms of each row.
  [[nodiscard]] std::span<const float> lengths() const noexcept;

  /// A sentence that cites, once for all the papers it cites.
  struct Sentence {
    std::uint32_t evidence = 0;  ///< a row and a context that hold its text
    std::uint32_t context = 0;
    std::span<const std::uint32_t> rows;  ///< evidence rows of all papers cited in it, ascending
  };
  [[nodiscard]] std::uint32_t sentences() const noexcept;
  [[nodiscard]] Sentence sentence(std::uint32_t number) const;
  /// Number of leading sentences written by papers whose evidence lies below `horizon`.
  [[nodiscard]] std::uint32_t sentence_prefix(std::uint32_t horizon) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Sentences of one citing paper in order, each with the evidence rows of the papers it cites.
struct CitingSentence {
  std::string_view text;
  std::uint32_t evidence = 0;
  std::uint32_t context = 0;
  std::vector<std::uint32_t> rows;
};
[[nodiscard]] std::vector<CitingSentence> sentences_of(const snapshot::Snapshot& snapshot,
                                                       std::uint32_t citing);

}  // namespace mustcite::rank
