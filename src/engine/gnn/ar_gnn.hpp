#pragma once

#include <memory>
#include <span>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"
#include "engine/gnn/sampling.hpp"
#include "engine/gnn/trained_weights.hpp"

/// AR-GNN: papers, authors, venues and keywords in one graph, and a network that puts related papers near
/// each other: docs/methods/ar-gnn.md.
namespace mustcite::gnn {

struct ArGnnOptions {
  enum class Variant { gcn, gat, gae };
  Variant variant = Variant::gcn;
  std::size_t hidden = 128;
  std::size_t size = 128;  ///< numbers of a paper's vector; 0: as many as its text's
  std::size_t heads = 4;   ///< of attention
  bool skip = true;        ///< a paper's own text is added to what the layers make of its neighbourhood
  /// What the weights are at first: all drawn, or the text as it is with little of the neighbourhood.
  enum class Start { random, text };
  Start start = Start::random;
  Fanout fanout;
  std::size_t keywords = 20000;
  std::size_t per_text = 10;
  std::size_t positives = 6;    ///< of a query in a batch
  std::size_t negatives = 4;    ///< random papers of a query in a batch
  std::size_t hard = 0;         ///< papers that bm25 ranks high and the query does not cite
  double similarity = 1;        ///< weight of the mean similarity beside the distance
  double temperature = 0;       ///< of the mean over unrelated pairs: see distance_and_similarity
  double reconstruction = 0.5;  ///< weight of the autoencoder's loss (gae)
};

/// Reads [model] of the recipe. Throws invalid_input.
[[nodiscard]] ArGnnOptions ar_gnn_options(const baseline::Settings& settings);

/// The network: features of papers go through a linear layer, other nodes start from a vector of their kind,
/// then come two layers over the graph.
class ArGnnNetwork {
 public:
  ArGnnNetwork(const ArGnnOptions& options, std::size_t features, std::uint64_t seed);
  /// Vectors of the block's seeds, not yet of unit length. `documents`: features of all papers of the graph,
  /// [papers, features]; `newcomers`: those of the block's newcomers.
  [[nodiscard]] at::Tensor embed(const Block& block, const at::Tensor& documents,
                                 const at::Tensor& newcomers) const;
  [[nodiscard]] TrainedWeights& weights() noexcept { return weights_; }
  [[nodiscard]] const TrainedWeights& weights() const noexcept { return weights_; }
  [[nodiscard]] const ArGnnOptions& options() const noexcept { return options_; }

 private:
  [[nodiscard]] at::Tensor layer(const std::string& name, const SparsePtr& sparse, const Block& block,
                                 const at::Tensor& x) const;

  ArGnnOptions options_;
  TrainedWeights weights_;
};

[[nodiscard]] std::unique_ptr<baseline::Learner> make_ar_gnn_learner(const baseline::Data& data);
[[nodiscard]] std::unique_ptr<baseline::Ranker> open_ar_gnn(const std::filesystem::path& folder,
                                                            const baseline::Card& card,
                                                            const baseline::World& world);

}  // namespace mustcite::gnn
