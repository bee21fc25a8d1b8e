#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/dense/retriever.hpp"
#include "engine/graph/citation_graph.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/rank/citance_index.hpp"
#include "engine/rank/columns.hpp"
#include "engine/rank/lsi.hpp"
#include "engine/rank/name_index.hpp"
#include "engine/rank/statistics.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::late {
class Retriever;
}

namespace mustcite::rank {

class CrossReranker;

struct ResourceOptions {
  std::string analyzer = "english";
  /// How often title and abstract count in the text index. The learned ranker is trained with 1 and 1.
  int title_weight = 1;
  int abstract_weight = 1;
  /// Years of queries that the latent space must serve without having seen anything newer: one space each
  /// (learnt from older documents and citations), beside the one of everything.
  std::vector<int> latent_years;
  /// False: no latent space at all, in half the time; the views by topic find nothing then.
  bool latent = true;
  LsiOptions lsi;
  std::size_t threads = 0;  ///< 0: all cores; the files do not depend on it
};

struct ResourceReport {
  std::uint32_t documents = 0;
  std::uint32_t citing_papers = 0;
  std::uint32_t evidence = 0;
  std::uint32_t sentences = 0;
  std::uint32_t names = 0;
  std::uint32_t latent_spaces = 0;
};

/// Builds everything beside the snapshot that ranking needs, the plain text index (`text`) included, into
/// `folder`, where the snapshot lies.
ResourceReport build_resources(const snapshot::Snapshot& snapshot, const std::filesystem::path& folder,
                               const ResourceOptions& options, Progress& progress);

/// Everything one index folder holds, opened. Immutable but for a small cache; thread-safe.
class Resources {
 public:
  /// Throws not_found or corrupt, naming the command that rebuilds what is missing or damaged.
  static Resources open(const std::filesystem::path& folder);
  Resources(Resources&&) noexcept;
  Resources& operator=(Resources&&) noexcept;
  ~Resources();

  [[nodiscard]] const snapshot::Snapshot& snapshot() const noexcept;
  [[nodiscard]] const index::SparseIndex& text() const noexcept;    ///< title and abstract of each document
  [[nodiscard]] const index::SparseIndex& titles() const noexcept;  ///< title of each document
  [[nodiscard]] const index::SparseIndex& citing()
      const noexcept;  ///< title and abstract of each citing paper
  [[nodiscard]] const index::SparseIndex& sentences() const noexcept;  ///< each citing sentence
  [[nodiscard]] const CitanceIndex& citances() const noexcept;
  [[nodiscard]] const NameIndex& names() const noexcept;
  [[nodiscard]] const Columns& columns() const noexcept;
  [[nodiscard]] const graph::CitationGraph& graph() const noexcept;
  /// The newest latent spaces that saw nothing beyond the horizon; none when all are newer.
  struct Latent {
    const Lsi* lsi = nullptr;
    const Lsi* embedding = nullptr;
  };
  [[nodiscard]] Latent latent(std::uint32_t documents, std::uint32_t evidence) const noexcept;
  /// Vectors of a trained encoder, for the views of dense_views(); null: these find nothing.
  [[nodiscard]] const dense::Retriever* dense() const noexcept;
  /// The vectors must be those of this snapshot and outlive the resources. Not while queries are answered.
  void attach(const dense::Retriever* dense) noexcept;
  /// Token vectors, for the view `late`; null: it finds nothing. They are attached like the others.
  [[nodiscard]] const late::Retriever* late() const noexcept;
  void attach_tokens(const late::Retriever* late) noexcept;
  /// What scores pairs for rankers that were trained with a cross-encoder; null: their columns are unknown.
  [[nodiscard]] const CrossReranker* cross() const noexcept;
  void attach_cross(const CrossReranker* cross) noexcept;
  /// Counts as of a horizon; the last few are kept.
  [[nodiscard]] std::shared_ptr<const Statistics> statistics(std::uint32_t documents, std::uint32_t evidence,
                                                             const std::optional<Date>& cutoff) const;
  /// False for a catalog without citations: only text views find anything.
  [[nodiscard]] bool has_evidence() const noexcept;

 private:
  struct Impl;
  explicit Resources(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::rank
