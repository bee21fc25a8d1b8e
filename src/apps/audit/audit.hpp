#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/audit/draft.hpp"
#include "apps/audit/ignore.hpp"
#include "apps/audit/report.hpp"
#include "core/schema/paper.hpp"
#include "stages/link/link.hpp"

/// What does my draft lack, and what is wrong in its bibliography?
namespace mustcite::audit {

/// One paper that the ranker offers for the draft.
struct Recommendation {
  Paper paper;
  std::map<Tier, double> probability;  ///< calibrated, by tier
  std::vector<std::string> reasons;    ///< one line each, strongest first
  std::string role;                    ///< "baseline", "dataset", "method", "background"; may be empty
  std::string evidence;                ///< a sentence in which an older paper cites it; may be empty
};

/// What the draft asks for: its title and abstract, and what it cites already (evidence, and never offered).
struct RecommendRequest {
  std::string title;
  std::string abstract;
  std::vector<std::string> authors;
  std::vector<PaperId> known;
  std::vector<PaperId> exclude;  ///< the draft itself and its preprint, where the catalog has them
  std::size_t depth = 50;
};

/// Ranks must-cite papers for a draft, best first. The program connects its ranker here; without one, the audit checks
/// the bibliography alone and says so.
using Recommender = std::function<std::vector<Recommendation>(const RecommendRequest& request)>;

/// Probability from which a paper counts as missing, by tier: the model's manifest brings them, chosen for a stated
/// precision. A tier without threshold makes no paper missing.
struct Thresholds {
  std::map<Tier, double> missing;
  double consider = 0.08;  ///< below this a paper is not named
};

struct Options {
  link::Options link;
  Thresholds thresholds;
  std::size_t most_missing = 20;   ///< missing papers listed
  std::size_t most_consider = 15;  ///< papers to consider listed
  std::vector<PaperId> exclude;    ///< works never offered
};

/// Audits a draft: links its bibliography to the catalog, checks every entry and every mention, asks the recommender for
/// what is missing, and drops what the ignore list answers. linked + ambiguous + unresolved == entries, always.
[[nodiscard]] Report audit(const Draft& draft, const link::LinkIndex& catalog, const Recommender& recommender,
                           IgnoreList ignore, const Options& options);

}  // namespace mustcite::audit
