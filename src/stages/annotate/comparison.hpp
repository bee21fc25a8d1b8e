#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/catalog.hpp"
#include "stages/annotate/llm_judge.hpp"

namespace mustcite::annotate {

/// Names a set of labels: JUDGE, JUDGE:MODEL or JUDGE:MODEL:DEFINITION.
[[nodiscard]] bool names_label(const std::string& name, const Label& label);

/// Values of one set of labels by pair id.
using LabelValues = std::unordered_map<std::string, int>;
/// The labels of a tier that a name stands for; empty when there are none. Throws usage when it fits sets of
/// several models or definitions: they are never mixed.
[[nodiscard]] LabelValues labels_named(const store::Catalog& catalog, Tier tier, const std::string& set);
[[nodiscard]] std::optional<int> value_in(const LabelValues& labels, const std::string& pair);

/// What two sets of labels say of the same citations: two judges, two prompts, or two runs.
struct Comparison {
  std::uint64_t common = 0;
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  double agreement = 0;
  double kappa = 0;  ///< quadratic for Type II
  /// How often a said the first value where b said the second.
  using Confusion = std::map<std::pair<int, int>, std::uint64_t>;
  Confusion confusion;
  /// The same among citations that have something in common.
  struct Share {
    std::uint64_t common = 0;
    std::uint64_t differ = 0;
    Confusion confusion;
  };
  std::map<std::string, Share> by_section;  ///< role of the first section
  std::map<std::string, Share> by_venue;
  std::map<int, Share> by_year;
  struct Changed {
    std::string id;  ///< of the instance
    std::string citing_title;
    std::string cited_title;
    int a = 0;
    int b = 0;
  };
  std::vector<Changed> changed;  ///< furthest apart first
};

/// Of the labels of a catalog. Throws not_found when a set has none of the tier, usage as `labels_named`.
[[nodiscard]] Comparison compare_labels(const store::Catalog& catalog, Tier tier, const std::string& a,
                                        const std::string& b);
/// Of the verdicts of one run that asked two prompts of a tier, by their definitions.
[[nodiscard]] Comparison compare_verdicts(const std::vector<Instance>& instances,
                                          const std::vector<LlmVerdict>& verdicts, const std::string& a,
                                          const std::string& b);

}  // namespace mustcite::annotate
