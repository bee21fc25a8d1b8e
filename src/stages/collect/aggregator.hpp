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

/// Many years of one venue, as in a table of discrepancies. Spurious is here all that is no main-conference
/// paper of its own: workshop papers, volumes, duplicates and other tracks included.
struct Discrepancy {
  std::string venue;
  int first_year = 0;
  int last_year = 0;
  std::size_t spurious = 0;
  std::size_t missing = 0;
  int worst_spurious_year = 0;  ///< 0: there is none
  std::size_t worst_spurious = 0;
  int worst_missing_year = 0;
  std::size_t worst_missing = 0;
};

/// One line a venue, in the order of the reports. Worst years are looked for before `lag_from` only: newer
/// years are missing from any index until it catches up.
[[nodiscard]] std::vector<Discrepancy> discrepancies(const std::vector<AggregatorReport>& reports,
                                                     int lag_from);

/// Entries of a file: JSON lines, a JSON list, or the answer of Semantic Scholar's API (`data`). Fields:
/// title, authors (names, or objects with `name`), year, venue, paperId or id, externalIds {DOI, ArXiv}, doi,
/// publicationTypes. Throws invalid_input when it holds none.
[[nodiscard]] std::vector<Listed> read_aggregator_file(const std::filesystem::path& file);

/// The list that Semantic Scholar's bulk search gives for a venue's name and a year. A key is taken from
/// S2_API_KEY. Throws unavailable.
[[nodiscard]] std::vector<Listed> ask_semantic_scholar(net::Fetcher& fetcher, const std::string& venue,
                                                       int year);

/// Throws not_found, naming the command, when no main paper of the edition was collected.
void require_collected(const Ledger& ledger, const std::string& venue, int year);

/// Compares. Only entries of `year` (or without a year) count; official papers are those collected.
/// Throws not_found when nothing of the edition was collected.
[[nodiscard]] AggregatorReport audit_aggregator(const Ledger& ledger, const store::Catalog& catalog,
                                                const std::string& venue, int year,
                                                std::vector<Listed> entries);

}  // namespace mustcite::collect
