#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/learn/agreement.hpp"
#include "stages/annotate/instance.hpp"

namespace mustcite::validate {

/// What raters said, as tables: items in the order of the instances.
struct RatingTables {
  std::vector<std::string> raters;
  learn::Ratings type1;
  learn::Ratings type2;
};
/// Answers of the adjudicator are no ratings and are left out.
[[nodiscard]] RatingTables tables_of(const std::vector<annotate::Instance>& instances);

/// A number with its 95 % bootstrap interval (over instances).
struct Estimate {
  double value = learn::kMissing;
  learn::Interval interval;
};

/// Agreement among raters.
struct Agreement {
  std::size_t items = 0;  ///< with two ratings or more
  std::size_t ratings = 0;
  Estimate alpha;                           ///< nominal for Type I, ordinal for Type II
  double alpha_interval = learn::kMissing;  ///< Type II: interval level
  double exact = learn::kMissing;
  double within_one = learn::kMissing;
  learn::PairwiseKappa pairwise;  ///< quadratic for Type II
  double gwet = learn::kMissing;  ///< AC1, or AC2 with quadratic weights
};

/// A judge against people.
struct AgainstHumans {
  std::size_t items = 0;
  Estimate accuracy;
  Estimate kappa;                          ///< quadratic for Type II
  std::map<std::string, double> by_rater;  ///< the same kappa against each rater alone
};

/// Values of a judge by instance id.
using JudgeValues = std::map<std::string, std::pair<double, double>>;  ///< Type I, Type II; NaN where unknown

struct Options {
  std::size_t resamples = 1000;
  std::uint64_t seed = 1;
};

struct Report {
  RatingTables tables;
  Agreement type1;
  Agreement type2;
  AgainstHumans judge1;  ///< against the majority (ties count as 1)
  AgainstHumans judge2;  ///< against the median
  bool has_judge = false;
};
[[nodiscard]] Report measure(const std::vector<annotate::Instance>& instances, const JudgeValues& judge,
                             const Options& options);

/// The tables of the paper: agreement of raters and judge, then the supporting statistics.
[[nodiscard]] std::string render(const Report& report);
[[nodiscard]] std::string render_json(const Report& report);

/// The same as sentences for a dataset card: who rated how much, how far they agree, and how the judge fits
/// them.
[[nodiscard]] std::vector<std::string> card_lines(const Report& report, const std::string& source);

/// Lines with instance_id, type1 and type2, as `annotate --output` writes them.
[[nodiscard]] JudgeValues read_judge(const std::string& file);

}  // namespace mustcite::validate
