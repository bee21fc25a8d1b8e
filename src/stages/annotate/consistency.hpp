#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/store/catalog.hpp"

namespace mustcite::annotate {

/// Names a set of labels: JUDGE, JUDGE:MODEL or JUDGE:MODEL:DEFINITION.
[[nodiscard]] bool names_label(const std::string& name, const Label& label);

/// A label that a rule finds odd; worth a look, not proven wrong.
struct Oddity {
  std::string rule;
  PaperId citing;
  PaperId cited;
  std::string detail;
};
struct CheckReport {
  std::uint64_t pairs = 0;  ///< labelled citations that were looked at
  std::map<std::string, std::uint64_t> by_rule;
  std::vector<Oddity> oddities;
};
/// Rules that need no model: a Type I citation that stands only in introduction or related work; a Type I
/// work that is rated 1 or 2 by Type II; a Type II of 4 or more on a single mention among four or more works;
/// a Type II of 1 or 2 on a work mentioned five times or more.
[[nodiscard]] CheckReport check_labels(const store::Catalog& catalog, const std::string& set);

/// What two sets of labels say of the same citations: two judges, two prompts, or two runs.
struct Comparison {
  std::uint64_t common = 0;
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  double agreement = 0;
  double kappa = 0;                                        ///< quadratic for Type II
  std::map<std::pair<int, int>, std::uint64_t> confusion;  ///< value of a, value of b
  /// Disagreements over common pairs, by what the citations have in common.
  struct Share {
    std::uint64_t common = 0;
    std::uint64_t differ = 0;
  };
  std::map<std::string, Share> by_section;  ///< role of the first section
  std::map<std::string, Share> by_venue;
  std::map<int, Share> by_year;
  struct Changed {
    PaperId citing;
    PaperId cited;
    int a = 0;
    int b = 0;
  };
  std::vector<Changed> changed;  ///< furthest apart first
};
[[nodiscard]] Comparison compare_labels(const store::Catalog& catalog, Tier tier, const std::string& a,
                                        const std::string& b);

}  // namespace mustcite::annotate
