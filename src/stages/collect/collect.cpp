#include "stages/collect/collect.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/clean.hpp"
#include "stages/collect/edition_crawl.hpp"

namespace mustcite::collect {
namespace {

constexpr std::size_t kBatch = 500;
/// Bytes; what is shorter is more likely a button's text or a notice.
constexpr std::size_t kShortAbstract = 40;

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

/// Takes the crawled papers of one edition into the catalog and both ledgers.
class EditionWriter {
 public:
  EditionWriter(store::Catalog& catalog, Ledger& ledger, TrackFilter& tracks, const Options& options,
                const Edition& edition, EditionReport& report)
      : catalog_(catalog),
        ledger_(ledger),
        tracks_(tracks),
        options_(options),
        edition_(edition),
        report_(report),
        now_(now_text()) {}

  void write(const std::vector<Crawled>& papers) {
    std::vector<Cleaned> cleaned(papers.size());
    parallel_for(papers.size(), 0,
                 [&](std::size_t i, std::size_t) { cleaned[i] = clean_record(edition_, papers[i].record); });
    report_.shared_abstracts = drop_shared_abstracts(cleaned);
    for (std::size_t begin = 0; begin < papers.size(); begin += kBatch) {
      store::Catalog::Batch batch(catalog_);
      ledger_.begin();
      if (begin == 0) ledger_.clear(edition_.venue, edition_.year);
      const std::size_t end = std::min(papers.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) take(papers[i], cleaned[i]);
      ledger_.commit();
      batch.commit();
    }
  }

 private:
  void take(const Crawled& crawled, const Cleaned& cleaned) {
    const Record& record = crawled.record;
    const std::string source = record.page_url.empty() ? edition_.venue : record.page_url;
    if (cleaned.reject) {
      ++report_.rejected;
      report_.problems.push_back({record.id, *cleaned.reject});
      catalog_.reject({source, 0, record.id, *cleaned.reject});
      return;
    }
    for (const std::string& note : cleaned.notes)
      catalog_.reject({source, 0, record.id, "kept, but: " + note});
    TrackVerdict verdict = tracks_.verdict(edition_.venue, record.track);
    if (!record.withdrawn.empty()) verdict = {false, record.withdrawn, "site"};
    const bool main = verdict.main;
    if (main) {
      ++report_.main;
      const std::size_t length = cleaned.paper.abstract.size();
      report_.without_abstract += length == 0 ? 1 : 0;
      report_.short_abstracts += length > 0 && length < kShortAbstract ? 1 : 0;
    }
    if (main || (options_.all_tracks && record.withdrawn.empty())) {
      count(catalog_.put(cleaned.paper));
    } else {
      ++report_.excluded;
      if (catalog_.paper(cleaned.paper.id))
        report_.problems.push_back(
            {record.id, "excluded now, but an earlier run took it: it stays in the catalog"});
    }
    remember(crawled, cleaned, verdict);
  }

  void count(store::Outcome outcome) {
    switch (outcome) {
      case store::Outcome::added:
        ++report_.added;
        break;
      case store::Outcome::updated:
        ++report_.updated;
        break;
      case store::Outcome::unchanged:
        ++report_.unchanged;
        break;
    }
  }

  void remember(const Crawled& crawled, const Cleaned& cleaned, const TrackVerdict& verdict) {
    const Record& record = crawled.record;
    Provenance provenance;
    provenance.id = cleaned.paper.id.str();
    provenance.venue = edition_.venue;
    provenance.year = edition_.year;
    provenance.official_id = text::repair_utf8(record.id);
    provenance.track = cleaned.paper.track;
    provenance.main = verdict.main;
    provenance.reason = verdict.reason;
    provenance.printed_title = cleaned.printed_title;
    provenance.page_url = record.page_url;
    provenance.pdf_url = record.pdf_url;
    provenance.openreview_id = record.openreview_id;
    provenance.source = source_name(crawled.source);
    provenance.collected_at = now_;
    provenance.has_abstract = !cleaned.paper.abstract.empty();
    provenance.details = text::repair_utf8(crawled.details);
    ledger_.put(provenance);
  }

  store::Catalog& catalog_;
  Ledger& ledger_;
  TrackFilter& tracks_;
  const Options& options_;
  const Edition& edition_;
  EditionReport& report_;
  std::string now_;
};

/// What the site says, what our table says, and what was read must be one number each.
void check_counts(const Edition& edition, EditionReport& report) {
  if (report.stated && *report.stated != report.listed) {
    report.mismatches.push_back(
        fmt::format("the site says {} papers, {} were read", *report.stated, report.listed));
  }
  if (edition.expected_all != 0 && edition.expected_all != report.listed) {
    report.mismatches.push_back(fmt::format("the table expects {} papers in all tracks, {} were read",
                                            edition.expected_all, report.listed));
  }
  if (edition.expected_main != 0 && edition.expected_main != report.main) {
    report.mismatches.push_back(
        fmt::format("the table expects {} papers of the main conference, {} were read", edition.expected_main,
                    report.main));
  }
}

/// A changed layout may put something else in the abstracts' place.
void check_abstracts(EditionReport& report) {
  if (report.short_abstracts >= 3 && report.short_abstracts * 100 > report.main) {
    report.mismatches.push_back(
        fmt::format("{} of {} abstracts have fewer than {} bytes: are they abstracts?",
                    report.short_abstracts, report.main, kShortAbstract));
  }
}

EditionState state_of(const EditionReport& report) {
  EditionState state;
  state.venue = report.venue;
  state.year = report.year;
  state.source = report.source;
  state.status = status_name(report.status);
  state.problem = text::repair_utf8(report.problem);
  state.listed = report.listed;
  state.stated = report.stated;
  state.main = report.main;
  state.excluded = report.excluded;
  state.details_failed = report.details_failed;
  state.finished_at = now_text();
  return state;
}

}  // namespace

const char* status_name(Status status) noexcept {
  switch (status) {
    case Status::done:
      return "done";
    case Status::incomplete:
      return "incomplete";
    case Status::needs_login:
      return "needs login";
    case Status::layout_changed:
      return "layout changed";
    case Status::unavailable:
      return "unavailable";
    case Status::planned:
      break;
  }
  return "planned";
}

std::set<std::string> hosts_of(const Options& options) {
  std::set<std::string> hosts;
  for (const Edition& edition : options.editions) {
    std::vector<Place> places = edition.parts;
    places.insert(places.end(), edition.alternatives.begin(), edition.alternatives.end());
    for (const Place& place : places) {
      for (std::string& host : make_site(place, edition)->hosts()) hosts.insert(std::move(host));
    }
  }
  return hosts;
}

std::map<std::string, net::HostLimit> host_limits() {
  using std::chrono::milliseconds;
  return {
      // 500 requests an hour, and 180 a minute, by their own headers.
      {"api2.openreview.net", {milliseconds(7200), 1}},
      {"api.openreview.net", {milliseconds(500), 1}},
      // Answers in two to three seconds and drops long pages when it is hurried.
      {"ojs.aaai.org", {milliseconds(2000), 1}},
      // Static files.
      {"raw.githubusercontent.com", {milliseconds(500), 2}},
  };
}

Report run(store::Catalog& catalog, Ledger& ledger, TrackFilter& tracks, const Options& options,
           Progress& progress) {
  net::FetchOptions fetch = options.fetch;
  fetch.allowed_hosts.merge(hosts_of(options));
  net::Fetcher fetcher(std::move(fetch));
  Report report;
  for (const Edition& edition : options.editions) {
    EditionReport one;
    one.venue = edition.venue;
    one.year = edition.year;
    one.expected_main = edition.expected_main;
    one.expected_all = edition.expected_all;
    EditionCrawl crawl(edition, options, fetcher, one);
    const std::vector<Crawled> papers = crawl.run(progress);
    if (one.status != Status::planned) {
      if (!papers.empty()) {
        EditionWriter(catalog, ledger, tracks, options, edition, one).write(papers);
        check_counts(edition, one);
        check_abstracts(one);
        tracks.save();
      }
      ledger.put(state_of(one));
    }
    report.editions.push_back(std::move(one));
  }
  report.fetched = fetcher.counts();
  return report;
}

}  // namespace mustcite::collect
