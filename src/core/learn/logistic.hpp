#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mustcite::learn {

/// A linear score: intercept + sum of weights times values. Weights apply to the values as they are.
struct LinearModel {
  std::vector<float> weights;
  float intercept = 0;

  [[nodiscard]] float score(std::span<const float> row) const;
};

struct LogisticOptions {
  double regularisation = 1;  ///< half of the squared standardised weights times this is added to the loss
  int max_rounds = 50;
  double tolerance = 1e-6;  ///< of the relative fall of the loss
};

/// Logistic regression by Newton's method with step halving. Columns are standardised first (constant ones
/// get weight 0), the intercept is not penalised. `rows` is row-major with labels.size() rows; labels are 0
/// or 1. Throws invalid_input when the sizes do not fit, there are no rows, or a value is not finite.
[[nodiscard]] LinearModel fit_logistic(std::span<const float> rows, std::span<const float> labels,
                                       std::span<const float> weights, const LogisticOptions& options = {});

}  // namespace mustcite::learn
