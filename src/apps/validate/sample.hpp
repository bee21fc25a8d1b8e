#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/store/catalog.hpp"
#include "stages/annotate/instance.hpp"

namespace mustcite::validate {

struct SampleOptions {
  std::uint64_t size = 510;
  std::uint64_t seed = 1;
  /// Strata by the Type I and Type II labels of this judge; where it has none, by mention count (1, 2, 3 and
  /// more).
  std::string judge = "local";
};

/// How many to take of each stratum: in proportion to its size, exactly `total` together. The fractions with
/// the largest remainders are rounded up (Hamilton's rule), equal ones in the order of the names. No quota
/// exceeds its stratum; with fewer members than `total` all are taken.
[[nodiscard]] std::map<std::string, std::uint64_t> quotas(const std::map<std::string, std::uint64_t>& sizes,
                                                          std::uint64_t total);

struct Sample {
  std::vector<annotate::Instance> instances;    ///< in random order, so that raters meet the strata mixed
  std::map<std::string, std::uint64_t> strata;  ///< "venue year label" with its quota
  std::uint64_t population = 0;
};
/// A stratified sample (venue, year, label) of the citations that have a citing sentence and both titles.
/// Equal catalogs, options and seeds give equal samples. Labels do not go into the instances.
[[nodiscard]] Sample draw(const store::Catalog& catalog, const SampleOptions& options);

}  // namespace mustcite::validate
