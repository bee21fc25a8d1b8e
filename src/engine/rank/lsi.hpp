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
#include "engine/rank/quantised.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

struct LsiOptions {
  std::uint32_t dims = 256;
  std::uint32_t min_documents = 5;  ///< terms in fewer documents are left out (2 below 1,000 documents)
  double max_share = 0.2;           ///< terms in more than this share of the documents are left out
  double spectrum = 0.25;           ///< directions are divided by (singular value)^spectrum
  double ridge = 300;               ///< of the map from citing to cited papers
  double prior = 90;                ///< pull of that map towards the identity
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

/// Latent semantic vectors: tf-idf rows projected on the leading right singular vectors, unit length, in eight bits.
/// Beside them a linear map from a citing paper's vector to those of the papers it cites, fitted on older citations
/// (ridge regression). Terms are those of the text index. Immutable, memory-mapped, thread-safe.
class Lsi {
 public:
  /// Learns the space and writes it to `file`. `advance` is called with units of work done, of `work(span)` in all.
  static void build(const index::SparseIndex& text, const snapshot::Snapshot& snapshot,
                    const graph::CitationGraph& graph, const LsiSpan& span, const LsiOptions& options,
                    const std::filesystem::path& file, const std::function<void(std::uint64_t)>& advance = {});
  static std::uint64_t work(const LsiSpan& span) { return span.documents + span.citing + std::uint64_t{4} * span.fitted; }

  /// Throws not_found, or corrupt when the file is damaged or of another snapshot.
  Lsi(const std::filesystem::path& file, const std::string& snapshot_digest);
  ~Lsi();
  Lsi(Lsi&&) noexcept;
  Lsi& operator=(Lsi&&) noexcept;

  [[nodiscard]] const LsiSpan& span() const noexcept;
  [[nodiscard]] std::uint32_t dims() const noexcept;
  [[nodiscard]] QuantisedRows documents() const noexcept;
  [[nodiscard]] QuantisedRows citing() const noexcept;

  /// Unit vector of a text given as terms with their frequencies; zeros when no term is known.
  [[nodiscard]] std::vector<float> fold_in(std::span<const index::QueryTerm> terms) const;
  /// Where the papers cited by a paper with this vector are expected: unit vector.
  [[nodiscard]] std::vector<float> towards_cited(std::span<const float> vector) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes the vector unit length; zeros stay.
void normalise(std::span<float> vector);

}  // namespace mustcite::rank
