#pragma once

#include <memory>
#include <span>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"
#include "engine/gnn/sparse.hpp"
#include "engine/gnn/trained_weights.hpp"

/// LitFM: a text encoder whose vectors take in the citation neighbourhood, and a network that makes up the
/// neighbourhood of a query which has none: docs/methods/litfm.md.
namespace mustcite::gnn {

struct LitFmOptions {
  std::size_t hidden = 512;     ///< of the network that makes pseudo-query vectors
  std::size_t neighbours = 32;  ///< citing and cited papers of a document at most; 0: all
  std::size_t positives = 6;    ///< of a query in a batch
  std::size_t negatives = 2;    ///< random papers of a query in a batch
  std::size_t hard = 2;         ///< papers that bm25 ranks high and the query does not cite
  double temperature = 0.05;
  double pseudo = 0.1;     ///< weight of the L1 distance between made-up and real neighbourhood
  double sparsity = 1e-6;  ///< weight of the sum of absolute weights
};

/// Reads [model] of the recipe. Throws invalid_input.
[[nodiscard]] LitFmOptions litfm_options(const baseline::Settings& settings);

/// Vectors of documents from text and neighbourhood, and of queries from text alone.
class LitFmNetwork {
 public:
  LitFmNetwork(const LitFmOptions& options, std::size_t features, std::uint64_t seed);
  /// Unit vectors. `texts` and `neighbourhoods`: [n, features]; a paper without neighbours has zeros.
  [[nodiscard]] at::Tensor documents(const at::Tensor& texts, const at::Tensor& neighbourhoods) const;
  /// What the neighbourhood of queries would look like: [n, features].
  [[nodiscard]] at::Tensor pseudo_neighbourhoods(const at::Tensor& texts) const;
  [[nodiscard]] at::Tensor queries(const at::Tensor& texts) const {
    return documents(texts, pseudo_neighbourhoods(texts));
  }
  /// Sum of the absolute values of all matrices.
  [[nodiscard]] at::Tensor absolute_weights() const;
  [[nodiscard]] TrainedWeights& weights() noexcept { return weights_; }
  [[nodiscard]] const TrainedWeights& weights() const noexcept { return weights_; }

 private:
  TrainedWeights weights_;
};

/// Mean text of the papers that cite, or are cited by, each document, as of a date: [documents, features].
/// Of many neighbours `most` are taken, chosen by the seed.
[[nodiscard]] at::Tensor neighbourhoods(const graph::CitationGraph& citations, const baseline::AsOf& as_of,
                                        std::span<const DocId> documents, const at::Tensor& features,
                                        std::size_t most, std::uint64_t seed);

[[nodiscard]] std::unique_ptr<baseline::Learner> make_litfm_learner(const baseline::Data& data);
[[nodiscard]] std::unique_ptr<baseline::Ranker> open_litfm(const std::filesystem::path& folder,
                                                           const baseline::Card& card,
                                                           const baseline::World& world);

}  // namespace mustcite::gnn
