#include "engine/neural/adamw_loops.hpp"

#include <cmath>

namespace mustcite::neural {

void adamw_step(const AdamWFactors& factors, std::size_t count, const float* gradient, float* weight,
                float* first, float* second) {
  const AdamWFactors f = factors;
  const float rest1 = 1 - f.beta1;
  const float rest2 = 1 - f.beta2;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    const float m = first[i] * f.beta1 + g * rest1;
    const float v = second[i] * f.beta2 + g * g * rest2;
    first[i] = m;
    second[i] = v;
    weight[i] = weight[i] * f.keep - f.rate * (m / (std::sqrt(v) * f.spread + f.eps));
  }
}

double sum_of_squares(const float* values, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  double sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      sums[lane] += value * value;
    }
  }
  for (; i < count; ++i) sums[0] += double{values[i]} * values[i];
  double sum = 0;
  for (const double one : sums) sum += one;
  return sum;
}

}  // namespace mustcite::neural
