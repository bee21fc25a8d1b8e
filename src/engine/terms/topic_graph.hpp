#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/terms/topics.hpp"

namespace mustcite::terms {

/// A relation from a topic to its neighbour.
struct TopicEdge {
  std::uint32_t to = 0;
  std::uint32_t relation = 0;  ///< see TopicGraph::relation
  float weight = 0;            ///< above 0
};

/// What a triple says: head stands in the relation to tail.
struct Triple {
  std::uint32_t relation = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  float weight = 0;
};

/// Topics and how they are related. Every triple is walked both ways; against its direction it is a relation
/// of its own. Immutable, thread-safe.
class TopicGraph {
 public:
  /// `relations`: their names; those in `symmetric` read the same both ways. Of triples with equal ends and
  /// relation the heaviest counts; a topic is never its own neighbour. With `degree`, only so many of the
  /// heaviest edges of each topic are walked from it (0: all); an edge stays as long as one of its ends keeps
  /// it. Throws invalid_input for topics or relations that do not exist and for weights that are not above 0.
  TopicGraph(std::uint32_t topics, std::vector<std::string> relations, std::vector<bool> symmetric,
             std::span<const Triple> triples, std::size_t degree = 0);

  [[nodiscard]] std::uint32_t topics() const noexcept {
    return static_cast<std::uint32_t>(begin_.size() - 1);
  }
  [[nodiscard]] std::size_t edges() const noexcept { return edges_.size(); }
  /// Ascending by topic, then relation.
  [[nodiscard]] std::span<const TopicEdge> neighbours(std::uint32_t topic) const {
    return std::span(edges_).subspan(begin_[topic], begin_[topic + 1] - begin_[topic]);
  }
  /// Relations an edge may have: those given, and their inverses after them.
  [[nodiscard]] std::uint32_t relations() const noexcept {
    return static_cast<std::uint32_t>(2 * relations_.size());
  }
  /// "IsA", or "~IsA" against the direction.
  [[nodiscard]] std::string relation(std::uint32_t number) const;

 private:
  std::vector<std::string> relations_;
  std::vector<std::size_t> begin_;
  std::vector<TopicEdge> edges_;
};

/// One topic of the best paths from a source.
struct PathStep {
  std::uint32_t topic = 0;
  std::uint32_t parent = 0;    ///< place of the topic before; of the source: its own
  std::uint32_t relation = 0;  ///< by which it was reached; of the source: none
  std::uint32_t hops = 0;
  float strength = 1;  ///< product of the weights over the largest weight of each topic it left
};

/// The best path from `source` to every topic within `most_hops`: fewest hops, then the greatest strength,
/// then the lowest topic before it. The source comes first, hops ascend, topics ascend within.
[[nodiscard]] std::vector<PathStep> best_paths(const TopicGraph& graph, std::uint32_t source,
                                               std::size_t most_hops);

struct Cooccurrence {
  std::size_t main_topics = 8;      ///< of a document count, see `main_topics`
  std::uint32_t min_documents = 5;  ///< that name both
  double min_npmi = 0.1;            ///< normalised pointwise mutual information
  std::size_t degree = 12;          ///< heaviest neighbours of a topic
};

/// The graph of topics named together in rows [0, documents), weighted by their normalised pointwise mutual
/// information: what it says is as of that row. One relation, "named-with".
[[nodiscard]] TopicGraph cooccurrence_graph(const TopicTable& table, std::uint32_t documents,
                                            const Cooccurrence& options);

}  // namespace mustcite::terms
