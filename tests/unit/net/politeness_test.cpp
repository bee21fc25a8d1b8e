// robots.txt, addresses, the cache's files and the pace.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/net/address.hpp"
#include "core/net/pace.hpp"
#include "core/net/page_cache.hpp"
#include "core/net/robots.hpp"
#include "core/net/url.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::net {
namespace {

using testing::TempFolder;

TEST(RobotsTxt, TakesItsOwnGroupElseEverybodys) {
  const char* text =
      "User-agent: other\nUser-agent: MustCite\nDisallow: /a\nCrawl-delay: 2.5\n\nUser-agent: *\nDisallow: "
      "/\n";
  const Robots ours(text, "mustcite");
  EXPECT_FALSE(ours.allows("/a/b"));
  EXPECT_TRUE(ours.allows("/b"));
  EXPECT_EQ(ours.crawl_delay(), std::chrono::milliseconds(2500));
  EXPECT_FALSE(Robots(text, "nobody").allows("/b"));
  EXPECT_TRUE(Robots(text, "nobody").allows("/robots.txt"));
  EXPECT_TRUE(Robots("", "mustcite").allows("/x"));
}

// The examples of RFC 9309, section 5.2 and 2.2.2.
TEST(RobotsTxt, LetsTheLongestMatchDecide) {
  const Robots longest("User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "x");
  EXPECT_TRUE(longest.allows("/example/page/a.html"));
  EXPECT_FALSE(longest.allows("/example/page/disallowed.gif"));
  const Robots wild("User-agent: *\nDisallow: *.gif$\nAllow: /publications/\nDisallow: /*?x=\n", "x");
  EXPECT_FALSE(wild.allows("/a/b.gif"));
  EXPECT_TRUE(wild.allows("/a/b.gif?"));
  EXPECT_FALSE(wild.allows("/p?x=1"));
  const Robots equal("User-agent: *\nDisallow: /a\nAllow: /a\n", "x");
  EXPECT_TRUE(equal.allows("/a")) << "of equal rules the permission";
  EXPECT_FALSE(Robots("User-agent: *\nDisallow: /%66oo\n", "x").allows("/foo")) << "escapes are one path";
  EXPECT_TRUE(Robots("User-agent: *\nDisallow:\n", "x").allows("/a")) << "an empty rule forbids nothing";
}

TEST(RobotsTxt, IsReadInLinearTime) {
  std::string stars;
  for (int i = 0; i < 2000; ++i) stars += "*a";
  const Robots robots("User-agent: *\nDisallow: /" + stars + "\n", "x");
  EXPECT_TRUE(robots.allows("/" + std::string(1000, 'a')));
}

TEST(Address, KnowsWhatIsNotTheInternet) {
  for (const char* ip : {"127.0.0.1",
                         "10.1.2.3",
                         "172.16.0.1",
                         "192.168.1.1",
                         "169.254.169.254",
                         "100.64.0.1",
                         "0.0.0.0",
                         "224.0.0.1",
                         "255.255.255.255",
                         "198.18.0.1",
                         "192.0.2.1",
                         "::1",
                         "::",
                         "fe80::1",
                         "fc00::1",
                         "fd12::1",
                         "ff02::1",
                         "::ffff:127.0.0.1",
                         "::ffff:10.0.0.1",
                         "64:ff9b::7f00:1",
                         "2002:7f00:1::",
                         "2001:db8::1",
                         "not an address",
                         ""})
    EXPECT_FALSE(is_public_address(ip)) << ip;
  for (const char* ip :
       {"8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "::ffff:8.8.8.8"})
    EXPECT_TRUE(is_public_address(ip)) << ip;
}

TEST(UrlParts, AreResolvedAsBrowsersDo) {
  const char* base = "https://a.example/papers/v1/index.html?q=1";
  EXPECT_EQ(resolve(base, "x.html"), "https://a.example/papers/v1/x.html");
  EXPECT_EQ(resolve(base, "/y"), "https://a.example/y");
  EXPECT_EQ(resolve(base, "../z.pdf"), "https://a.example/papers/z.pdf");
  EXPECT_EQ(resolve(base, " http://B.example/c d#e "), "http://b.example/c%20d");
  EXPECT_EQ(resolve(base, "//c.example/x"), "https://c.example/x");
  EXPECT_FALSE(resolve(base, "mailto:a@b.c"));
  EXPECT_FALSE(resolve(base, "javascript:void(0)"));
  EXPECT_FALSE(resolve(base, ""));
  EXPECT_FALSE(parse_url("ftp://a.example/"));
  for (const char* hollow : {"//..", "//.", "http://a..b/", "http://.a.example/"})
    EXPECT_FALSE(resolve(base, hollow)) << hollow;
  EXPECT_EQ(resolve(base, "//c.example./x"), "https://c.example/x") << "the root's dot";
  EXPECT_EQ(parse_url("http://User:pw@A.example:8080/x")->text(), "http://a.example:8080/x")
      << "no password in messages";
}

TEST(PageCache, GivesBackWhatWasPutAndNothingDamaged) {
  const TempFolder folder;
  PageCache cache(folder / "cache");
  const std::string key = "https://a.example/x";
  EXPECT_FALSE(cache.find(key));
  CachedPage page;
  page.url = key;
  page.etag = "\"1\"";
  page.body = std::string("a\0b\n", 4) + std::string(100000, 'x');
  cache.put(key, page);
  ASSERT_TRUE(cache.find(key));
  EXPECT_EQ(cache.find(key)->body, page.body);
  EXPECT_EQ(cache.find(key)->etag, "\"1\"");
  EXPECT_FALSE(cache.find(key + " post"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "cache")) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() - 3);
  }
  EXPECT_FALSE(cache.find(key));
  cache.put(key, page);
  cache.forget(key);
  EXPECT_FALSE(cache.find(key));
}

TEST(Pace, KeepsRequestsApartAndFew) {
  Pace pace({std::chrono::milliseconds(5), 2});
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  const auto begin = Pace::Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Pace::Turn turn = pace.wait("a.example");
      const int now = ++running;
      int before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  // Eight starts have at least seven intervals between them, however slow the machine is.
  EXPECT_GE(Pace::Clock::now() - begin, std::chrono::milliseconds(35));
}

}  // namespace
}  // namespace mustcite::net
