#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

/// How well do raters agree? Every function returns NaN where the question has no answer (fewer than two
/// ratings to compare, or a single category in use), never a made-up 0 or 1.
namespace mustcite::learn {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Items in rows, raters in columns, NaN where a rater did not see the item.
struct Ratings {
  std::size_t items = 0;
  std::size_t raters = 0;
  std::vector<double> values;  ///< row-major, items * raters

  [[nodiscard]] std::span<const double> row(std::size_t item) const {
    return std::span(values).subspan(item * raters, raters);
  }
  /// What one rater said about every item.
  [[nodiscard]] std::vector<double> column(std::size_t rater) const;
  /// The named rows, in that order, repetitions kept: for resampling.
  [[nodiscard]] Ratings select(std::span<const std::size_t> rows) const;
};

/// What differences between values mean.
enum class Level { nominal, ordinal, interval, ratio };

/// Krippendorff's alpha: 1 - observed / expected disagreement over the coincidences of all items with two
/// or more ratings. Any number of raters and any pattern of missing values.
[[nodiscard]] double krippendorff_alpha(const Ratings& ratings, Level level);

/// How much a disagreement by some categories counts.
enum class Weighting { identity, linear, quadratic };

/// Cohen's kappa of two raters over the items that both rated; weighted by the distance of category
/// positions. `categories` rises strictly; empty: those that occur.
[[nodiscard]] double cohen_kappa(std::span<const double> a, std::span<const double> b, Weighting weighting,
                                 std::span<const double> categories = {});

/// Gwet's AC1 (identity) and AC2 (weighted by the distance of values) for any number of raters and missing
/// values. `categories` as above.
[[nodiscard]] double gwet_ac(const Ratings& ratings, Weighting weighting,
                             std::span<const double> categories = {});

/// Share of the items with two or more ratings whose highest and lowest rating differ by at most `spread`.
[[nodiscard]] double agreement_within(const Ratings& ratings, double spread);

/// Over all pairs of raters with at least `least_common` items in common and a defined kappa.
struct PairwiseKappa {
  std::size_t pairs = 0;
  double mean = kMissing;
  double min = kMissing;
  double max = kMissing;
};
[[nodiscard]] PairwiseKappa pairwise_kappa(const Ratings& ratings, Weighting weighting,
                                           std::span<const double> categories = {},
                                           std::size_t least_common = 2);

/// The most frequent rating of each item; the higher of equally frequent ones when `tie_up`, else the lower.
enum class Ties { low, high };
[[nodiscard]] std::vector<double> majority(const Ratings& ratings, Ties ties);
/// The median rating of each item; of an even number the lower middle one, so that it is always a rating.
[[nodiscard]] std::vector<double> median(const Ratings& ratings);

/// Share of equal values over the items that both rated.
[[nodiscard]] double accuracy(std::span<const double> a, std::span<const double> b);
/// Chance that a random positive (label > 0.5) scores above a random negative; ties count half.
[[nodiscard]] double area_under_curve(std::span<const double> scores, std::span<const double> labels);

struct Interval {
  double low = kMissing;
  double high = kMissing;
};

/// The central 95 % of a statistic over `repetitions` resamples of `items` rows with replacement. Resamples
/// for which it is undefined are left out. Equal seeds give equal intervals.
[[nodiscard]] Interval bootstrap(std::size_t items, std::size_t repetitions, std::uint64_t seed,
                                 const std::function<double(std::span<const std::size_t>)>& statistic);

/// Landis and Koch's word for a kappa: poor, slight, fair, moderate, substantial, almost perfect.
[[nodiscard]] const char* landis_koch(double kappa) noexcept;

}  // namespace mustcite::learn
