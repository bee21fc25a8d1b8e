#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/progress.hpp"
#include "core/store/catalog.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/local_judge.hpp"

/// How necessary is this citation?
namespace mustcite::annotate {

/// The rubric that the local judge was taught: what its labels mean. The prompts of the same version ask the
/// same.
inline constexpr const char* kRubric = "rubric-1";
inline constexpr const char* kLocalJudge = "local";

struct LocalOptions {
  std::size_t threads = 0;  ///< 0: all cores
  std::set<Tier> tiers{Tier::type1, Tier::type2};
  Date date;  ///< of the labels
  /// Labels only the citations of this paper; empty: all.
  std::string only;
};

/// read == labelled + known + without_context, always.
struct LocalReport {
  std::uint64_t read = 0;
  std::uint64_t labelled = 0;         ///< citations that got at least one new label
  std::uint64_t known = 0;            ///< this very model had labelled them before
  std::uint64_t without_context = 0;  ///< no citing sentence is known: nothing to judge by
  std::uint64_t type1_positive = 0;   ///< among the labelled
  std::uint64_t type2_counts[5] = {0, 0, 0, 0, 0};
  double seconds = 0;
};

/// Labels the citations of a catalog by the local judge. Committed in batches: an interrupted call is
/// finished by running it again, and a second call finds everything known.
LocalReport label_by_local(store::Catalog& catalog, const std::filesystem::path& catalog_file,
                           const LocalJudge& judge, const LocalOptions& options, Progress& progress);

/// The verdicts of many instances, in their order.
[[nodiscard]] std::vector<LocalVerdict> judge_all(const std::vector<Instance>& instances,
                                                  const LocalJudge& judge, std::size_t threads);

/// Labels by citing and cited id of one judge, model, tier and definition.
struct LabelSet {
  std::string judge;
  std::string model;
  std::string definition;
  Tier tier = Tier::type1;
  std::uint64_t labels = 0;
};
/// What the catalog has, in the order of the catalog.
[[nodiscard]] std::vector<LabelSet> label_sets(const store::Catalog& catalog);

}  // namespace mustcite::annotate
