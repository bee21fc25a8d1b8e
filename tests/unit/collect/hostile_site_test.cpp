// A venue's site that means harm: what it costs is bounded, and the other papers are collected.
#include <gtest/gtest.h>

#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

std::string entry(const std::string& url, std::size_t paper) {
  return fmt::format(
      "<li><a title='paper title' href='{}'>Paper {}</a><span class=paper-authors>A B</span></li>", url,
      paper);
}
std::string hash_url(const std::string& host, std::size_t paper) {
  return fmt::format("{}/paper_files/paper/2019/hash/{:032}-Abstract.html", host, paper);
}

/// Pages without end, by pieces, until the client hangs up.
class Endless {
 public:
  explicit Endless(std::string piece) : piece_(std::move(piece)) {}
  void serve(httplib::Response& answer) {
    answer.set_chunked_content_provider(
        "application/x-endless", [this](std::size_t, httplib::DataSink& sink) {
          sent += piece_.size();
          // 10 GB and no end: a client that reads on would be here for minutes.
          return sent < std::uint64_t{10} << 30 && sink.write(piece_.data(), piece_.size());
        });
  }
  std::atomic<std::uint64_t> sent{0};

 private:
  std::string piece_;
};

TEST(HostileSite, IsContained) {
  Endless flood(std::string(1 << 16, 'x'));
  enum Paper {
    fine,
    elsewhere,
    loopback,
    metadata,
    local_redirect,
    loop,
    foreign_redirect,
    flooded,
    dripping,
    kPapers
  };
  testing::SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    if (address.ends_with("/paper/2019")) {
      std::string list = "<ul>";
      for (std::size_t i = 0; i < kPapers; ++i) {
        const std::string host = i == elsewhere  ? "https://evil.example"
                                 : i == loopback ? "http://127.0.0.1:22"
                                 : i == metadata ? "http://169.254.169.254"
                                                 : "";
        list += entry(hash_url(host, i), i);
      }
      answer.set_content(list + "</ul>", "text/html");
      return;
    }
    if (holds(address, "/file/")) {
      answer.status = 404;
      return;
    }
    switch (holds(address, "?") ? static_cast<std::size_t>(loop) : paper_in(address, "-Abstract")) {
      case local_redirect:
        answer.set_redirect("http://localhost:8080/admin");
        break;
      case foreign_redirect:
        answer.set_redirect("https://evil.example/x");
        break;
      case loop:
        answer.set_redirect("/again?" + std::to_string(address.size()) + "x");
        break;
      case flooded:
        flood.serve(answer);
        break;
      case dripping:
        answer.set_content_provider(100'000, "text/html",
                                    [](std::size_t, std::size_t, httplib::DataSink& sink) {
                                      // One byte, then nothing for longer than anyone waits.
                                      std::this_thread::sleep_for(std::chrono::milliseconds(300));
                                      return sink.write("<", 1);
                                    });
        break;
      default:
        answer.set_content("<meta name=citation_title content=Fine><h2>Abstract</h2><p>A text.</p>",
                           "text/html");
    }
  });
  Options options;
  options.editions = {{"neurips", 2019, {{Source::neurips, "2019"}}, {}, kPapers, kPapers, ""}};
  const testing::TempFolder folder;
  options.fetch.cache = folder / "cache";
  options.fetch.limit = {std::chrono::milliseconds(0), 4};
  options.fetch.first_pause = std::chrono::milliseconds(1);
  options.fetch.retries = 1;
  options.fetch.max_bytes = 1 << 20;
  options.fetch.slow_for = std::chrono::seconds(1);
  options.fetch.total_timeout = std::chrono::seconds(2);
  options.fetch.guard.gateway = site.gateway();
  store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::create);
  Ledger ledger(folder / "collect.sqlite");
  TrackFilter tracks(folder / "tracks.tsv", "");
  SilentProgress progress;
  const EditionReport report = run(catalog, ledger, tracks, options, progress).editions.at(0);

  EXPECT_EQ(report.listed, static_cast<std::size_t>(kPapers));
  EXPECT_EQ(report.status, Status::incomplete);
  EXPECT_EQ(report.details_read, 1U) << "the one that is fine";
  std::map<std::size_t, std::string> why;
  for (const Problem& problem : report.problems) why[std::stoul(problem.item)] = problem.reason;
  ASSERT_EQ(why.size(), static_cast<std::size_t>(kPapers) - 1);
  EXPECT_EQ(why[elsewhere], "it leads to evil.example, which is no host of the venue");
  EXPECT_EQ(why[loopback], "it leads to 127.0.0.1, which is no host of the venue");
  EXPECT_EQ(why[metadata], "it leads to 169.254.169.254, which is no host of the venue");
  EXPECT_EQ(why[local_redirect], "it leads to localhost, which is no host of the venue");
  EXPECT_EQ(why[foreign_redirect], "it leads to evil.example, which is no host of the venue");
  EXPECT_EQ(why[loop], "more than 5 redirects");
  EXPECT_EQ(why[flooded], "it is larger than 1048576 bytes");
  EXPECT_NE(why[dripping].find("2 attempts"), std::string::npos) << why[dripping];
  EXPECT_LT(flood.sent, std::uint64_t{64} << 20) << "of 10 GB: what fits into the buffers on the way";
  for (const auto& [address, count] : site.by_address()) {
    EXPECT_TRUE(address.starts_with("proceedings.neurips.cc/")) << address << ": only the venue was asked";
    (void)count;
  }
}

}  // namespace
}  // namespace mustcite::collect
