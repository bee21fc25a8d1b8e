#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/dense/build.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/rank/combination.hpp"
#include "engine/rank/pair_scores.hpp"
#include "engine/rank/reranker.hpp"

namespace mustcite::rank {

struct CrossRerankerOptions {
  std::string method = "mustcite";  ///< whose results are reordered
  Tier tier = Tier::must;
  /// Results that are reordered. 0: as many as the combination was learned on, else 200.
  std::size_t depth = 0;
  /// Scores of pairs are kept here and taken from here; empty: in memory for as long as the reranker lives.
  std::filesystem::path scores_file;
};

/// Reorders by a cross-encoder that reads query and candidate together. With a combination for the method
/// and tier beside the model, its score and the method's are weighed against each other; without one the
/// cross-encoder's score alone decides.
class CrossReranker final : public Reranker {
 public:
  /// The snapshot must outlive it. Throws not_found or invalid_input for a model that is none, lacks a head
  /// or a vocabulary, corrupt for a damaged combination, and what PairScores throws.
  CrossReranker(const snapshot::Snapshot& snapshot, const std::filesystem::path& model,
                const dense::EncoderFactory& make_encoder, const CrossRerankerOptions& options);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::size_t depth() const override { return depth_; }
  [[nodiscard]] bool combines() const noexcept { return combination_.has_value(); }
  [[nodiscard]] const model::CrossEncoder& model() const noexcept { return model_; }
  void rerank(std::span<const Query> queries, std::span<std::vector<Scored>> lists) const override;

  /// The cross-encoder's scores of the first `depth()` results of each list, before any sigmoid. Interrupted,
  /// what is done is in the scores file.
  [[nodiscard]] std::vector<std::vector<float>> scores(std::span<const Query> queries,
                                                       std::span<const std::vector<Scored>> lists) const;

 private:
  struct Wanted;
  void score(const std::vector<Wanted>& wanted, std::span<const std::string> texts) const;

  const snapshot::Snapshot& snapshot_;
  std::string name_;
  model::CrossEncoder model_;
  std::optional<Combination> combination_;
  std::size_t depth_ = 0;
  std::unique_ptr<dense::Encoder> encoder_;
  mutable std::mutex mutex_;  ///< of the encoder and the scores
  mutable PairScores known_;
};

/// `list` in the order of `scores` of its first results, which become theirs; ties keep the order. What lies
/// behind them follows with scores below theirs.
void reorder(std::vector<Scored>& list, std::span<const float> scores);

}  // namespace mustcite::rank
