#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/release/release.hpp"

namespace mustcite::release {

/// What a dataset card tells beyond the report.
struct CardFacts {
  std::map<std::string, std::uint64_t> corpus_by_venue;
  std::map<int, std::uint64_t> corpus_by_year;
  std::map<std::string, std::map<std::string, std::uint64_t>> queries_by_venue;  ///< split, venue
  std::map<int, std::uint64_t>
      mentions;  ///< evidence citations by mention count; those from kMostMentions on in one
  std::uint64_t mentions_unknown = 0;
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
