#include "stages/collect/edition_crawl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/net/url.hpp"

namespace mustcite::collect {
namespace {

constexpr std::size_t kChunk = 64;
/// So many pages of another layout, and more of them than of the known one, end the reading of an edition.
constexpr std::size_t kChangedPages = 20;

/// So many second files that are not there, and none that is, are enough to know.
constexpr std::size_t kSecondsTried = 3;

constexpr std::string_view kLayout = "layout changed: ";

bool is_layout(const Crawled& paper) {
  return paper.details.starts_with(kLayout);
}

Status status_of(net::PageEnd end) {
  return end == net::PageEnd::challenge || end == net::PageEnd::refused ? Status::needs_login
                                                                        : Status::unavailable;
}

/// The same id twice is one paper: whatever else differs, the site says so.
void drop_repeats(std::vector<Crawled>& papers, EditionReport& report) {
  std::unordered_set<std::string> seen;
  std::vector<Crawled> once;
  for (Crawled& paper : papers) {
    if (seen.insert(paper.record.id).second) {
      once.push_back(std::move(paper));
    } else {
      report.problems.push_back({paper.record.id, "listed twice"});
    }
  }
  papers = std::move(once);
}

}  // namespace

std::vector<Crawled> EditionCrawl::run(Progress& progress) {
  std::vector<std::vector<Place>> choices{edition_.parts};
  for (const Place& place : edition_.alternatives) choices.push_back({place});
  if (options_.source) {
    std::erase_if(
        choices, [&](const std::vector<Place>& places) { return places.front().source != *options_.source; });
    if (choices.empty()) {
      fail(ErrorCode::usage, "collecting {} {}: {} is not among its places; see `mustcite collect table`",
           edition_.venue, edition_.year, source_name(*options_.source));
    }
  }
  if (options_.dry_run) {
    plan(choices.front());
    return {};
  }
  std::vector<Crawled> papers;
  std::string first_problem;
  std::string first_source;
  Status first_status = Status::done;
  for (const std::vector<Place>& places : choices) {
    report_.status = Status::done;
    report_.problem.clear();
    papers.clear();
    if (list(places, papers)) break;
    if (first_problem.empty()) {
      first_problem = report_.problem;
      first_source = report_.source;
      first_status = report_.status;
    }
    papers.clear();
  }
  if (report_.status != Status::done) {
    // What is wrong with the first choice is what the user can mend.
    report_.status = first_status;
    report_.problem = first_problem;
    report_.source = first_source;
    return {};
  }
  if (!first_problem.empty()) report_.problems.push_back({"instead of the first source", first_problem});
  drop_repeats(papers, report_);
  report_.listed = papers.size();
  if (options_.details) read_details(papers, progress);
  return papers;
}

bool EditionCrawl::list(const std::vector<Place>& places, std::vector<Crawled>& found) {
  report_.stated.reset();
  report_.source.clear();
  for (const Place& place : places) {
    const std::string name = source_name(place.source);
    report_.source += (report_.source.empty() ? "" : " + ") + name;
    std::unique_ptr<Site> site = make_site(place, edition_);
    const std::string start = site->starts().front();
    try {
      Listing listing = site->list(pages_);
      if (listing.stated) report_.stated = report_.stated.value_or(0) + *listing.stated;
      for (Record& record : listing.records) found.push_back({std::move(record), place.source, "none", {}});
      for (Problem& problem : listing.problems) report_.problems.push_back(std::move(problem));
    } catch (const PageUnavailable& problem) {
      report_.status = status_of(problem.end());
      report_.problem = problem.what();
      return false;
    } catch (const LayoutChanged& problem) {
      report_.status = Status::layout_changed;
      report_.problem = fmt::format("{}: {}", start, problem.what());
      for (const std::string& url : site->starts()) pages_.forget(url);
      return false;
    }
    sites_[place.source] = std::move(site);
  }
  return true;
}

void EditionCrawl::plan(const std::vector<Place>& places) {
  report_.status = Status::planned;
  report_.source = source_name(places.front().source);
  for (const Place& place : places) {
    const std::unique_ptr<Site> site = make_site(place, edition_);
    for (std::string& url : site->starts()) report_.planned.push_back(std::move(url));
    Record probe;
    probe.page_url = "https://example.org/";
    if (site->has_details(probe)) report_.planned_details = edition_.expected_all;
  }
}

void EditionCrawl::read_one(Crawled& paper) {
  const Site& site = *sites_.at(paper.source);
  net::PageRequest request;
  request.url = paper.record.page_url;
  try {
    const std::string page = pages_.get(request);
    site.read_details(page, paper.record);
    paper.details = "ok";
  } catch (const PageUnavailable& problem) {
    paper.details = problem.reason();
  } catch (const LayoutChanged& problem) {
    paper.details = std::string(kLayout) + problem.what();
    pages_.forget(request.url);  // the next run asks again
  } catch (const Error& error) {
    // A page that costs too much to read is that paper's problem; a full disk and Ctrl-C are not.
    if (error.code() != ErrorCode::exhausted ||
        std::string_view(error.what()).find("reading a page") == std::string_view::npos)
      throw;
    paper.details = error.what();
    pages_.forget(request.url);
  }
  if (paper.details != "ok" || paper.record.abstract.empty()) {
    if (read_second(paper)) paper.details = "ok";
  }
}

bool EditionCrawl::read_second(Crawled& paper) {
  const Site& site = *sites_.at(paper.source);
  net::PageRequest request;
  request.url = site.second_address(paper.record);
  request.expect = net::Expect::json;
  if (request.url.empty() || (seconds_read_ == 0 && seconds_failed_ >= kSecondsTried)) return false;
  try {
    site.read_second(pages_.get(request), paper.record);
    ++seconds_read_;
    if (paper.details != "ok") paper.instead = paper.details + "; read from " + request.url + " instead";
    return true;
  } catch (const PageUnavailable&) {
  } catch (const LayoutChanged&) {
    pages_.forget(request.url);
  }
  ++seconds_failed_;
  return false;
}

void EditionCrawl::read_details(std::vector<Crawled>& papers, Progress& progress) {
  std::vector<Crawled*> wanted;
  for (Crawled& paper : papers) {
    if (paper.record.withdrawn.empty() && sites_.at(paper.source)->has_details(paper.record))
      wanted.push_back(&paper);
  }
  if (wanted.empty()) return;
  progress.begin(fmt::format("{} {}", edition_.venue, edition_.year), wanted.size());
  std::size_t threads = 1;
  if (const auto url = net::parse_url(wanted.front()->record.page_url))
    threads =
        pages_.fetcher().pace().limit(url->authority()).concurrency + 1;  // one parses while others wait
  std::size_t changed = 0;
  std::size_t instead = 0;
  for (std::size_t begin = 0; begin < wanted.size(); begin += kChunk) {
    const std::size_t size = std::min(kChunk, wanted.size() - begin);
    parallel_for(size, threads, [&](std::size_t i, std::size_t) { read_one(*wanted[begin + i]); });
    progress.advance(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Crawled& paper = *wanted[begin + i];
      if (!paper.instead.empty()) {
        ++instead;
        report_.problems.push_back({paper.record.id, paper.instead});
      }
      if (paper.details == "ok") {
        ++report_.details_read;
        continue;
      }
      ++report_.details_failed;
      changed += is_layout(paper) ? 1 : 0;
      report_.problems.push_back({paper.record.id, paper.details});
    }
    if (changed >= kChangedPages && changed * 2 > report_.details_read + report_.details_failed) {
      report_.status = Status::layout_changed;
      report_.problem = fmt::format(
          "{} of {} papers' pages are of a layout that is not known, e.g. {}; the others were "
          "not fetched",
          changed, begin + size, wanted[begin]->record.page_url);
      for (std::size_t i = begin + size; i < wanted.size(); ++i)
        wanted[i]->details = "not fetched: the layout changed";
      report_.details_failed += wanted.size() - begin - size;
      break;
    }
  }
  progress.finish();
  if (report_.status == Status::done && instead > 0)
    report_.problem = fmt::format("{} papers' pages could not be read; a file beside them was", instead);
  if (report_.status == Status::done && report_.details_failed > 0) {
    report_.status = Status::incomplete;
    report_.problem =
        fmt::format("{} papers' pages could not be read{}; run the command again", report_.details_failed,
                    changed > 0 ? fmt::format(", {} of them of a layout that is not known", changed) : "");
  }
}

}  // namespace mustcite::collect
