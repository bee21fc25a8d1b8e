// Whole runs of collect against simulated sites, through the real network stack.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "core/io/file.hpp"
#include "stages/collect/aggregator.hpp"
#include "stages/collect/collect.hpp"
#include "stages/collect/pdfs.hpp"
#include "testing/child.hpp"
#include "testing/temp_folder.hpp"
#include "unit/collect/simulated_site.hpp"

namespace mustcite::collect {
namespace {

using std::chrono::milliseconds;
using testing::SimulatedSite;
using testing::TempFolder;

std::string hash_of(std::size_t paper) {
  return fmt::format("{:032x}", paper + 1);
}

std::string list_page(std::size_t papers, std::size_t stated) {
  std::string page =
      fmt::format("<html><span class=\"paper-count\">{} papers</span><ul class=\"paper-list\">", stated);
  for (std::size_t i = 0; i < papers; ++i) {
    page += fmt::format(
        "<li data-track=\"none\"><a title=\"paper title\" "
        "href=\"/paper_files/paper/2019/hash/{}-Abstract.html\">Paper on "
        "Subject {}</a><span class=\"paper-authors\">Ada Oak, Bo Elm</span></li>",
        hash_of(i), i);
  }
  return page + "</ul></html>";
}

std::string paper_page(const std::string& hash) {
  return fmt::format(
      "<html><meta name=\"citation_title\" content=\"Paper {0}\"><meta name=\"citation_author\" "
      "content=\"Oak, Ada\">"
      "<section><h2>Abstract</h2><p class=\"paper-abstract\"><p>What {0} is about, in one "
      "sentence.</p></p></section></html>",
      hash);
}

constexpr const char* kRedesigned =
    "<html><body><div id=app data-v=2>Please enable scripts</div></body></html>";

class Crawl : public ::testing::Test {
 protected:
  Options options(const SimulatedSite& site, std::size_t papers) {
    Options made;
    Edition edition;
    edition.venue = "neurips";
    edition.year = 2019;
    edition.parts = {{Source::neurips, "2019"}};
    edition.expected_main = edition.expected_all = papers;
    made.editions = {edition};
    made.fetch.cache = folder_ / "cache";
    made.fetch.limit = {milliseconds(1), 4};
    made.fetch.first_pause = milliseconds(2);
    made.fetch.guard.gateway = site.gateway();
    made.fetch.guard.public_only = true;
    return made;
  }
  Report collect_once(const Options& wanted) {
    store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::create);
    Ledger ledger(folder_ / "collect.sqlite");
    TrackFilter tracks(folder_ / "tracks.tsv", "");
    SilentProgress progress;
    return run(catalog, ledger, tracks, wanted, progress);
  }
  TempFolder folder_;
};

std::string page_of(const std::string& address) {
  const std::size_t at = address.find("/hash/");
  return at == std::string::npos ? "" : address.substr(at + 6, 32);
}

void expect_adds_up(const EditionReport& report) {
  EXPECT_EQ(report.listed,
            report.added + report.updated + report.unchanged + report.excluded + report.rejected);
}

TEST_F(Crawl, CollectsReplaysAndChangesNothingTheSecondTime) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string hash = page_of(address);
    answer.set_content(hash.empty() ? list_page(30, 30) : paper_page(hash), "text/html");
  });
  Options wanted = options(site, 30);
  Report report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].status, Status::done) << report.editions[0].problem;
  EXPECT_EQ(report.editions[0].added, 30U);
  EXPECT_EQ(report.editions[0].without_abstract, 0U);
  EXPECT_TRUE(report.editions[0].is_whole());
  expect_adds_up(report.editions[0]);
  const std::size_t before = site.requests();
  wanted.fetch.offline = true;
  report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].unchanged, 30U);
  EXPECT_EQ(site.requests(), before) << "offline sends nothing";
  const store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::read_only);
  const auto paper = catalog.paper(PaperId("neurips-2019-" + hash_of(3)));
  ASSERT_TRUE(paper);
  EXPECT_EQ(paper->abstract, "What " + hash_of(3) + " is about, in one sentence.");
  EXPECT_EQ(paper->authors, std::vector<std::string>{"Ada Oak"});
  std::size_t provenance = 0;
  Ledger(folder_ / "collect.sqlite").each("neurips", 2019, [&](const Provenance& one) {
    ++provenance;
    EXPECT_EQ(one.details, "ok");
    EXPECT_TRUE(one.page_url.starts_with("https://proceedings.neurips.cc/"));
  });
  EXPECT_EQ(provenance, 30U);
}

TEST_F(Crawl, ReportsCountsThatDiffer) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string hash = page_of(address);
    answer.set_content(hash.empty() ? list_page(9, 10) : paper_page(hash), "text/html");
  });
  const Report report = collect_once(options(site, 10));
  ASSERT_EQ(report.editions[0].mismatches.size(), 3U) << "the site's, and both of the table's";
  EXPECT_EQ(report.editions[0].mismatches[0], "the site says 10 papers, 9 were read");
  EXPECT_FALSE(report.editions[0].is_whole());
}

TEST_F(Crawl, NoticesARedesignAndStopsAsking) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    if (address.find("/file/") != std::string::npos) {
      answer.status = 404;
    } else {
      answer.set_content(page_of(address).empty() ? list_page(500, 500) : kRedesigned, "text/html");
    }
  });
  const Report report = collect_once(options(site, 500));
  EXPECT_EQ(report.editions[0].status, Status::layout_changed);
  EXPECT_LT(site.requests(), 100U);
  EXPECT_EQ(report.editions[0].added, 500U) << "what the list says is kept";
  EXPECT_EQ(report.editions[0].details_failed, 500U);
}

TEST_F(Crawl, NoticesARedesignedList) {
  SimulatedSite site([](const std::string&, std::size_t, httplib::Response& answer) {
    answer.set_content(kRedesigned, "text/html");
  });
  const Report report = collect_once(options(site, 10));
  EXPECT_EQ(report.editions[0].status, Status::layout_changed);
  EXPECT_EQ(report.editions[0].listed, 0U);
}

TEST_F(Crawl, SendsNothingOnADryRun) {
  SimulatedSite site([](const std::string&, std::size_t, httplib::Response& answer) {
    answer.set_content("x", "text/html");
  });
  Options wanted = options(site, 10);
  wanted.dry_run = true;
  const Report report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].planned,
            std::vector<std::string>{"https://proceedings.neurips.cc/paper_files/paper/2019"});
  EXPECT_EQ(report.editions[0].planned_details, 10U);
  EXPECT_EQ(site.requests(), 0U);
}

TEST_F(Crawl, SaysNeedsLoginWhereASiteWantsToSeeAPerson) {
  SimulatedSite site([](const std::string&, std::size_t, httplib::Response& answer) {
    answer.set_content("<html><head><title>Verifying your browser | OpenReview</title></head></html>",
                       "text/html");
  });
  Options wanted = options(site, 0);
  wanted.editions[0].venue = "iclr";
  wanted.editions[0].parts = {{Source::openreview, "ICLR.cc/2022"}};
  wanted.fetch.retries = 1;
  const Report report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].status, Status::needs_login) << report.editions[0].problem;
}

TEST_F(Crawl, TakesTheOfficialListWhereTheFirstSourceWantsALogin) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    if (address.starts_with("api2.openreview.net")) {
      answer.status = 403;
      answer.set_content("{}", "application/json");
    } else {
      const std::string hash = page_of(address);
      answer.set_content(hash.empty() ? list_page(3, 3) : paper_page(hash), "text/html");
    }
  });
  Options wanted = options(site, 3);
  wanted.editions[0].parts = {{Source::openreview, "ICLR.cc/2024"}};
  wanted.editions[0].alternatives = {{Source::neurips, "2019"}};
  const Report report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].status, Status::done);
  EXPECT_EQ(report.editions[0].source, "neurips");
  EXPECT_EQ(report.editions[0].added, 3U);
}

TEST_F(Crawl, ListsWhatItExcludesWithTheReason) {
  const std::string issue =
      "<div class=sections><div class=section><h2>AAAI Technical Track: Vision</h2><div "
      "class=obj_article_summary><h3 class=title>"
      "<a href=/index.php/AAAI/article/view/1>One</a></h3></div></div><div class=section><h2>Student "
      "Abstracts</h2>"
      "<div class=obj_article_summary><h3 class=title><a "
      "href=/index.php/AAAI/article/view/2>Two</a></h3></div></div></div>";
  SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    if (address.find("archive") != std::string::npos) {
      answer.set_content(
          "<div class=obj_issue_summary><a class=title href=/index.php/AAAI/issue/view/5>Vol. 33 No. 1 "
          "(2019)</a></div>",
          "text/html");
    } else if (address.find("issue/view") != std::string::npos) {
      answer.set_content(issue, "text/html");
    } else {
      answer.set_content(
          "<meta name=citation_title content=T><meta name=DC.Description content='A text of its own, "
          "number " +
              address + "'>",
          "text/html");
    }
  });
  Options wanted = options(site, 0);
  wanted.editions[0].venue = "aaai";
  wanted.editions[0].parts = {{Source::aaai_ojs, "2019"}};
  const Report report = collect_once(wanted);
  EXPECT_EQ(report.editions[0].main, 1U);
  EXPECT_EQ(report.editions[0].excluded, 1U);
  expect_adds_up(report.editions[0]);
  EXPECT_NE(
      io::read_file(folder_ / "tracks.tsv").find("aaai\tStudent Abstracts\texcluded\tstudent abstracts"),
      std::string::npos);
  // A person decides otherwise.
  io::write_file_atomically(folder_ / "tracks.tsv", "aaai\tStudent Abstracts\tmain\twe want them\tme\n");
  EXPECT_EQ(collect_once(wanted).editions[0].main, 2U);
  // And changes the mind: what was taken stays, and the report says so.
  io::write_file_atomically(folder_ / "tracks.tsv", "aaai\tStudent Abstracts\texcluded\tnot after all\tme\n");
  const Report again = collect_once(wanted);
  EXPECT_EQ(again.editions[0].main, 1U);
  ASSERT_EQ(again.editions[0].problems.size(), 1U);
  EXPECT_EQ(again.editions[0].problems[0].reason,
            "excluded now, but an earlier run took it: it stays in the catalog");
}

TEST_F(Crawl, DoubtsAbstractsThatAreTooShort) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string hash = page_of(address);
    answer.set_content(hash.empty() ? list_page(5, 5)
                                    : "<meta name=citation_title content='T " + hash +
                                          "'><h2>Abstract</h2><p>PDF " + hash.substr(30) + "</p>",
                       "text/html");
  });
  const Report report = collect_once(options(site, 5));
  ASSERT_EQ(report.editions[0].mismatches.size(), 1U);
  EXPECT_EQ(report.editions[0].mismatches[0],
            "5 of 5 abstracts have fewer than 40 bytes: are they abstracts?");
}

TEST_F(Crawl, CompletesAVolumeFromItsFilesAndFetchesOnlyWhatTheyLack) {
  const auto entry = [](const char* slug, const char* authors) {
    return fmt::format(
        "<div class=paper><p class=title>On {0}</p><p class=details><span class=authors>{1}</span></p><p "
        "class=links>[<a href=/v99/{0}.html>abs</a>]</p></div>",
        slug, authors);
  };
  SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    if (address.ends_with("/v99/")) {
      answer.set_content(
          "<h2>Volume 99: COLT</h2>" + entry("oak19", "Wei Li, Ada Oak") + entry("elm19", "Bo Elm"),
          "text/html");
    } else if (address.ends_with("citeproc.yaml")) {
      answer.set_content(
          "- id: oak19\n  title: On oak19\n  abstract: From the file.\n  author:\n  - given: Li\n    family: "
          "Wei\n  - given: "
          "Ada\n    family: Oak\n",
          "text/plain");
    } else {
      answer.set_content("<meta name=citation_title content=T><div class=abstract>From the page.</div>",
                         "text/html");
    }
  });
  Options wanted = options(site, 2);
  wanted.editions[0].venue = "colt";
  wanted.editions[0].parts = {{Source::pmlr, "v99"}};
  const Report report = collect_once(wanted);
  EXPECT_TRUE(report.editions[0].is_whole()) << report.editions[0].problem;
  EXPECT_EQ(report.editions[0].details_read, 1U);
  const store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::read_only);
  const auto paper = catalog.paper(PaperId("colt-2019-v99_oak19"));
  ASSERT_TRUE(paper);
  EXPECT_EQ(paper->authors, (std::vector<std::string>{"Wei Li", "Ada Oak"}))
      << "the file swaps given and family name";
  EXPECT_EQ(paper->abstract, "From the file.");
  EXPECT_EQ(catalog.paper(PaperId("colt-2019-v99_elm19"))->abstract, "From the page.");
}

TEST_F(Crawl, DownloadsPdfsByTheirContent) {
  const std::string pdf = "%PDF-1.5\n1 0 obj << /Type /Pages /Kids [] /Count 12 >> endobj\n" +
                          std::string(2000, ' ') + "\n%%EOF\n";
  SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string hash = page_of(address);
    if (address.ends_with(".pdf")) {
      const bool bad = address.find(hash_of(1)) != std::string::npos;
      answer.set_content(bad ? "<html>sorry</html>" : pdf, "application/pdf");
    } else {
      answer.set_content(hash.empty() ? list_page(3, 3) : paper_page(hash), "text/html");
    }
  });
  const Options wanted = options(site, 3);
  collect_once(wanted);
  Ledger ledger(folder_ / "collect.sqlite");
  SilentProgress progress;
  PdfOptions pdfs;
  pdfs.folder = folder_ / "pdf";
  PdfReport report = download_pdfs(ledger, wanted, pdfs, progress);
  EXPECT_EQ(report.wanted, 3U);
  EXPECT_EQ(report.downloaded, 2U);
  EXPECT_EQ(report.failed, 1U);
  const auto state = ledger.pdf("neurips-2019-" + hash_of(0));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->pages, 12U);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "pdf" / (state->sha256 + ".pdf")));
  report = download_pdfs(ledger, wanted, pdfs, progress);
  EXPECT_EQ(report.there, 2U) << "what is there is not fetched again";
}

TEST_F(Crawl, AuditsAnAggregator) {
  SimulatedSite site([](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string hash = page_of(address);
    answer.set_content(hash.empty() ? list_page(4, 4)
                                    : "<meta name=citation_title content='Paper on Trees " + hash +
                                          "'><meta name=citation_author content='Oak, Ada'>",
                       "text/html");
  });
  collect_once(options(site, 4));
  const auto title = [](std::size_t i) { return "Paper on Trees " + hash_of(i); };
  const auto entry = [](const std::string& id, const std::string& name, const std::string& rest) {
    return fmt::format(R"({{"paperId":"{}","title":"{}","year":2019{}}})", id, name, rest) + "\n";
  };
  io::write_file_atomically(
      folder_ / "list.jsonl",
      entry("a", title(0), R"(,"authors":[{"name":"Ada Oak"}],"externalIds":{"DOI":"10.1/x"})") +
          entry("b", title(0), R"(,"externalIds":{"ArXiv":"1901.1"})") +
          entry("c", title(1), R"(,"authors":["Zed Zen"])") +
          entry("d", "Proceedings of the 33rd Conference", "") + entry("e", "A Workshop on Leaves", "") +
          entry("f", "Never Published There", "") + R"({"title":"Old","year":2001})" + "\n");
  const Ledger ledger(folder_ / "collect.sqlite");
  const store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::read_only);
  const AggregatorReport report =
      audit_aggregator(ledger, catalog, "neurips", 2019, read_aggregator_file(folder_ / "list.jsonl"));
  EXPECT_EQ(report.official, 4U);
  EXPECT_EQ(report.listed, 6U) << "of the year";
  EXPECT_EQ(report.count(Match::matched), 2U);
  EXPECT_EQ(report.count(Match::duplicate), 1U);
  EXPECT_EQ(report.count(Match::proceedings), 1U);
  EXPECT_EQ(report.count(Match::workshop), 1U);
  EXPECT_EQ(report.count(Match::spurious), 1U);
  EXPECT_EQ(report.missing.size(), 2U);
}

class CrawlSlow : public Crawl {};

/// The hard one: 5,000 papers, slow answers, an error in a hundred, a storm of 429, a challenge, a redesign
/// of one page, a missing one, and three kills.
TEST_F(CrawlSlow, SurvivesFaultsAndThreeKills) {
  constexpr std::size_t kPapers = 5000;
  const std::string redesigned = hash_of(3333);
  const std::string missing = hash_of(4444);
  const std::string challenged = hash_of(2500);
  const std::string list = list_page(kPapers, kPapers);
  std::atomic<std::size_t> served{0};
  SimulatedSite site([&](const std::string& address, std::size_t number, httplib::Response& answer) {
    std::this_thread::sleep_for(milliseconds(1));
    const std::string hash = page_of(address);
    const std::size_t now = ++served;
    if (address.find("/file/") != std::string::npos) {
      answer.status = 404;  // no metadata beside the papers
    } else if (hash.empty()) {
      answer.set_content(list, "text/html");
    } else if (now >= 1000 && now < 1020) {
      answer.status = 429;
      answer.set_header("Retry-After", "1");
    } else if (hash == missing) {
      answer.status = 404;
    } else if (hash == challenged && number == 0) {
      answer.set_content("<html><title>Just a moment...</title></html>", "text/html");
    } else if (hash == redesigned) {
      answer.set_content(kRedesigned, "text/html");
    } else if (std::hash<std::string>{}(hash) % 100 == 0 && number == 0) {
      answer.status = 500;
    } else {
      answer.set_content(paper_page(hash), "text/html");
    }
  });
  const Options wanted = options(site, kPapers);
  std::vector<std::size_t> starts;
  for (const std::size_t kill_at : {1200U, 2600U, 4000U}) {
    starts.push_back(site.requests());
    const pid_t child = testing::start_child([&] { return collect_once(wanted).editions.empty() ? 1 : 0; });
    site.wait_for_requests(kill_at);
    ::kill(child, SIGKILL);
    EXPECT_EQ(testing::status_of(child), 128 + SIGKILL);
  }
  starts.push_back(site.requests());
  const Report report = collect_once(wanted);
  const EditionReport& edition = report.editions[0];

  EXPECT_EQ(edition.listed, kPapers);
  expect_adds_up(edition);
  EXPECT_EQ(edition.status, Status::incomplete);
  EXPECT_EQ(edition.details_failed, 2U);
  std::map<std::string, std::string> failed;
  for (const Problem& problem : edition.problems) failed[problem.item] = problem.reason;
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_NE(failed[redesigned].find("layout changed"), std::string::npos) << failed[redesigned];
  EXPECT_NE(failed[missing].find("404"), std::string::npos) << failed[missing];

  const store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::read_only);
  EXPECT_EQ(catalog.counts().papers, kPapers) << "every paper, once";
  EXPECT_EQ(catalog.counts().papers_with_abstract, kPapers - 2);

  // The server's view: resumed, not begun anew; within the rate; few at once.
  std::size_t twice = 0;
  for (const auto& [address, count] : site.by_address()) {
    if (!page_of(address).empty() && count > 1) ++twice;
  }
  EXPECT_LT(twice, 60U + 20U + 3U * 8U)
      << "only failed ones and those in flight at a kill are asked for again";
  EXPECT_LE(site.most_at_once(), 4U + 3U) << "four at once; a killed client's requests may still be in work";
  const auto times = site.times();
  constexpr std::size_t kWindow = 100;
  for (std::size_t i = 0; i + kWindow < times.size(); ++i) {
    const bool restart = std::any_of(starts.begin(), starts.end(),
                                     [&](std::size_t at) { return at >= i && at <= i + kWindow; });
    if (restart) continue;
    // 100 starts have 100 intervals of 1 ms; up to four at once may arrive late by their own time.
    ASSERT_GE(times[i + kWindow] - times[i], milliseconds(kWindow - 10)) << "at request " << i;
  }
}

}  // namespace
}  // namespace mustcite::collect
