#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/tokenizer.hpp"
#include "engine/train/examples.hpp"
#include "engine/train/run.hpp"
#include "engine/train/sampler.hpp"

/// What a cross-encoder is shown, and what it is measured with.
namespace mustcite::train {

/// A cited document of a query and the hard negatives drawn for it, as places in the plan.
struct PairGroup {
  std::uint32_t query = 0;
  std::uint32_t positive = 0;
  std::vector<std::uint32_t> negatives;
};

/// The tuples of a plan, those with the same query and positive together, in the order of their first one.
[[nodiscard]] std::vector<PairGroup> groups_of(const BatchPlan& plan);

/// The plan's groups as pairs of tokens, with `offset` times the run's score of each.
[[nodiscard]] Batch pair_batch(const BatchPlan& plan, std::span<const Example> examples,
                               const snapshot::Snapshot& snapshot, const model::Tokenizer& tokenizer,
                               std::size_t max_length, double offset);

/// Takes about `share` of the examples out, by their ids and the seed, in an order that is no other's: which
/// ones does not depend on the rest.
[[nodiscard]] std::vector<Example> set_aside(std::vector<Example>& examples, double share,
                                             std::uint64_t seed);

/// Ranks, for each held-out query, its cited papers among its first hard negatives.
class PairDevSet {
 public:
  /// At most `options.queries` queries, each with at most `options.documents` negatives. `offset` is the
  /// weight of the run's score.
  PairDevSet(const snapshot::Snapshot& snapshot, const Recipe::Dev& options, double offset,
             std::vector<Example> held_out);

  [[nodiscard]] bool empty() const noexcept { return queries_.empty(); }
  [[nodiscard]] std::size_t queries() const noexcept { return queries_.size(); }
  [[nodiscard]] std::size_t pairs() const noexcept { return documents_.size(); }

  /// Mean nDCG@10 and reciprocal rank. Equal scores count against the cited paper.
  [[nodiscard]] Measurement measure(Learner& learner) const;

 private:
  struct Held {
    std::string text;
    std::size_t first = 0;      ///< its documents in `documents_`
    std::size_t positives = 0;  ///< come first
    std::size_t count = 0;
  };
  std::vector<Held> queries_;
  std::vector<std::string> documents_;
  std::vector<float> offsets_;  ///< of each document, added to its score
};

}  // namespace mustcite::train
