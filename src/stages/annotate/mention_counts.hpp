#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/store/catalog.hpp"

namespace mustcite::annotate {

/// How often works are mentioned: what a Type III threshold is chosen by.
struct MentionCounts {
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;                ///< the marker could not be located
  std::map<int, std::uint64_t> by_count;    ///< citations with exactly so many mentions
  std::map<int, std::uint64_t> sections_2;  ///< of those, with contexts in two sections or more

  /// Share of the known citations with at most `count` mentions.
  [[nodiscard]] double cumulative(int count) const;
  /// Share that a threshold would admit.
  [[nodiscard]] double admitted(int threshold) const { return 1 - cumulative(threshold - 1); }
  /// Share of the citations with exactly `count` mentions that reach into a second section.
  [[nodiscard]] double several_sections(int count) const;
};
[[nodiscard]] MentionCounts count_mentions(const store::Catalog& catalog);

/// The smallest threshold (2 to 10) from which most citations reach into a second section and at most a
/// quarter of all is admitted: the paper's two grounds for 3. 0 when none does.
[[nodiscard]] int suggested_threshold(const MentionCounts& counts);

}  // namespace mustcite::annotate
