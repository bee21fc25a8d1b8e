#include "stages/annotate/mention_counts.hpp"

#include <set>

namespace mustcite::annotate {

double MentionCounts::cumulative(int count) const {
  std::uint64_t below = 0;
  for (const auto& [mentions, citations] : by_count) below += mentions <= count ? citations : 0;
  return known == 0 ? 0 : static_cast<double>(below) / static_cast<double>(known);
}

double MentionCounts::several_sections(int count) const {
  const auto all = by_count.find(count);
  const auto some = sections_2.find(count);
  if (all == by_count.end() || some == sections_2.end()) return 0;
  return static_cast<double>(some->second) / static_cast<double>(all->second);
}

MentionCounts count_mentions(const store::Catalog& catalog) {
  MentionCounts counts;
  catalog.each_citation([&](const Citation& citation) {
    if (!citation.mentions) {
      ++counts.unknown;
      return;
    }
    ++counts.known;
    ++counts.by_count[*citation.mentions];
    std::set<std::string> sections;
    for (const auto& context : citation.contexts) sections.insert(context.section);
    counts.sections_2[*citation.mentions] += sections.size() >= 2 ? 1 : 0;
  });
  return counts;
}

int suggested_threshold(const MentionCounts& counts) {
  for (int threshold = 2; threshold <= 10; ++threshold) {
    if (counts.several_sections(threshold) > 0.5 && counts.admitted(threshold) <= 0.25) return threshold;
  }
  return 0;
}

}  // namespace mustcite::annotate
