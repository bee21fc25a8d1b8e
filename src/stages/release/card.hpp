#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stages/release/release.hpp"

namespace mustcite::release {

/// What a dataset card tells beyond the report.
struct CardFacts {
  std::map<std::string, std::uint64_t> corpus_by_venue;
  std::map<std::string, std::map<int, std::uint64_t>> corpus_by_venue_and_year;
  std::map<int, std::uint64_t> corpus_by_year;
  std::map<std::string, std::map<std::string, std::uint64_t>> queries_by_venue;  ///< split, venue
  std::map<int, std::uint64_t>
      mentions;  ///< evidence citations by mention count; those from kMostMentions on in one
  std::uint64_t mentions_unknown = 0;
  /// Evidence and queries by who read the citing paper.
  struct Coverage {
    std::uint64_t papers = 0;
    std::uint64_t citations = 0;
    std::uint64_t located = 0;         ///< of the citations: with counted mentions
    std::uint64_t with_sentences = 0;  ///< of the citations
  };
  std::map<std::string, Coverage> by_reader;
  /// Pairs of a query and a relevant paper that each label set covers, by split.
  std::map<std::string, std::map<Tier, std::uint64_t>> labelled_pairs;
  /// Type IV, by split.
  struct CoreCitationFacts {
    std::uint64_t known_queries = 0;  ///< cited by enough later papers to tell
    std::uint64_t later_papers = 0;   ///< citations of the split's queries by later papers
  };
  std::map<std::string, CoreCitationFacts> core_citations;
  std::optional<Difference> changes;
  std::map<Tier, std::map<int, std::uint64_t>> label_values;
  std::map<Tier, std::string> label_sources;
  std::uint64_t labels_unsure = 0;
  std::uint64_t core_by_all = 0;           ///< core set when citations by evaluation queries count
  std::uint64_t core_without_queries = 0;  ///< and when they do not
};
inline constexpr int kMostMentions = 15;

/// A file of the release and its bytes.
struct CardFile {
  std::string path;
  std::string bytes;
};
/// README.md and figures/*.svg. Equal facts give equal bytes.
[[nodiscard]] std::vector<CardFile> make_card(const Options& options, const Report& report,
                                              const CardFacts& facts);

}  // namespace mustcite::release
