#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/index/index_file.hpp"
#include "engine/index/sparse_index.hpp"

/// The arithmetic of BM25: one place, so that every way of searching gives the same bits (docs/methods/bm25.md).
namespace mustcite::index {

/// A term of a query with all that does not depend on the row: weight · idf · (k1 + 1).
struct PreparedTerm {
  std::uint32_t term = 0;
  float factor = 0;
};

/// A query as of a prefix of the rows. Terms ascend; those without a row in the prefix are gone.
struct PreparedBm25 {
  std::uint32_t prefix = 0;
  std::vector<PreparedTerm> terms;
  double norm_base = 0;   ///< k1 (1 - b)
  double norm_slope = 0;  ///< k1 b / average length

  /// What is added to the frequency in the denominator.
  [[nodiscard]] float norm(std::uint32_t length) const noexcept {
    return static_cast<float>(norm_base + norm_slope * static_cast<double>(length));
  }
};

/// What one term adds to the score of one row. Scores are sums of these in ascending order of terms, in float.
inline float contribution(float factor, std::uint32_t frequency, float norm) noexcept {
  const auto tf = static_cast<float>(frequency);
  return factor * (tf / (tf + norm));
}

/// Throws invalid_input when k1 or b make no sense.
[[nodiscard]] PreparedBm25 prepare(const IndexFile& file, std::span<const QueryTerm> query,
                                   const SearchOptions& options);

/// Best rows by accumulating bounds over blocks and computing the exact score of the few that can win.
[[nodiscard]] std::vector<Scored> search_blocks(const IndexFile& file, const PreparedBm25& query,
                                                const SearchOptions& options);

/// Queries with more terms than this are answered row by row: bounds of so many terms say too little.
inline constexpr std::size_t kMaxBlockTerms = 2048;

/// Exact scores of rows, many for one query.
class RowScorer {
 public:
  RowScorer(const IndexFile& file, const PreparedBm25& query);
  ~RowScorer();
  RowScorer(const RowScorer&) = delete;
  RowScorer& operator=(const RowScorer&) = delete;

  [[nodiscard]] float score(std::uint32_t row) const;
  void prefetch(std::uint32_t row) const noexcept { file_.prefetch_row(row); }

 private:
  const IndexFile& file_;
  const PreparedBm25& query_;
  std::vector<float>& factors_;  ///< of every term of the vocabulary, zero outside the query; one table a thread
};

/// Falling score, then ascending row.
inline bool better(const Scored& a, const Scored& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

}  // namespace mustcite::index
