#pragma once

#include <cstddef>
#include <string>

#include "engine/baseline/recipe.hpp"

namespace mustcite::topics {

/// The table [model] of a recipe of `ktr`.
struct Options {
  /// Triples of a topic graph: see terms::read_triples. Empty: topics and graph come from the collection.
  std::string graph;
  std::size_t topics = 3000;       ///< at most
  std::size_t min_titles = 10;     ///< that name a topic, where they come from the collection
  std::size_t min_documents = 20;  ///< that name a term of the given graph for it to be a topic
  double min_npmi = 0.1;           ///< of topics named together
  std::size_t degree = 12;         ///< heaviest neighbours of a topic that are kept; 0: all
  std::size_t hops = 2;            ///< of a reasoning path
  std::size_t main_topics = 6;     ///< of a paper

  std::size_t width = 128;       ///< of papers' vectors
  std::size_t topic_width = 48;  ///< of topics' vectors and of the paths' states
  std::size_t neighbours = 12;   ///< cited or citing papers that a paper's structure is made of
  double dropout = 0.1;
  double alignment = 0.1;    ///< weight of the contrastive part in the loss
  double temperature = 0.1;  ///< of the contrastive part
  double weight_decay = 1e-4;
  std::size_t positives = 4;  ///< cited papers of a query in a batch
  std::size_t hard = 3;       ///< ones of like text that it does not cite
  std::size_t easy = 3;
  std::size_t hard_ranks = 100;  ///< hard ones are drawn from so many of the nearest texts
};

/// Throws invalid_input for unknown keys and impossible values.
[[nodiscard]] Options read_options(const baseline::Recipe& recipe);

}  // namespace mustcite::topics
