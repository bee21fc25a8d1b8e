#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "stages/collect/collect.hpp"
#include "stages/collect/site.hpp"

namespace mustcite::collect {

/// A record with what became of its own page.
struct Crawled {
  Record record;
  Source source = Source::neurips;
  std::string details = "none";  ///< "ok", "none", else what went wrong
  std::string instead;           ///< why the second file was read in place of the page
};

/// Lists one edition and reads its papers' pages; knows nothing of catalogs. Fills the report's fields that
/// belong to fetching. Throws only for the disk and Ctrl-C.
class EditionCrawl {
 public:
  EditionCrawl(const Edition& edition, const Options& options, net::Fetcher& fetcher, EditionReport& report)
      : edition_(edition), options_(options), pages_(fetcher), report_(report) {}

  /// All listed papers; empty when the edition could not be listed (the report says why).
  [[nodiscard]] std::vector<Crawled> run(Progress& progress);

 private:
  bool list(const std::vector<Place>& places, std::vector<Crawled>& found);
  void plan(const std::vector<Place>& places);
  void read_details(std::vector<Crawled>& papers, Progress& progress);
  void read_one(Crawled& paper);
  bool read_second(Crawled& paper);

  const Edition& edition_;
  const Options& options_;
  Pages pages_;
  EditionReport& report_;
  std::map<Source, std::unique_ptr<Site>> sites_;
  /// Of second files: where none of the first ones is there, the rest is not asked for.
  std::atomic<std::size_t> seconds_read_{0};
  std::atomic<std::size_t> seconds_failed_{0};
};

}  // namespace mustcite::collect
