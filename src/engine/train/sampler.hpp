#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/train/examples.hpp"
#include "engine/train/learner.hpp"

namespace mustcite::train {

struct SamplerOptions {
  Loss loss = Loss::nt_xent;
  std::size_t batch = 32;
  std::size_t positives = 1;
  std::size_t negatives = 1;
  std::uint64_t seed = 1;
  /// Negatives of each pool, for examples that have pools; `negatives` does not count then.
  std::vector<std::size_t> shares{};
};

/// The papers of one batch, before their texts become tokens. A document stands in it once, whoever drew it,
/// and no paper is query and document at the same time.
struct BatchPlan {
  std::vector<std::size_t> examples;  ///< the queries
  std::vector<DocId> documents;
  /// [queries, documents]: what the query cites in the tier.
  std::vector<std::uint8_t> positive;
  /// [queries, documents]: what it cites otherwise, and what is not strictly older than it: no negative of
  /// its.
  std::vector<std::uint8_t> ignored;
  /// Of each document the logarithm of its chance to stand in a batch because some query cites it; 0 of hard
  /// negatives, which were chosen for their query.
  std::vector<float> log_chances;
  std::vector<Tuple> tuples;  ///< of triplets and quadruplets
};

/// How many negatives each pool gives: its share, and what empty pools leave is shared among the others in
/// proportion.
[[nodiscard]] std::vector<std::size_t> pool_counts(const Example& example,
                                                   std::span<const std::size_t> shares);

/// Draws batches. An epoch shows each usable example once, in an order that its number and the seed decide: a
/// resumed training asks for the same epoch again and goes on inside it.
class Sampler {
 public:
  /// The examples must outlive it. Throws invalid_input when none can be used (a quadruplet needs two
  /// positives, a distance loss a negative) .
  Sampler(std::span<const Example> examples, const SamplerOptions& options);

  [[nodiscard]] std::vector<BatchPlan> epoch(std::uint64_t number) const;
  /// Examples that the loss can use.
  [[nodiscard]] std::size_t usable() const noexcept { return usable_.size(); }

 private:
  struct Drawn;
  [[nodiscard]] Drawn draw(std::size_t example, std::uint64_t epoch) const;
  [[nodiscard]] BatchPlan plan(const std::vector<Drawn>& batch) const;
  void add_tuples(const Drawn& drawn, std::uint32_t query, BatchPlan& plan) const;

  std::span<const Example> examples_;
  SamplerOptions options_;
  std::vector<std::size_t> usable_;
  std::map<DocId, double> draws_;  ///< times an epoch draws a document as a positive, on average
};

}  // namespace mustcite::train
