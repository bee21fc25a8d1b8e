#include "stages/release/core_citation.hpp"

#include <algorithm>

namespace mustcite::release {

CoreCitations::CoreCitations(const store::Catalog& catalog, const std::vector<CoreQuery>& queries,
                             const std::function<int(const std::string&)>& year_of) {
  for (const auto& query : queries) {
    Counts& counts = queries_[query.id];
    counts.year = query.year;
    counts.last_year = query.last_year;
    for (const auto& cited : query.cited) counts.together[cited] = 0;
  }
  // They come grouped by citing paper.
  std::vector<Citation> group;
  catalog.each_citation([&](const Citation& citation) {
    if (!group.empty() && group.front().citing != citation.citing) {
      count(group, year_of);
      group.clear();
    }
    group.push_back(citation);
  });
  if (!group.empty()) count(group, year_of);
}

void CoreCitations::count(const std::vector<Citation>& group,
                          const std::function<int(const std::string&)>& year_of) {
  const std::string& citing = group.front().citing.str();
  int year = 0;
  for (const auto& citation : group) year = std::max(year, citation.citing_year);
  if (year == 0) year = year_of(citing);
  if (year == 0) return;
  for (const auto& to_query : group) {
    const auto found = queries_.find(to_query.cited.str());
    if (found == queries_.end() || found->first == citing) continue;
    Counts& counts = found->second;
    if (year < counts.year || (counts.last_year != 0 && year > counts.last_year)) continue;
    ++counts.later;
    for (const auto& citation : group) {
      const auto pair = counts.together.find(citation.cited.str());
      if (pair != counts.together.end()) ++pair->second;
    }
  }
}

std::uint64_t CoreCitations::later(const std::string& query) const {
  const auto found = queries_.find(query);
  return found == queries_.end() ? 0 : found->second.later;
}

std::uint64_t CoreCitations::together(const std::string& query, const std::string& cited) const {
  const auto found = queries_.find(query);
  if (found == queries_.end()) return 0;
  const auto pair = found->second.together.find(cited);
  return pair == found->second.together.end() ? 0 : pair->second;
}

}  // namespace mustcite::release
