#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/baseline/world.hpp"
#include "engine/gnn/sparse.hpp"
#include "engine/graph/bibliographic_graph.hpp"

namespace mustcite::gnn {

/// Neighbours that a node takes messages from at most; 0: all of them.
struct Fanout {
  std::size_t about = 16;      ///< authors, venue and keywords of a paper
  std::size_t citations = 10;  ///< papers that a paper cites or is cited by
  std::size_t papers = 8;      ///< papers of an author, venue or keyword
};

/// Places of `count` different ones of `size`, ascending; all when there are no more. The key decides which.
/// Takes time in `count`, whatever `size` is.
[[nodiscard]] std::vector<std::uint32_t> sample_places(std::uint32_t size, std::size_t count,
                                                       std::uint64_t key);

/// A node that is no part of the graph: a paper that is placed by its venue and keywords alone.
using Newcomer = std::vector<std::uint32_t>;  ///< nodes it is about, ascending

/// The part of a graph that two layers need to make vectors of some papers. Nodes are numbered locally: the
/// papers asked for, then the newcomers, then their neighbours, then the neighbours of those.
struct Block {
  std::vector<std::uint32_t> nodes;    ///< of the graph; newcomers are kNewcomer
  std::uint32_t papers = 0;            ///< asked for: nodes [0, papers)
  std::uint32_t seeds = 0;             ///< with the newcomers
  std::uint32_t inner = 0;             ///< with the neighbours of the seeds
  SparsePtr first;                     ///< [inner, nodes]: the layer that comes first
  SparsePtr second;                    ///< [seeds, inner]
  std::vector<float> degrees;          ///< of every node, itself included
  std::vector<graph::NodeKind> kinds;  ///< of every node
};
inline constexpr std::uint32_t kNewcomer = 0xffffffff;

/// Chooses the neighbours of nodes as of a date. The same node has the same neighbours in every block of one
/// seed, and every node has itself. Thread-safe.
class NeighbourSampler {
 public:
  NeighbourSampler(const graph::BibliographicGraph& graph, const baseline::AsOf& as_of, const Fanout& fanout,
                   std::uint64_t seed)
      : graph_(graph), as_of_(as_of), fanout_(fanout), seed_(seed) {}

  /// Neighbours without the node itself; different ones, in a fixed order.
  [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t node) const;
  [[nodiscard]] std::vector<std::uint32_t> neighbours(const Newcomer& newcomer) const;
  /// `papers` are rows below the date's. Throws invalid_input for others.
  [[nodiscard]] Block block(std::span<const DocId> papers, std::span<const Newcomer> newcomers) const;

 private:
  [[nodiscard]] bool is_known(std::uint32_t node) const;
  void add_about(std::span<const std::uint32_t> about, std::uint64_t key,
                 std::vector<std::uint32_t>& out) const;
  /// How many neighbours a node has, with itself: without choosing them.
  [[nodiscard]] std::size_t degree(std::uint32_t node) const;

  const graph::BibliographicGraph& graph_;
  baseline::AsOf as_of_;
  Fanout fanout_;
  std::uint64_t seed_;
};

/// `count` pairs of different papers below `papers` of which neither cites the other as of the date, each
/// pair once. Fewer when so many are not found in 20 tries each.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> sample_non_edges(
    const graph::CitationGraph& citations, std::uint32_t papers, std::uint32_t edges, std::size_t count,
    std::uint64_t seed);

}  // namespace mustcite::gnn
