// The fetcher against servers on this machine that behave well, badly, and with bad intent.
#include "core/net/fetcher.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <memory>

#include "testing/temp_folder.hpp"
#include "unit/net/scripted_server.hpp"

namespace mustcite::net {
namespace {

using std::chrono::milliseconds;
using testing::ScriptedServer;
using testing::TempFolder;

std::string answer(int status, const std::string& body,
                   const std::string& headers = "Content-Type: text/html\r\n") {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

const std::string kPage = "<html><title>Papers</title><p>page</p></html>";

/// A site at http://site.example, played by a script; robots.txt is absent unless the script answers it.
class FetcherTest : public ::testing::Test {
 protected:
  using Script = std::function<std::string(const std::string& request, std::size_t number)>;

  void serve(Script script, const std::string& robots = "") {
    server_ = std::make_unique<ScriptedServer>(
        [this, script = std::move(script), robots](const std::string& request, std::size_t) {
          if (request.starts_with("GET /robots.txt "))
            return robots.empty() ? answer(404, "none") : answer(200, robots, "Content-Type: text/plain\r\n");
          last_request_ = request;
          return script(request, pages_++);
        });
  }
  FetchOptions options() {
    FetchOptions made;
    made.cache = folder_ / "cache";
    made.limit = {milliseconds(1), 4};
    made.allowed_hosts = {"site.example", "files.example"};
    made.first_pause = milliseconds(1);
    made.contact = "someone@example.org";
    if (server_) made.guard.gateway = server_->url("").substr(7);
    made.guard.public_only = true;
    return made;
  }
  static PageRequest request(const std::string& path = "/a") {
    PageRequest made;
    made.url = "https://site.example" + path;
    return made;
  }
  Page get(const PageRequest& wanted = request()) { return Fetcher(options()).get(wanted); }
  Page get(FetchOptions made, const PageRequest& wanted = request()) {
    return Fetcher(std::move(made)).get(wanted);
  }

  TempFolder folder_;
  std::unique_ptr<ScriptedServer> server_;
  std::size_t pages_ = 0;
  std::string last_request_;
};

TEST_F(FetcherTest, FetchesOnceAndReplaysOffline) {
  serve([](const std::string&, std::size_t) { return answer(200, kPage); });
  const Page first = get();
  ASSERT_TRUE(first.ok()) << first.problem;
  EXPECT_EQ(first.body, kPage);
  EXPECT_NE(last_request_.find("Host: site.example\r\n"), std::string::npos);
  EXPECT_NE(last_request_.find("User-Agent: mustcite/0.1 (+someone@example.org)\r\n"), std::string::npos);
  EXPECT_EQ(last_request_.find("Cookie"), std::string::npos);
  EXPECT_TRUE(get().from_cache);
  FetchOptions offline = options();
  offline.offline = true;
  EXPECT_EQ(get(offline).body, kPage);
  EXPECT_EQ(get(offline, request("/b")).end, PageEnd::absent);
  EXPECT_EQ(pages_, 1U);
}

TEST_F(FetcherTest, AsksForListsAgainConditionally) {
  serve([](const std::string& sent, std::size_t) {
    return sent.find("If-None-Match: \"v1\"") != std::string::npos
               ? answer(304, "")
               : answer(200, kPage, "ETag: \"v1\"\r\nContent-Type: text/html\r\n");
  });
  PageRequest list = request();
  list.may_change = true;
  Fetcher fetcher(options());
  EXPECT_FALSE(fetcher.get(list).from_cache);
  EXPECT_EQ(fetcher.get(list).body, kPage);
  EXPECT_EQ(fetcher.counts().unchanged, 1U);
  EXPECT_EQ(pages_, 2U);
}

TEST_F(FetcherTest, TriesAgainAfterPassingFailuresOnly) {
  serve([](const std::string&, std::size_t number) {
    if (number == 0) return answer(503, "busy", "Retry-After: 0\r\n");
    if (number == 1) return answer(200, "");
    if (number == 2) return answer(200, "<title>Just a moment...</title>");
    if (number == 3) return answer(429, "slow down");
    return answer(200, kPage);
  });
  const Page page = get();
  EXPECT_TRUE(page.ok()) << page.problem;
  EXPECT_EQ(page.attempts, 5);
  serve([](const std::string&, std::size_t) { return answer(404, "gone"); });
  pages_ = 0;
  EXPECT_EQ(get(request("/gone")).end, PageEnd::missing);
  EXPECT_EQ(pages_, 1U);
}

TEST_F(FetcherTest, NamesWhatIsNoSuccessAlthoughItSays200) {
  std::string body;
  std::string headers = "Content-Type: text/html\r\n";
  serve([&](const std::string&, std::size_t) { return answer(200, body, headers); });
  FetchOptions impatient = options();
  impatient.retries = 1;
  body = "<html><title>Verifying your browser | Site</title></html>";
  EXPECT_EQ(get(impatient).end, PageEnd::challenge);
  body = "   ";
  EXPECT_EQ(get(impatient).end, PageEnd::wrong);
  body = "%PDF-1.4 x";
  EXPECT_EQ(get(impatient).end, PageEnd::wrong);
  PageRequest json = request();
  json.expect = Expect::json;
  body = kPage;
  EXPECT_EQ(get(impatient, json).end, PageEnd::wrong);
  body = "{\"notes\":[]}";
  EXPECT_TRUE(get(impatient, json).ok());
}

TEST_F(FetcherTest, UndoesGzipThatWasNotDeclared) {
  std::string packed(200, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(kPage.data()));
  stream.avail_in = static_cast<uInt>(kPage.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  serve([&](const std::string&, std::size_t) { return answer(200, packed); });
  EXPECT_EQ(get().body, kPage);
}

/// A brotli stream of one uncompressed block, by RFC 7932: window bits "0", not the last block, four nibbles
/// of length less one, "uncompressed"; the bytes; an empty last block.
std::string brotli_of(const std::string& text) {
  const std::uint32_t head = static_cast<std::uint32_t>(text.size() - 1) << 4 | 1U << 20;
  std::string stream;
  for (int byte = 0; byte < 3; ++byte) stream.push_back(static_cast<char>(head >> (8 * byte)));
  return stream + text + "\x03";
}

TEST_F(FetcherTest, UndoesBrotliAndOffersIt) {
  serve([](const std::string&, std::size_t) {
    return answer(200, brotli_of(kPage), "Content-Type: text/html\r\nContent-Encoding: br\r\n");
  });
  EXPECT_EQ(get().body, kPage);
  const std::size_t offer = last_request_.find("Accept-Encoding: ");
  ASSERT_NE(offer, std::string::npos);
  const std::string offered = last_request_.substr(offer, last_request_.find('\r', offer) - offer);
  EXPECT_NE(offered.find("gzip"), std::string::npos) << offered;
  EXPECT_NE(offered.find("br"), std::string::npos) << offered;
}

TEST_F(FetcherTest, KnowsWhenABudgetIsRenewed) {
  serve([](const std::string&, std::size_t) {
    return answer(429, "", "ratelimit-remaining: 0\r\nratelimit-reset: 3000\r\n");
  });
  const Page page = get();
  EXPECT_EQ(page.end, PageEnd::unavailable);
  EXPECT_NE(page.problem.find("3000 s"), std::string::npos) << page.problem;
  EXPECT_EQ(pages_, 1U) << "longer than anyone waits: not asked again";
}

TEST_F(FetcherTest, HonoursRobots) {
  serve([](const std::string&, std::size_t) { return answer(200, kPage); },
        "User-agent: *\nDisallow: /private\n");
  EXPECT_EQ(get(request("/private/a")).end, PageEnd::robots);
  EXPECT_EQ(pages_, 0U);
  EXPECT_TRUE(get(request("/public")).ok());
  serve([](const std::string&, std::size_t) { return answer(200, kPage); },
        "User-agent: *\nCrawl-delay: 43200\n");
  const Page page = get(request("/slow"));
  EXPECT_EQ(page.end, PageEnd::robots);
  EXPECT_NE(page.problem.find("--from-dir"), std::string::npos);
}

TEST_F(FetcherTest, FollowsRedirectsOnlyToHostsOfTheVenue) {
  serve([](const std::string& sent, std::size_t) {
    if (sent.starts_with("GET /a ")) return answer(301, "", "Location: https://files.example/b\r\n");
    if (sent.starts_with("GET /b ")) return answer(200, kPage);
    if (sent.starts_with("GET /out ")) return answer(302, "", "Location: http://elsewhere.example/x\r\n");
    if (sent.starts_with("GET /file ")) return answer(302, "", "Location: file:///etc/passwd\r\n");
    return answer(302, "", "Location: /loop?" + std::to_string(sent.size()) + "x\r\n");
  });
  EXPECT_EQ(get(request("/a")).url, "https://files.example/b");
  EXPECT_EQ(get(request("/out")).end, PageEnd::forbidden);
  EXPECT_NE(get(request("/file")).end, PageEnd::ok);
  pages_ = 0;
  EXPECT_EQ(get(request("/loop")).end, PageEnd::forbidden) << "redirects without end";
  EXPECT_EQ(pages_, 6U);
  PageRequest foreign;
  foreign.url = "http://elsewhere.example/";
  EXPECT_EQ(get(foreign).end, PageEnd::forbidden);
}

TEST_F(FetcherTest, KeepsTokensFromOtherHosts) {
  serve([](const std::string& sent, std::size_t) {
    return sent.starts_with("GET /a ") ? answer(302, "", "Location: https://files.example/b\r\n")
                                       : answer(200, kPage);
  });
  PageRequest secret = request("/a");
  secret.headers = {"Authorization: Bearer key"};
  EXPECT_TRUE(get(secret).ok());
  EXPECT_EQ(last_request_.find("Authorization"), std::string::npos)
      << "the redirected request carries no token";
}

TEST_F(FetcherTest, RefusesBodiesBeyondTheLimitWhateverIsAnnounced) {
  FetchOptions small = options();
  serve([](const std::string& sent, std::size_t) {
    if (sent.starts_with("GET /announced "))
      return std::string("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nx");
    std::string endless = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    return endless + std::string(3 << 20, 'x');
  });
  small = options();
  small.max_bytes = 1 << 20;
  EXPECT_EQ(get(small, request("/announced")).end, PageEnd::too_large);
  EXPECT_EQ(get(small, request("/endless")).end, PageEnd::too_large);
}

TEST_F(FetcherTest, LeavesAServerThatDrips) {
  // Announces more than it ever sends: for the client the longest drip of all.
  serve([](const std::string&, std::size_t) {
    return std::string("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n<html>");
  });
  FetchOptions brief = options();
  brief.retries = 0;
  brief.slow_for = std::chrono::seconds(1);
  brief.total_timeout = std::chrono::seconds(3);
  EXPECT_EQ(get(brief).end, PageEnd::unavailable);
}

TEST_F(FetcherTest, NeverConnectsToThisMachineOrItsNetwork) {
  serve([](const std::string&, std::size_t) { return answer(200, kPage); });
  FetchOptions direct = options();
  direct.guard.gateway.clear();
  direct.retries = 0;
  direct.allowed_hosts = {"127.0.0.1", "localhost"};
  PageRequest local;
  local.url = server_->url("/admin");
  const Page page = get(direct, local);
  EXPECT_NE(page.end, PageEnd::ok);
  EXPECT_NE(page.problem.find("public internet"), std::string::npos) << page.problem;
  EXPECT_EQ(server_->requests(), 0U);
}

TEST_F(FetcherTest, GivesUpWhenAskedToWaitTooLong) {
  serve([](const std::string&, std::size_t) { return answer(429, "", "Retry-After: 86400\r\n"); });
  const Page page = get();
  EXPECT_EQ(page.end, PageEnd::unavailable);
  EXPECT_NE(page.problem.find("86400 s"), std::string::npos);
  EXPECT_EQ(pages_, 1U);
}

TEST_F(FetcherTest, KeepsNoAnswerThatIsASecret) {
  serve([](const std::string&, std::size_t) {
    return answer(200, "{\"token\":\"t\"}", "Content-Type: application/json\r\n");
  });
  PageRequest login = request("/login");
  login.expect = Expect::json;
  login.post = "{\"password\":\"p\"}";
  login.unkept = true;
  EXPECT_TRUE(get(login).ok());
  EXPECT_NE(last_request_.find("POST /login"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache") && !std::filesystem::is_empty(folder_ / "cache"))
      << "nothing was written";
}

TEST_F(FetcherTest, ReadsPagesSavedByHand) {
  const auto saved = folder_ / "saved";
  std::filesystem::create_directories(saved / "site.example" / "dir");
  std::ofstream(saved / "site.example" / "list.php?y=1") << kPage;
  std::ofstream(saved / "site.example" / "dir" / "index.html") << kPage;
  std::ofstream(saved / "my copy.html") << kPage;
  std::ofstream(saved / "pages.tsv") << "# file\taddress\nmy copy.html\thttps://site.example/other\n";
  FetchOptions made = options();
  made.from_dir = saved;
  for (const char* path : {"/list.php?y=1", "/dir/", "/dir", "/other"})
    EXPECT_TRUE(get(made, request(path)).ok()) << path;
  for (const char* path : {"/list.php", "/../saved/pages.tsv", "/%2e%2e/x"})
    EXPECT_EQ(get(made, request(path)).end, PageEnd::absent) << path;
}

}  // namespace
}  // namespace mustcite::net
