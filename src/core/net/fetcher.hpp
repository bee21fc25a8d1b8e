#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/net/answer_checks.hpp"
#include "core/net/exchange.hpp"
#include "core/net/pace.hpp"
#include "core/net/page_cache.hpp"
#include "core/net/robots.hpp"
#include "core/net/saved_pages.hpp"

namespace mustcite::net {

struct FetchOptions {
  std::filesystem::path cache;     ///< where pages are kept
  std::filesystem::path from_dir;  ///< pages saved by the user are read instead of the network
  bool offline = false;            ///< what is not in the cache is missing; nothing is sent
  bool refresh = false;            ///< every page is asked for again (conditionally), not only lists
  std::string product = "mustcite";
  std::string version = "0.1";
  std::string contact;  ///< an address at which the operator of a site can reach the user
  HostLimit limit;      ///< of hosts without an entry of their own
  std::map<std::string, HostLimit> host_limits;
  std::set<std::string> allowed_hosts;  ///< where requests and redirects may lead
  int retries = 5;
  std::chrono::milliseconds first_pause{1000};
  std::chrono::milliseconds longest_pause{120000};
  /// A site that asks for longer pauses than this is left to pages saved by hand.
  std::chrono::milliseconds longest_crawl_delay{60000};
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
  std::chrono::seconds slow_for{30};
  std::chrono::seconds total_timeout{300};
  Guard guard;
};

struct PageRequest {
  std::string url;
  Expect expect = Expect::html;
  bool may_change = false;           ///< lists: asked for again, with If-None-Match, although kept
  bool unkept = false;               ///< never written to the cache: the answer is a secret
  std::string post;                  ///< body of a POST (JSON)
  std::vector<std::string> headers;  ///< e.g. a token; never kept
};

enum class PageEnd {
  ok,
  missing,      ///< 404, 410
  refused,      ///< 401, 403 and other answers that another attempt does not change
  robots,       ///< the site does not want this page (or not so often) fetched
  challenge,    ///< the site wants to see a person
  wrong,        ///< empty or another kind of content
  forbidden,    ///< leads to a host or an address where a crawl has no business, or redirects without end
  too_large,    ///< larger than the limit
  unavailable,  ///< the network or the server failed until patience ended
  absent        ///< offline, or from a folder: it is not there
};

/// `ok`, `missing`, `refused`, …
[[nodiscard]] const char* page_end_name(PageEnd end) noexcept;

struct Page {
  PageEnd end = PageEnd::ok;
  std::string url;  ///< after redirects
  std::string type;
  std::string body;
  std::string problem;  ///< in words, unless ok
  std::string fetched_at;
  bool from_cache = false;
  int attempts = 0;

  [[nodiscard]] bool ok() const noexcept { return end == PageEnd::ok; }
};

struct FetchCounts {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::uint64_t retries = 0;
  std::uint64_t unchanged = 0;  ///< 304
  std::uint64_t from_cache = 0;
};

/// Fetches pages of a few known hosts, politely: limits and robots.txt of each host, a cache, retries with
/// jitter and Retry-After. One bad page is a value, not an exception. Thread-safe.
class Fetcher {
 public:
  explicit Fetcher(FetchOptions options);

  /// Throws only `interrupted`, `exhausted` (disk full) and `internal`.
  [[nodiscard]] Page get(const PageRequest& request);
  /// Drops a page from the cache: what it holds turned out to be no good.
  void forget(const PageRequest& request);
  /// Whether `get` would need the network.
  [[nodiscard]] bool has(const PageRequest& request) const;

  /// Why an address may not be asked for: its host is none of the venue's, or its robots.txt says no.
  [[nodiscard]] std::optional<Page> refusal(const std::string& url);

  [[nodiscard]] FetchCounts counts() const;
  [[nodiscard]] const FetchOptions& options() const noexcept { return options_; }
  [[nodiscard]] Pace& pace() noexcept { return pace_; }
  [[nodiscard]] const std::string& user_agent() const noexcept { return user_agent_; }
  [[nodiscard]] bool is_allowed(const std::string& host) const {
    return options_.allowed_hosts.contains(host);
  }

 private:
  class Borrowed;
  Page fetch(const PageRequest& request, const std::optional<CachedPage>& known);
  Page attempt(const PageRequest& request, const std::string& url, const std::optional<CachedPage>& known);
  std::optional<Page> stopped_by_robots(const std::string& url);
  Exchange send(const PageRequest& request, const std::string& url, const std::optional<CachedPage>& known);
  void rest(std::chrono::milliseconds pause) const;

  FetchOptions options_;
  std::string user_agent_;
  PageCache cache_;
  std::optional<SavedPages> saved_;
  Pace pace_;
  std::mutex mutex_;
  std::vector<Connection> idle_;
  struct Site {
    std::once_flag asked;
    std::optional<Robots> robots;  ///< nothing: the site could not be asked
    std::string problem;
  };
  std::map<std::string, std::unique_ptr<Site>> sites_;
  std::atomic<std::uint64_t> requests_{0}, bytes_{0}, retries_{0}, unchanged_{0}, from_cache_{0};
};

}  // namespace mustcite::net
