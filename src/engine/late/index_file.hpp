#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/late/codec.hpp"
#include "engine/late/recipe.hpp"
#include "engine/late/token_encoder.hpp"

namespace mustcite::late {

using index::Scored;

/// What an index of token vectors says of itself.
struct IndexInfo {
  Recipe recipe;
  std::string model_folder;     ///< where the model lay when it was made
  std::string model_digest;     ///< see model::LateModel::digest
  std::string snapshot_digest;  ///< of the documents whose rows they are
  std::uint32_t rows = 0;
  std::uint64_t tokens = 0;  ///< of all documents
  std::uint32_t dims = 0;
  std::uint32_t bits = 0;  ///< of a residual's dimension
  std::uint32_t centroids = 0;
};

struct LateSearch {
  std::size_t depth = 100;
  /// Only rows below; nothing: all.
  std::optional<std::uint32_t> prefix;
  /// Ascending rows that never come back.
  std::span<const DocId> exclude;
  /// Documents with a token at one of so many centroids nearest to a token of the query are candidates.
  std::size_t probes = 8;
  /// Centroids that are less near than this to every token of the query count nothing until the last steps.
  float least = 0.4F;
  /// So many candidates, the best by their centroids alone, are scored by their vectors; 0: eight times the
  /// depth, but 1,000 at least.
  std::size_t rescored = 0;
};

struct IndexData;

/// The token vectors of a snapshot's documents, compressed, and the search among them. The score of a
/// document is MaxSim: the sum over the query's vectors of the largest product with one of the document's.
/// Mapped, immutable, thread-safe.
class LateIndex {
 public:
  /// `folder` holds late.bin. Throws not_found, corrupt for a damaged file; both name the command that makes
  /// it.
  static LateIndex open(const std::filesystem::path& folder);
  LateIndex(LateIndex&&) noexcept;
  LateIndex& operator=(LateIndex&&) noexcept;
  ~LateIndex();

  [[nodiscard]] const IndexInfo& info() const noexcept;
  [[nodiscard]] const Codec& codec() const noexcept;
  /// Tokens of a document.
  [[nodiscard]] std::size_t tokens(std::uint32_t row) const;
  /// Its vectors as they are kept, row-major, ordered by centroid.
  [[nodiscard]] std::vector<float> vectors(std::uint32_t row) const;
  /// Digest of the text that they were made of.
  [[nodiscard]] std::uint64_t text_digest(std::uint32_t row) const;
  /// Centroid numbers and residuals of a document as they are kept.
  [[nodiscard]] std::span<const std::uint16_t> codes(std::uint32_t row) const;
  [[nodiscard]] std::span<const std::uint8_t> residuals(std::uint32_t row) const;

  /// The best documents for a query's vectors (row-major, of the index's dimensions): falling MaxSim, ties by
  /// row. Candidates come from the centroids' lists and are thinned out by MaxSim with centroids instead of
  /// vectors; the scores that come back are those of `score`. A query without vectors finds nothing. Throws
  /// invalid_input when the numbers are no multiple of the dimensions.
  [[nodiscard]] std::vector<Scored> search(std::span<const float> query, const LateSearch& search) const;
  /// The same by scoring every document: the reference of `search`.
  [[nodiscard]] std::vector<Scored> search_exhaustive(std::span<const float> query,
                                                      const LateSearch& search) const;
  /// MaxSim of single documents; of one without tokens 0.
  void score(std::span<const float> query, std::span<const DocId> docs, std::span<float> out) const;

 private:
  explicit LateIndex(std::unique_ptr<const IndexData> data);
  std::unique_ptr<const IndexData> data_;
};

/// MaxSim of uncompressed vectors: the definition, in plain loops.
[[nodiscard]] double max_sim(std::span<const float> query, std::span<const float> document, std::size_t dims);

}  // namespace mustcite::late
