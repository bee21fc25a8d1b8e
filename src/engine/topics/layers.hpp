#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/gnn/sparse.hpp"
#include "engine/neural/parameters.hpp"
#include "engine/terms/topic_graph.hpp"

/// Which papers does a reader of topics reach from a query, step by step over a graph of topics?
namespace mustcite::topics {

/// A gated recurrent unit: with x the input, h the state before and s the logistic function,
/// r = s(Wr x + Ur h), z = s(Wz x + Uz h), n = tanh(Wn x + bn + r * (Un h + cn)), and the next state is
/// (1 - z) * n + z * h. Gates stand in the order r, z, n, as in PyTorch.
struct Gru {
  neural::Linear input;   ///< [3 width, in]
  neural::Linear hidden;  ///< [3 width, width]
};

[[nodiscard]] Gru make_gru(neural::Parameters& parameters, const std::string& name, std::int64_t in,
                           std::int64_t width);
/// x [rows, in], h [rows, width]; gives the next states.
[[nodiscard]] at::Tensor step(const Gru& gru, const at::Tensor& x, const at::Tensor& h);

/// Edges of a graph with their weights in a graph convolution.
struct Edges {
  gnn::SparsePtr sparse;
  at::Tensor weight;  ///< [edges, 1]
};

/// D^-1/2 (A + I) D^-1/2 of the topic graph, relations not told apart (the heaviest edge between two topics
/// counts); D are the row sums of A + I.
[[nodiscard]] Edges normalised_edges(const terms::TopicGraph& graph);
/// Row i of the result is the sum of weight * x[column] over the edges of row i: [nodes, width].
[[nodiscard]] at::Tensor propagate(const Edges& edges, const at::Tensor& x);

/// States of a recurrent unit over many paths that share their beginnings: each is computed once.
struct PathPlan {
  /// A level: nodes as many hops from their source.
  struct Level {
    std::vector<std::int64_t> topic;
    std::vector<std::int64_t> relation;
    std::vector<std::int64_t> parent;  ///< place among all states; unused on level 0
  };
  std::vector<Level> levels;
  /// What was asked for: the state at `place` is that of the best path from the source to the topic.
  struct End {
    std::uint32_t source = 0;  ///< place among the sources
    std::uint32_t topic = 0;
    std::int64_t place = 0;
  };
  std::vector<End> ends;
  [[nodiscard]] std::size_t states() const noexcept;
};

/// The best paths from each source to each target within `most_hops`; topics that are not reached have no
/// end. `targets` (empty: all topics) ascend; of paths only what leads to a target is planned.
[[nodiscard]] PathPlan plan_paths(const terms::TopicGraph& graph, std::span<const std::uint32_t> sources,
                                  std::span<const std::uint32_t> targets, std::size_t most_hops);

/// States at the plan's ends, [ends, width]. topics [topics, in], relations [relations + 1, in]: the last one
/// stands before a source.
[[nodiscard]] at::Tensor path_states(const Gru& gru, const PathPlan& plan, const at::Tensor& topics,
                                     const at::Tensor& relations);

/// Binary cross-entropy of logits [queries, documents] where `counted`, `cited` or not: the sum over all
/// counted pairs, divided by the number of cited ones (at least 1).
[[nodiscard]] at::Tensor cited_loss(const at::Tensor& logits, const at::Tensor& cited,
                                    const at::Tensor& counted);

/// Each row of `content` finds the same row of `structure` among all of them, and the other way round: the
/// mean of both cross-entropies of cosine / temperature.
[[nodiscard]] at::Tensor alignment_loss(const at::Tensor& content, const at::Tensor& structure,
                                        double temperature);

}  // namespace mustcite::topics
