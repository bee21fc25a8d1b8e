#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/snapshot/snapshot.hpp"

/// Who cites whom, as of a date.
namespace mustcite::graph {

/// One citation. Edge numbers are the evidence rows of the snapshot, so "as of" is a prefix of the edges.
struct Edge {
  std::uint32_t citing = 0;  ///< row among the citing papers (Snapshot::citing)
  DocId cited;
  std::int16_t year = 0;           ///< of the citing paper
  std::int16_t mentions = -1;      ///< -1: not known
  std::int16_t exp_mentions = -1;  ///< -1: not known
};

/// What may be seen: citations [0, edges) without those of the papers in `hidden` (the query's own paper).
struct Horizon {
  std::uint32_t edges = 0;
  std::vector<std::uint32_t> hidden;  ///< citing rows; a handful

  [[nodiscard]] bool hides(std::uint32_t citing) const noexcept {
    for (const std::uint32_t row : hidden) {
      if (row == citing) return true;
    }
    return false;
  }
};

/// The citations of a snapshot in compressed rows, both ways. Every list ascends by edge number, so a list as
/// of a date is a prefix of it. Self-citations (a paper that lists itself) keep their edge number but are in
/// no list. Immutable and thread-safe.
class CitationGraph {
 public:
  explicit CitationGraph(const snapshot::Snapshot& snapshot);
  /// For tests and other sources. `citing_docs`: the document of each citing paper, kNoDoc when it is none.
  /// Edges of one citing paper lie together. Throws invalid_input when they do not, or when years fall.
  CitationGraph(std::uint32_t documents, std::vector<DocId> citing_docs, std::vector<Edge> edges);

  [[nodiscard]] std::uint32_t documents() const noexcept {
    return static_cast<std::uint32_t>(begin_.size() - 1);
  }
  [[nodiscard]] std::uint32_t citing_papers() const noexcept {
    return static_cast<std::uint32_t>(citing_docs_.size());
  }
  [[nodiscard]] std::uint32_t edges() const noexcept { return static_cast<std::uint32_t>(edges_.size()); }
  [[nodiscard]] const Edge& edge(std::uint32_t number) const { return edges_[number]; }

  /// Edges that cite `doc`, ascending, before `horizon`.
  [[nodiscard]] std::span<const std::uint32_t> cited_by(DocId doc, std::uint32_t horizon) const;
  /// Edges [first, last) of a citing paper; empty when they lie beyond `horizon`.
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  [[nodiscard]] Range references(std::uint32_t citing, std::uint32_t horizon) const;
  /// The document of a citing paper, or kNoDoc.
  [[nodiscard]] DocId document_of(std::uint32_t citing) const { return citing_docs_[citing]; }
  /// The citing row of a document that cites something.
  [[nodiscard]] std::optional<std::uint32_t> citing_of(DocId doc) const;
  /// True for a paper that lists itself.
  [[nodiscard]] bool is_self_citation(const Edge& edge) const {
    return citing_docs_[edge.citing] == edge.cited;
  }

 private:
  void index();

  std::vector<DocId> citing_docs_;
  std::vector<Edge> edges_;
  std::vector<Range> references_;     ///< per citing paper
  std::vector<std::uint32_t> begin_;  ///< per document, into in_edges_
  std::vector<std::uint32_t> in_edges_;
  std::vector<std::uint32_t> citing_of_;  ///< per document, or kNone
};

/// A document or a citing paper with a weight.
struct Weighted {
  std::uint32_t row = 0;
  float weight = 0;
};

/// How each neighbouring document is co-cited with the seeds: over every visible citing paper c, with s(c)
/// the weighted number of seeds that c cites, the sum of s(c) for each other document that c cites. Seeds
/// themselves get what they share with the other seeds. Ascending by document.
[[nodiscard]] std::vector<Weighted> cocited(const CitationGraph& graph, std::span<const Weighted> seeds,
                                            const Horizon& horizon);

/// Bibliographic coupling: for each visible citing paper the weighted number of the given documents that it
/// cites. Ascending by citing row.
[[nodiscard]] std::vector<Weighted> coupled(const CitationGraph& graph, std::span<const Weighted> cited,
                                            const Horizon& horizon);

}  // namespace mustcite::graph
