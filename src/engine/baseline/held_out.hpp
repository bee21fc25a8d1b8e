#pragma once

#include <vector>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/model_card.hpp"

namespace mustcite::baseline {

/// Measures a learner on the held-out examples: over a fixed sample of the documents that holds everything
/// relevant, drawn by the recipe's seed.
class HeldOut {
 public:
  explicit HeldOut(const Data& data);
  [[nodiscard]] bool empty() const noexcept { return queries_.empty(); }
  [[nodiscard]] std::size_t queries() const noexcept { return queries_.size(); }
  [[nodiscard]] std::size_t documents() const noexcept { return rows_.size(); }
  /// Fills recall_100 and mrr, means over the examples.
  void measure(Learner& learner, std::size_t stage, Measurement& into) const;

 private:
  std::vector<Example> queries_;
  std::vector<DocId> rows_;  ///< ascending
};

}  // namespace mustcite::baseline
