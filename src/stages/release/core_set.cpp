#include "stages/release/core_set.hpp"

#include <algorithm>
#include <unordered_map>

namespace mustcite::release {

CoreSet::CoreSet(const store::Catalog& catalog, const Options& options) : options_(options) {
  if (options.core_venues.empty()) return;
  std::unordered_map<std::string, bool> target;
  std::vector<std::string> pool;
  catalog.each_paper([&](const Paper& paper) {
    target.emplace(paper.id.str(), is_target(paper.venue));
    if (!paper.abstract.empty() && options.pool.contains(paper.date.year)) pool.push_back(paper.id.str());
  });
  std::unordered_set<std::string> by_all, by_others;
  catalog.each_citation([&](const Citation& citation) {
    const auto found = target.find(citation.citing.str());
    if (found == target.end() || !found->second) return;
    by_all.insert(citation.cited.str());
    if (!is_evaluation_year(citation.citing_year)) by_others.insert(citation.cited.str());
  });
  for (const auto& id : pool) {
    by_all_ += target.at(id) || by_all.contains(id) ? 1 : 0;
    without_queries_ += target.at(id) || by_others.contains(id) ? 1 : 0;
  }
  cited_ = options.query_citations == QueryCitations::count ? std::move(by_all) : std::move(by_others);
}

bool CoreSet::contains(const Paper& paper) const {
  return options_.core_venues.empty() || is_target(paper.venue) || cited_.contains(paper.id.str());
}

bool CoreSet::is_target(const std::string& venue) const {
  const auto& venues = options_.core_venues;
  return std::find(venues.begin(), venues.end(), venue) != venues.end();
}

bool CoreSet::is_evaluation_year(int year) const {
  return std::any_of(options_.splits.begin(), options_.splits.end(), [&](const auto& split) {
    return split.first != "train" && split.second.contains(year);
  });
}

}  // namespace mustcite::release
