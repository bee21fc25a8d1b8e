#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::learn {

/// Turns a model's score into a probability by a rising, piecewise linear curve. Thread-safe.
class Calibration {
 public:
  /// A point of the curve.
  struct Point {
    float score = 0;
    float probability = 0;
  };

  /// No curve: every probability is NaN.
  Calibration() = default;
  /// The curve through the points. Throws invalid_input unless scores rise strictly and probabilities never
  /// fall and lie in [0, 1].
  explicit Calibration(std::vector<Point> points);

  /// Isotonic regression (pool adjacent violators): blocks of equal probability, each a point at its mean
  /// score; between points the curve is linear, beyond them flat. Blocks are merged until each holds
  /// `min_block` examples, so that no probability rests on a handful. Labels are 0 or 1 (or fractions).
  static Calibration isotonic(std::span<const float> scores, std::span<const float> labels,
                              std::size_t min_block = 1);

  [[nodiscard]] float operator()(float score) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

 private:
  std::vector<Point> points_;
};

/// Platt's scaling: probability = 1 / (1 + exp(slope * score + offset)).
struct Platt {
  double slope = -1;
  double offset = 0;

  /// Maximum likelihood with Platt's smoothed targets, (n1 + 1) / (n1 + 2) and 1 / (n0 + 2), by Newton's
  /// method with step halving. Throws invalid_input without examples.
  static Platt fit(std::span<const float> scores, std::span<const float> labels);
  [[nodiscard]] double operator()(double score) const noexcept;
};

/// Expected calibration error over `bins` equally filled bins: mean |probability - share of ones|, weighted
/// by size.
[[nodiscard]] double calibration_error(std::span<const float> probabilities, std::span<const float> labels,
                                       std::size_t bins = 10);

/// Where to cut so that what lies above is right often enough.
struct PrecisionCut {
  double at = 2;  ///< lowest probability that is taken; 2: no cut is precise enough
  double precision = 0;
  double recall = 0;  ///< of the ones among the labels
  std::size_t taken = 0;
};

/// The lowest probability at which the share of ones among all examples at or above it is at least
/// `precision`. Equal probabilities are taken together; NaN never is. Throws invalid_input when the sizes do
/// not fit.
[[nodiscard]] PrecisionCut cut_for_precision(std::span<const float> probabilities,
                                             std::span<const float> labels, double precision);

}  // namespace mustcite::learn
