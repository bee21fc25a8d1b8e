#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/rank/combination.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/methods.hpp"

namespace mustcite::rank {

struct CombinationOptions {
  /// Years of the queries. Neither the cross-encoder nor the method should have learnt from them.
  int first_year = 0;
  int last_year = 0;
  Tier tier = Tier::must;  ///< citations that count
  std::size_t threads = 0;
  /// The method's score plus the cross-encoder's times one weight, that of the best nDCG@10, instead of a
  /// logistic score over all columns: fit for cross-encoders that learnt what to add
  /// (train::LearnerOptions::offset).
  bool sum = false;
};

/// Mean nDCG@10 of one way to order.
struct CombinationQuality {
  double method = 0;
  double cross = 0;
  double combined = 0;
};

struct CombinationReport {
  std::size_t queries = 0;  ///< with a cited paper of the tier among the older ones
  std::size_t pairs = 0;
  std::size_t cited = 0;  ///< of the pairs
  /// Of each year, with weights learned on the other years; empty with one year alone.
  std::map<int, CombinationQuality> held_out;
};

/// Learns how to weigh the method's score and the cross-encoder's over the method's first results, for the
/// citing papers of the years as queries as of their own year. Throws invalid_input when there are none.
[[nodiscard]] Combination fit_combination(const Resources& resources, const Method& method,
                                          const CrossReranker& reranker, const CombinationOptions& options,
                                          CombinationReport& report, Progress& progress);

}  // namespace mustcite::rank
