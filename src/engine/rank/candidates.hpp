#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/rank/views.hpp"

namespace mustcite::rank {

/// Documents worth a closer look, with the score of every view for each of them.
struct Candidates {
  std::vector<DocId> docs;  ///< ascending
  std::vector<std::vector<float>>
      scores;                ///< per view (see view_names): of each document, 0 where it finds nothing
  std::vector<float> fused;  ///< hand-weighted sum of all views: seeds the second-order ones, is a feature
  std::vector<std::unique_ptr<PreparedQuery>> prepared;  ///< per view; null when left out
};

/// Asks the first-order views for their best documents, takes the best of their weighted sum as
/// `context.first`, asks the second-order views, and scores the union by every view. Views named in `without`
/// find and score nothing.
[[nodiscard]] Candidates find_candidates(QueryContext& context, const std::set<std::string>& without = {});

/// Where a score lies between the 1,000th best (0) and the best (1) of a list of scores: comparable between
/// views.
struct Scale {
  float thousandth = 0;
  float best = 0;
  [[nodiscard]] static Scale of(const std::vector<float>& scores);
  [[nodiscard]] float operator()(float score) const noexcept;
};

}  // namespace mustcite::rank
