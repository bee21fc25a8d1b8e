#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/net/fetcher.hpp"
#include "core/store/catalog.hpp"
#include "stages/collect/ledger.hpp"

/// How good is another's list of a venue's papers? An aggregator's list against the official one.
namespace mustcite::collect {

/// One entry of an aggregator.
struct Listed {
  std::string id;
  std::string title;
  std::vector<std::string> authors;
  std::string venue;
  int year = 0;
  std::string doi;
  std::string arxiv_id;
  std::vector<std::string> types;  ///< as the aggregator calls them, e.g. "JournalArticle"
};

/// What an entry of the aggregator is, seen from the official list.
enum class Match {
  matched,      ///< a paper of the main conference
  duplicate,    ///< one that another entry matched before (a preprint beside the proceedings)
  proceedings,  ///< the record of a whole volume
  workshop,     ///< a workshop paper
  other_track,  ///< an official paper beside the main conference
  other_year,   ///< an official paper of another year
  spurious      ///< nothing official explains it
};
[[nodiscard]] const char* match_name(Match match) noexcept;

struct Judged {
  Listed entry;
  Match match = Match::spurious;
  std::string official_id;  ///< of the official paper, when one is meant
  std::string evidence;     ///< "doi", "arxiv id", "title and first author", …
};

/// official == matched + missing; listed == sum of all kinds, always.
struct AggregatorReport {
  std::string venue;
  int year = 0;
  std::size_t official = 0;
  std::size_t listed = 0;
  std::vector<Judged> judged;
  std::vector<std::string> missing;  ///< ids of official papers that the aggregator lacks
  [[nodiscard]] std::size_t count(Match match) const;
};

/// Entries of a file: JSON lines, a JSON list, or the answer of Semantic Scholar's API (`data`). Fields:
/// title, authors (names, or objects with `name`), year, venue, paperId or id, externalIds {DOI, ArXiv}, doi,
/// publicationTypes. Throws invalid_input when it holds none.
[[nodiscard]] std::vector<Listed> read_aggregator_file(const std::filesystem::path& file);

/// The list that Semantic Scholar's bulk search gives for a venue's name and a year. A key is taken from
/// S2_API_KEY. Throws unavailable.
[[nodiscard]] std::vector<Listed> ask_semantic_scholar(net::Fetcher& fetcher, const std::string& venue,
                                                       int year);

/// Compares. Only entries of `year` (or without a year) count; official papers are those collected.
/// Throws not_found when nothing of the edition was collected.
[[nodiscard]] AggregatorReport audit_aggregator(const Ledger& ledger, const store::Catalog& catalog,
                                                const std::string& venue, int year,
                                                std::vector<Listed> entries);

}  // namespace mustcite::collect
