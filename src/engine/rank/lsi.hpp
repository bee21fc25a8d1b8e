#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/citation_graph.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/rank/embedding.hpp"
#include "engine/rank/quantised.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

struct LsiOptions {
  std::uint32_t dims = 256;
  std::uint32_t min_documents = 5;  ///< terms in fewer documents are left out (2 below 1,000 documents)
  double max_share = 0.2;           ///< terms in more than this share of the documents are left out
  double spectrum = 0.25;           ///< directions are divided by (singular value)^spectrum
  EmbeddingOptions embedding;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
};

/// What a latent space may learn from, and what it holds. Learnt from documents [0, fitted) and citations
/// [0, evidence) only; it holds vectors of documents [0, documents) and citing papers [0, citing).
struct LsiSpan {
  std::uint32_t fitted = 0;
  std::uint32_t evidence = 0;
  std::uint32_t documents = 0;
  std::uint32_t citing = 0;
};

/// Where a pair of latent spaces is written.
struct LsiFiles {
  std::filesystem::path lsi;  ///< leading right singular vectors of the documents' tf-idf rows
  std::filesystem::path
      embedding;  ///< the same, trained on until titles find their abstracts and papers what they cite
};

/// Texts as latent vectors: sums of their terms' vectors, weighted by tf-idf, unit length, in eight bits.
/// Terms are those of the text index. Immutable, memory-mapped, thread-safe.
class Lsi {
 public:
  /// What both spaces are made from.
  struct Source {
    const index::SparseIndex& text;
    const index::SparseIndex& titles;
    const snapshot::Snapshot& snapshot;
    const graph::CitationGraph& graph;
  };
  /// Learns both spaces. `advance` is called with units of work done, of `work(span)` in all.
  static void build(const Source& source, const LsiSpan& span, const LsiOptions& options,
                    const LsiFiles& files, const std::function<void(std::uint64_t)>& advance = {});
  static std::uint64_t work(const LsiSpan& span) {
    return 2 * (std::uint64_t{span.documents} + span.citing) + std::uint64_t{8} * span.fitted;
  }

  /// Throws not_found, or corrupt when the file is damaged or of another snapshot.
  Lsi(const std::filesystem::path& file, const std::string& snapshot_digest);
  ~Lsi();
  Lsi(Lsi&&) noexcept;
  Lsi& operator=(Lsi&&) noexcept;

  [[nodiscard]] const LsiSpan& span() const noexcept;
  [[nodiscard]] std::uint32_t dims() const noexcept;
  [[nodiscard]] QuantisedRows documents() const noexcept;
  [[nodiscard]] QuantisedRows citing() const noexcept;
  /// The best `depth` of documents [0, prefix), excluded ones left out, falling, ties by row: see
  /// `nearest_by_signs`.
  [[nodiscard]] std::vector<index::Scored> nearest(const QuantisedVector& vector, std::size_t prefix,
                                                   std::size_t depth,
                                                   std::span<const DocId> exclude = {}) const;

  /// Unit vector of a text given as terms with their frequencies; zeros when no term is known.
  [[nodiscard]] std::vector<float> fold_in(std::span<const index::QueryTerm> terms) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes the vector unit length; zeros stay.
void normalise(std::span<float> vector);

}  // namespace mustcite::rank
