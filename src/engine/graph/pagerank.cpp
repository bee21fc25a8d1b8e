#include "engine/graph/pagerank.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

namespace mustcite::graph {
namespace {

/// Neighbours of nodes in the undirected graph. A citing paper that is a document shares the document's node.
class Walk {
 public:
  Walk(const CitationGraph& graph, const Horizon& horizon) : graph_(graph), horizon_(horizon) {}

  [[nodiscard]] std::uint32_t nodes() const { return graph_.documents() + graph_.citing_papers(); }

  template <typename Visit>
  void each_neighbour(std::uint32_t node, Visit visit) const {
    if (node < graph_.documents()) {
      for (const std::uint32_t e : graph_.cited_by(DocId{node}, horizon_.edges)) {
        const std::uint32_t citing = graph_.edge(e).citing;
        if (!horizon_.hides(citing)) visit(node_of(citing));
      }
      if (const auto citing = graph_.citing_of(DocId{node})) each_reference(*citing, visit);
    } else {
      each_reference(node - graph_.documents(), visit);
    }
  }

  [[nodiscard]] std::uint32_t degree(std::uint32_t node) const {
    std::uint32_t count = 0;
    each_neighbour(node, [&](std::uint32_t) { ++count; });
    return count;
  }

 private:
  [[nodiscard]] std::uint32_t node_of(std::uint32_t citing) const {
    const DocId doc = graph_.document_of(citing);
    return doc.value < graph_.documents() ? doc.value : graph_.documents() + citing;
  }

  template <typename Visit>
  void each_reference(std::uint32_t citing, Visit visit) const {
    if (horizon_.hides(citing)) return;
    const CitationGraph::Range range = graph_.references(citing, horizon_.edges);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      if (!graph_.is_self_citation(graph_.edge(e))) visit(graph_.edge(e).cited.value);
    }
  }

  const CitationGraph& graph_;
  const Horizon& horizon_;
};

/// A seed's share of the start, in double: the scores shall be right to 1e-8.
struct Start {
  std::uint32_t row = 0;
  double weight = 0;
};

std::vector<Start> normalised(std::span<const Weighted> seeds, std::uint32_t documents) {
  std::vector<Start> result;
  double total = 0;
  for (const Weighted& seed : seeds) {
    if (seed.row < documents && seed.weight > 0) {
      result.push_back({seed.row, seed.weight});
      total += seed.weight;
    }
  }
  for (Start& seed : result) seed.weight /= total;
  return result;
}

}  // namespace

PageRank personalised_pagerank(const CitationGraph& graph, std::span<const Weighted> seeds,
                               const Horizon& horizon, const PageRankOptions& options) {
  const Walk walk(graph, horizon);
  PageRank result;
  result.scores.assign(graph.documents(), 0.0);
  const std::vector<Start> start = normalised(seeds, graph.documents());
  if (start.empty()) return result;
  std::vector<std::uint32_t> degrees(walk.nodes());
  for (std::uint32_t node = 0; node < walk.nodes(); ++node) degrees[node] = walk.degree(node);
  std::vector<double> now(walk.nodes(), 0.0);
  std::vector<double> next(walk.nodes());
  for (const Start& seed : start) now[seed.row] += seed.weight;
  for (result.rounds = 0; result.rounds < options.max_rounds;) {
    std::fill(next.begin(), next.end(), 0.0);
    double moved = 0;
    for (std::uint32_t node = 0; node < walk.nodes(); ++node) {
      if (now[node] == 0 || degrees[node] == 0) continue;
      const double share = options.damping * now[node] / degrees[node];
      walk.each_neighbour(node, [&](std::uint32_t other) { next[other] += share; });
      moved += options.damping * now[node];
    }
    double total = 0;
    for (const double value : now) total += value;
    for (const Start& seed : start) next[seed.row] += seed.weight * (total - moved);
    result.change = 0;
    for (std::uint32_t node = 0; node < walk.nodes(); ++node)
      result.change += std::abs(next[node] - now[node]);
    now.swap(next);
    ++result.rounds;
    if (result.change < options.tolerance) break;
  }
  std::copy_n(now.begin(), graph.documents(), result.scores.begin());
  return result;
}

std::vector<Weighted> pushed_pagerank(const CitationGraph& graph, std::span<const Weighted> seeds,
                                      const Horizon& horizon, const PushOptions& options) {
  struct State {
    double score = 0;
    double residual = 0;
    std::uint32_t degree = 0;
    bool waiting = false;
  };
  const Walk walk(graph, horizon);
  std::unordered_map<std::uint32_t, State> states;
  std::deque<std::uint32_t> queue;
  const auto add = [&](std::uint32_t node, double mass) {
    const auto [at, fresh] = states.try_emplace(node);
    State& state = at->second;
    if (fresh) state.degree = walk.degree(node);
    state.residual += mass;
    if (!state.waiting && state.residual > options.epsilon * std::max<std::uint32_t>(state.degree, 1)) {
      state.waiting = true;
      queue.push_back(node);
    }
  };
  const std::vector<Start> start = normalised(seeds, graph.documents());
  for (const Start& seed : start) add(seed.row, seed.weight);
  for (std::uint64_t visited = 0; !queue.empty() && visited < options.max_edges;) {
    const std::uint32_t node = queue.front();
    queue.pop_front();
    State& state = states[node];
    const double mass = state.residual;
    state.residual = 0;
    state.waiting = false;
    state.score += (1 - options.damping) * mass;
    visited += state.degree + 1;
    if (state.degree == 0) {
      for (const Start& seed : start) add(seed.row, options.damping * mass * seed.weight);
    } else {
      const double share = options.damping * mass / state.degree;
      walk.each_neighbour(node, [&](std::uint32_t other) { add(other, share); });
    }
  }
  std::vector<Weighted> result;
  for (const auto& [node, state] : states) {
    if (node < graph.documents() && state.score > 0)
      result.push_back({node, static_cast<float>(state.score)});
  }
  std::sort(result.begin(), result.end(), [](const Weighted& a, const Weighted& b) { return a.row < b.row; });
  return result;
}

}  // namespace mustcite::graph
