#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/graph/citation_graph.hpp"

namespace mustcite::graph {

/// Personalised PageRank over the citations as an undirected graph: a walk goes with equal chance to any
/// paper that cites, or is cited by, the one it stands on, and with `1 - damping` (or from a paper without
/// citations) back to the seeds. Nodes: documents first, then the citing papers that are no documents.
struct PageRankOptions {
  double damping = 0.85;
  double tolerance = 1e-9;  ///< of the L1 change between two rounds
  int max_rounds = 200;
};

struct PageRank {
  std::vector<double> scores;  ///< per document; together at most 1
  int rounds = 0;
  double change = 0;  ///< L1 change of the last round
};

/// Power iteration. Weights of the seeds are made to add up to 1; without seeds every score is 0.
[[nodiscard]] PageRank personalised_pagerank(const CitationGraph& graph, std::span<const Weighted> seeds,
                                             const Horizon& horizon, const PageRankOptions& options = {});

struct PushOptions {
  double damping = 0.85;
  double epsilon = 1e-6;              ///< residual per neighbour that is left where it is
  std::uint32_t max_edges = 2000000;  ///< neighbours visited before it stops: bounds the time
};

/// Forward push: touches only what lies near the seeds. Each score is at most the exact one; what is missing
/// in all is the residual that is left, below epsilon times the degrees. Documents with a score, ascending.
[[nodiscard]] std::vector<Weighted> pushed_pagerank(const CitationGraph& graph,
                                                    std::span<const Weighted> seeds, const Horizon& horizon,
                                                    const PushOptions& options = {});

}  // namespace mustcite::graph
