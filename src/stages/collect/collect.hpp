#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/net/fetcher.hpp"
#include "core/store/catalog.hpp"
#include "stages/collect/ledger.hpp"
#include "stages/collect/record.hpp"
#include "stages/collect/table.hpp"
#include "stages/collect/tracks.hpp"

/// Which papers did this venue publish? From its official site into the catalog.
namespace mustcite::collect {

struct Options {
  std::vector<Edition> editions;
  /// Read this layout instead of the table's first choice; it must be among the edition's places.
  std::optional<Source> source;
  /// Fetch the papers' own pages where the list does not say everything.
  bool details = true;
  /// Papers of other tracks come into the catalog as well.
  bool all_tracks = false;
  /// Say what would be fetched, and send nothing.
  bool dry_run = false;
  /// Of the user; `allowed_hosts` are added by the run.
  net::FetchOptions fetch;
};

enum class Status {
  done,            ///< everything that was listed was read
  incomplete,      ///< listed, but some papers' own pages could not be read: run again
  needs_login,     ///< the site wants an account, or a person
  layout_changed,  ///< a page does not look as its reader knows it
  unavailable,     ///< the list could not be fetched
  planned          ///< a dry run
};

/// "done", "incomplete", "needs login", …
[[nodiscard]] const char* status_name(Status status) noexcept;

/// One edition. listed == added + updated + unchanged + excluded + rejected, always.
struct EditionReport {
  std::string venue;
  int year = 0;
  std::string source;
  Status status = Status::done;
  std::string problem;
  std::size_t listed = 0;
  std::optional<std::size_t> stated;
  std::size_t expected_main = 0;
  std::size_t expected_all = 0;
  std::size_t added = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
  std::size_t excluded = 0;
  std::size_t rejected = 0;
  std::size_t main = 0;              ///< of the listed ones
  std::size_t without_abstract = 0;  ///< of the main ones
  std::size_t short_abstracts = 0;   ///< of the main ones, too short to be abstracts
  std::size_t shared_abstracts = 0;  ///< texts that stood in place of abstracts, dropped
  std::size_t details_read = 0;
  std::size_t details_failed = 0;
  std::vector<std::string> mismatches;  ///< counts that differ, in words
  std::vector<Problem> problems;        ///< entries not taken, pages not read
  std::vector<std::string> planned;     ///< addresses of a dry run
  std::size_t planned_details = 0;

  [[nodiscard]] bool is_whole() const { return status == Status::done && mismatches.empty(); }
};

struct Report {
  std::vector<EditionReport> editions;
  net::FetchCounts fetched;
};

/// Collects edition by edition. What goes wrong with a paper costs that paper, what goes wrong with an
/// edition that edition; the report and both ledgers say what it was. Every page that was fetched is kept, so
/// a run that was killed goes on where it stopped when it is called again. Throws only for the catalog, the
/// disk and Ctrl-C.
Report run(store::Catalog& catalog, Ledger& ledger, TrackFilter& tracks, const Options& options,
           Progress& progress);

/// The hosts that collecting these editions may talk to.
[[nodiscard]] std::set<std::string> hosts_of(const Options& options);

/// How hard each known host may be asked, from its own rules or from common politeness.
[[nodiscard]] std::map<std::string, net::HostLimit> host_limits();

}  // namespace mustcite::collect
