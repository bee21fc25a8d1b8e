// OpenReview's login and Semantic Scholar's bulk search, spoken with a server that follows their rules.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "stages/collect/aggregator.hpp"
#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

using testing::TempFolder;

/// A variable of the environment for as long as it lives; "" takes it away.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value.empty()) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value.c_str(), 1);
    }
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// OpenReview as it answers today: a token for the right account, a challenge for whoever has none, 401 for a
/// token that ran out, at most a thousand notes a page, `count` only when an offset is given.
class OpenReviewServer {
 public:
  explicit OpenReviewServer(std::size_t notes, std::size_t token_lasts = 1000)
      : notes_(notes), token_lasts_(token_lasts) {
    server_.Post("/login", [this](const httplib::Request& request, httplib::Response& answer) {
      ++logins;
      const auto sent = nlohmann::json::parse(request.body, nullptr, false);
      if (sent.is_object() && sent.value("id", "") == "ada@example.org" &&
          sent.value("password", "") == "right") {
        token_ = "token-" + std::to_string(logins);
        used_ = 0;
        answer.set_content(nlohmann::json{{"token", token_.load()}, {"user", {{"id", "~Ada"}}}}.dump(),
                           "application/json");
      } else {
        answer.status = 400;
        answer.set_content(R"({"name":"Error","message":"Invalid username or password"})",
                           "application/json");
      }
    });
    server_.Get("/notes", [this](const httplib::Request& request, httplib::Response& answer) {
      ++asked;
      const std::string authorization = request.get_header_value("Authorization");
      if (authorization.empty()) {
        answer.set_content("<html><title>Verifying your browser | OpenReview</title></html>", "text/html");
      } else if (authorization != "Bearer " + std::string(token_) || ++used_ > token_lasts_) {
        answer.status = 401;
        answer.set_content(R"({"name":"TokenExpiredError"})", "application/json");
      } else {
        answer.set_content(page(request), "application/json");
      }
    });
    server_.Get("/robots.txt",
                [](const httplib::Request&, httplib::Response& answer) { answer.status = 404; });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~OpenReviewServer() {
    server_.stop();
    thread_.join();
  }
  OpenReviewServer(const OpenReviewServer&) = delete;
  OpenReviewServer& operator=(const OpenReviewServer&) = delete;

  [[nodiscard]] std::string gateway() const { return "127.0.0.1:" + std::to_string(port_); }

  std::atomic<std::size_t> logins{0};
  std::atomic<std::size_t> asked{0};

 private:
  std::string page(const httplib::Request& request) const {
    const std::size_t limit = std::stoul(request.get_param_value("limit"));
    const std::size_t offset = std::stoul(request.get_param_value("offset"));
    if (limit > 1000) return R"({"name":"ValidationError"})";
    nlohmann::json notes = nlohmann::json::array();
    for (std::size_t i = offset; i < std::min(notes_, offset + limit); ++i) {
      // Every fourth one is rejected.
      const std::string venue = i % 4 == 3 ? "/Rejected_Submission" : "";
      notes.push_back({{"id", "n" + std::to_string(i)},
                       {"forum", "n" + std::to_string(i)},
                       {"number", i + 1},
                       {"content",
                        {{"title", {{"value", "Paper " + std::to_string(i)}}},
                         {"authors", {{"value", {"Ada Oak"}}}},
                         {"abstract", {{"value", abstract_of(i)}}},
                         {"venueid", {{"value", "ICLR.cc/2024/Conference" + venue}}}}}});
    }
    return nlohmann::json{{"notes", notes}, {"count", notes_}}.dump();
  }

  std::size_t notes_;
  std::size_t token_lasts_;
  struct Token {
    std::mutex mutex;
    std::string text;
    operator std::string() {
      const std::lock_guard lock(mutex);
      return text;
    }
    std::string load() { return *this; }
    Token& operator=(std::string value) {
      const std::lock_guard lock(mutex);
      text = std::move(value);
      return *this;
    }
  } token_;
  std::atomic<std::size_t> used_{0};
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

class OpenReviewLogin : public ::testing::Test {
 protected:
  EditionReport collect(const OpenReviewServer& server) {
    Options options;
    Edition edition{"iclr", 2024, {{Source::openreview, "ICLR.cc/2024"}}, {}, 0, 0, ""};
    options.editions = {edition};
    options.fetch.cache = folder_ / "cache";
    options.fetch.limit = {std::chrono::milliseconds(0), 1};
    options.fetch.first_pause = std::chrono::milliseconds(1);
    options.fetch.retries = 1;
    options.fetch.guard.gateway = server.gateway();
    store::Catalog catalog(folder_ / "catalog.sqlite", store::Catalog::Mode::create);
    Ledger ledger(folder_ / "collect.sqlite");
    TrackFilter tracks(folder_ / "tracks.tsv", "");
    SilentProgress progress;
    return run(catalog, ledger, tracks, options, progress).editions.at(0);
  }
  TempFolder folder_;
};

TEST_F(OpenReviewLogin, LogsInOnceAndReadsAllPages) {
  const Variable name("OPENREVIEW_USERNAME", "ada@example.org");
  const Variable password("OPENREVIEW_PASSWORD", "right");
  const OpenReviewServer server(2500);
  const EditionReport report = collect(server);
  EXPECT_EQ(report.status, Status::done) << report.problem;
  EXPECT_EQ(report.main, 1875U) << "2500 without every fourth";
  EXPECT_EQ(server.logins, 1U);
  EXPECT_EQ(server.asked, 3U);
}

TEST_F(OpenReviewLogin, RenewsATokenThatRanOut) {
  const Variable name("OPENREVIEW_USERNAME", "ada@example.org");
  const Variable password("OPENREVIEW_PASSWORD", "right");
  const OpenReviewServer server(2500, 2);
  const EditionReport report = collect(server);
  EXPECT_EQ(report.status, Status::done) << report.problem;
  EXPECT_EQ(report.main, 1875U);
  EXPECT_EQ(server.logins, 2U);
}

TEST_F(OpenReviewLogin, SaysThatItNeedsAnAccount) {
  const Variable name("OPENREVIEW_USERNAME", "");
  const Variable password("OPENREVIEW_PASSWORD", "");
  const OpenReviewServer server(10);
  const EditionReport report = collect(server);
  EXPECT_EQ(report.status, Status::needs_login);
  EXPECT_EQ(report.listed, 0U);
  EXPECT_NE(report.problem.find("set OPENREVIEW_USERNAME"), std::string::npos) << report.problem;
  EXPECT_EQ(server.logins, 0U);
}

TEST_F(OpenReviewLogin, SaysThatTheAccountIsRefusedAndKeepsNoPassword) {
  const Variable name("OPENREVIEW_USERNAME", "ada@example.org");
  const Variable password("OPENREVIEW_PASSWORD", "wr0ng-secret");
  const OpenReviewServer server(10);
  const EditionReport report = collect(server);
  EXPECT_EQ(report.status, Status::needs_login);
  EXPECT_NE(report.problem.find("refuses the account"), std::string::npos) << report.problem;
  EXPECT_EQ(server.asked, 0U) << "nothing is asked for without a token";
  EXPECT_EQ(report.problem.find("wr0ng-secret"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
}

/// Semantic Scholar's bulk search: a thousand records a page at most and a token for the next; 429 now and
/// then; the key in a header.
class ScholarServer {
 public:
  ScholarServer(std::size_t papers, std::size_t per_page) : papers_(papers), per_page_(per_page) {}

  void operator()(const std::string& address, std::size_t number, httplib::Response& answer) {
    if (!address.starts_with("api.semanticscholar.org/graph/v1/paper/search/bulk?")) {
      answer.status = 404;
      return;
    }
    {
      const std::lock_guard lock(mutex);
      addresses.push_back(address);
    }
    if (number == 0 && holds(address, "&token=")) {
      answer.status = 429;
      return;
    }
    const std::size_t token = address.find("&token=");
    const std::size_t from = token == std::string::npos ? 0 : std::stoul(address.substr(token + 7));
    nlohmann::json data = nlohmann::json::array();
    for (std::size_t i = from; i < std::min(papers_, from + per_page_); ++i) {
      data.push_back({{"paperId", "s" + std::to_string(i)},
                      {"title", fmt::format("Plain Paper {}", i)},
                      {"authors", {{{"authorId", "1"}, {"name", "Ada Oak"}}}},
                      {"year", 2019},
                      {"venue", "International Conference on Machine Learning"},
                      {"externalIds", {{"CorpusId", 7}}},
                      {"publicationTypes", nullptr}});
    }
    nlohmann::json page{{"total", papers_}, {"data", data}};
    page["token"] =
        from + per_page_ < papers_ ? nlohmann::json(std::to_string(from + per_page_)) : nlohmann::json();
    answer.set_content(page.dump(), "application/json");
  }

  std::mutex mutex;
  std::vector<std::string> addresses;

 private:
  std::size_t papers_;
  std::size_t per_page_;
};

net::FetchOptions scholar_options(const testing::SimulatedSite& site, const TempFolder& folder) {
  net::FetchOptions options;
  options.cache = folder / "cache";
  options.limit = {std::chrono::milliseconds(0), 1};
  options.first_pause = std::chrono::milliseconds(1);
  options.allowed_hosts = {"api.semanticscholar.org"};
  options.guard.gateway = site.gateway();
  return options;
}

TEST(SemanticScholar, IsAskedPageByPage) {
  ScholarServer server(25, 10);
  testing::SimulatedSite site(std::ref(server));
  const TempFolder folder;
  net::Fetcher fetcher(scholar_options(site, folder));
  const std::vector<Listed> entries =
      ask_semantic_scholar(fetcher, "International Conference on Machine Learning", 2019);
  ASSERT_EQ(entries.size(), 25U);
  EXPECT_EQ(entries[24].title, "Plain Paper 24");
  EXPECT_EQ(entries[24].authors, std::vector<std::string>{"Ada Oak"});
  EXPECT_EQ(server.addresses.size(), 5U) << "three pages, two of them tried again after a 429";
  EXPECT_TRUE(
      holds(server.addresses[0], "venue=International%20Conference%20on%20Machine%20Learning&year=2019"))
      << server.addresses[0];
}

TEST(SemanticScholar, ThatFailsIsSaidToFail) {
  testing::SimulatedSite site([](const std::string&, std::size_t, httplib::Response& answer) {
    answer.set_content("{\"message\":\"Forbidden\"}", "application/json");
  });
  const TempFolder folder;
  net::Fetcher fetcher(scholar_options(site, folder));
  EXPECT_THROW((void)ask_semantic_scholar(fetcher, "X", 2019), Error);
}

AggregatorReport report_of(const char* venue, int year, std::size_t matched, std::size_t others,
                           std::size_t missing) {
  AggregatorReport report;
  report.venue = venue;
  report.year = year;
  report.official = matched + missing;
  report.judged.resize(matched + others);
  for (std::size_t i = 0; i < matched; ++i) report.judged[i].match = Match::matched;
  report.listed = report.judged.size();
  report.missing.resize(missing);
  return report;
}

TEST(Discrepancies, AddUpByVenueAndNameTheWorstSettledYear) {
  // By hand: icml 3 + 9 + 1 spurious and 2 + 1 + 50 missing; the newest year does not count as the worst.
  const std::vector<Discrepancy> rows =
      discrepancies({report_of("icml", 2021, 10, 3, 2), report_of("icml", 2022, 10, 9, 1),
                     report_of("icml", 2024, 10, 1, 50), report_of("iclr", 2022, 4, 0, 0)},
                    2024);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].spurious, 13U);
  EXPECT_EQ(rows[0].missing, 53U);
  EXPECT_EQ(rows[0].first_year, 2021);
  EXPECT_EQ(rows[0].last_year, 2024);
  EXPECT_EQ(rows[0].worst_spurious_year, 2022);
  EXPECT_EQ(rows[0].worst_missing_year, 2021);
  EXPECT_EQ(rows[0].worst_missing, 2U);
  EXPECT_EQ(rows[1].worst_missing_year, 0) << "nothing is missing";
}

}  // namespace
}  // namespace mustcite::collect
