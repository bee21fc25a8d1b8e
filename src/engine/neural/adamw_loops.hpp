#pragma once

#include <cstddef>

/// The loops of the optimiser over plain numbers: one pass each over memory that no cache holds.
namespace mustcite::neural {

/// What one step of AdamW does to each number of a weight.
struct AdamWFactors {
  float keep = 1;  ///< of the weight: 1 - rate * decay
  float beta1 = 0, beta2 = 0;
  float rate = 0;    ///< over the correction of the first moment
  float spread = 1;  ///< 1 / root of the correction of the second
  float eps = 0;
};

void adamw_step(const AdamWFactors& factors, std::size_t count, const float* gradient, float* weight,
                float* first, float* second);

/// Sum of squares, in double, always in the same order.
[[nodiscard]] double sum_of_squares(const float* values, std::size_t count);

}  // namespace mustcite::neural
