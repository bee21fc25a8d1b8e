#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mustcite::evaluate {

/// A table of numbers, a row for each query.
struct Matrix {
  std::span<const double> values;  ///< row after row
  std::size_t rows = 0;
  std::size_t columns = 0;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// Percentile bootstrap of each column's mean: rows drawn with replacement, the same draws for all columns;
/// percentiles interpolate linearly between the resamples. The same seed gives the same interval on any
/// number of threads.
[[nodiscard]] std::vector<Interval> bootstrap(const Matrix& matrix, std::size_t resamples, double level,
                                              std::uint64_t seed, std::size_t threads);

/// Two-sided paired sign-flip test of each column of differences: how often a random choice of signs gives a
/// sum at least as far from zero. Exact where all choices are at most `permutations`; else drawn, p = (hits +
/// 1) / (permutations + 1), the same flips for all columns.
[[nodiscard]] std::vector<double> sign_flip_test(const Matrix& differences, std::size_t permutations,
                                                 std::uint64_t seed, std::size_t threads);

/// Holm's step-down correction, in the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

}  // namespace mustcite::evaluate
