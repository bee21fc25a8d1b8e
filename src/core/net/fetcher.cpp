#include "core/net/fetcher.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/net/url.hpp"

namespace mustcite::net {
namespace {

using std::chrono::milliseconds;

constexpr int kMostRedirects = 5;

std::string key_of(const PageRequest& request) {
  return request.post.empty() ? request.url : request.url + " " + request.post;
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_passing(long status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

/// Half to the whole of a pause that doubles, so that many clients do not come back together.
milliseconds pause_before(int attempt, const FetchOptions& options) {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_real_distribution<double> jitter(0.5, 1.0);
  const milliseconds whole =
      std::min(options.first_pause * (1 << std::clamp(attempt - 1, 0, 10)), options.longest_pause);
  return milliseconds(static_cast<milliseconds::rep>(static_cast<double>(whole.count()) * jitter(random)));
}

/// How long the server asks to be left alone: Retry-After, or, where a 429 has none, the seconds until its
/// budget is renewed (OpenReview).
milliseconds asked_pause(const Exchange& answer) {
  if (answer.retry_after.count() > 0 || answer.status != 429) return answer.retry_after;
  const std::string reset = answer.header("ratelimit-reset");
  int seconds = 0;
  std::from_chars(reset.data(), reset.data() + reset.size(), seconds);
  return std::chrono::seconds(std::clamp(seconds, 0, 1'000'000));
}

Page failed(PageEnd end, std::string problem) {
  Page page;
  page.end = end;
  page.problem = std::move(problem);
  return page;
}

Page from_cached(CachedPage&& cached) {
  Page page;
  page.url = std::move(cached.final_url);
  page.type = std::move(cached.type);
  page.body = std::move(cached.body);
  page.fetched_at = std::move(cached.fetched_at);
  page.from_cache = true;
  return page;
}

/// What an answer means, when another attempt would not help; nothing when it might.
std::optional<Page> verdict(const PageRequest& request, Exchange& answer, std::uint64_t max_bytes,
                            Page& passing) {
  if (answer.too_large) return failed(PageEnd::too_large, answer.problem);
  if (answer.refused_address) return failed(PageEnd::forbidden, answer.problem);
  if (answer.end == HttpEnd::permanent) return failed(PageEnd::unavailable, answer.problem);
  if (answer.end == HttpEnd::passing) {
    passing = failed(PageEnd::unavailable, answer.problem);
    return std::nullopt;
  }
  const std::string said = fmt::format("the server answered {}", answer.status);
  if (answer.status == 404 || answer.status == 410) return failed(PageEnd::missing, said);
  if (answer.status == 401 || answer.status == 403) {
    if (is_challenge(answer.body)) return failed(PageEnd::challenge, said + " and wants to see a person");
    return failed(PageEnd::refused, said);
  }
  if (is_passing(answer.status)) {
    passing = failed(PageEnd::unavailable, said);
    return std::nullopt;
  }
  if (answer.status != 200) return failed(PageEnd::refused, said);
  std::optional<std::string> body = undo_hidden_gzip(std::move(answer.body), max_bytes);
  if (!body) {
    passing = failed(PageEnd::wrong, "the answer is a damaged gzip stream");
    return std::nullopt;
  }
  if (is_challenge(*body)) {
    passing = failed(PageEnd::challenge, "the site wants to see a person before it answers");
    return std::nullopt;
  }
  if (const auto wrong = wrong_content(request.expect, answer.header("content-type"), *body)) {
    passing = failed(PageEnd::wrong, *wrong);
    return std::nullopt;
  }
  Page page;
  page.body = std::move(*body);
  page.type = answer.header("content-type");
  return page;
}

}  // namespace

const char* page_end_name(PageEnd end) noexcept {
  switch (end) {
    case PageEnd::ok:
      return "ok";
    case PageEnd::missing:
      return "missing";
    case PageEnd::refused:
      return "refused";
    case PageEnd::robots:
      return "robots";
    case PageEnd::challenge:
      return "challenge";
    case PageEnd::wrong:
      return "wrong content";
    case PageEnd::forbidden:
      return "forbidden";
    case PageEnd::too_large:
      return "too large";
    case PageEnd::unavailable:
      return "unavailable";
    case PageEnd::absent:
      break;
  }
  return "absent";
}

/// A connection taken from those that are idle, and given back.
class Fetcher::Borrowed {
 public:
  explicit Borrowed(Fetcher& fetcher) : fetcher_(fetcher) {
    const std::lock_guard lock(fetcher.mutex_);
    if (fetcher.idle_.empty()) {
      connection_.emplace();
    } else {
      connection_ = std::move(fetcher.idle_.back());
      fetcher.idle_.pop_back();
    }
  }
  ~Borrowed() {
    const std::lock_guard lock(fetcher_.mutex_);
    fetcher_.idle_.push_back(std::move(*connection_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Connection& operator*() { return *connection_; }

 private:
  Fetcher& fetcher_;
  std::optional<Connection> connection_;
};

Fetcher::Fetcher(FetchOptions options)
    : options_(std::move(options)),
      user_agent_(options_.product + "/" + options_.version +
                  (options_.contact.empty() ? "" : " (+" + options_.contact + ")")),
      cache_(options_.cache, 4 * options_.max_bytes),
      pace_(options_.limit) {
  if (!options_.from_dir.empty()) saved_.emplace(options_.from_dir);
  for (const auto& [host, limit] : options_.host_limits) pace_.limit(host, limit);
}

Page Fetcher::get(const PageRequest& request) {
  if (saved_) {
    std::optional<std::string> body = saved_->find(request.url);
    if (!body) return failed(PageEnd::absent, "it is not among the saved pages");
    body = undo_hidden_gzip(std::move(*body), options_.max_bytes);
    if (!body) return failed(PageEnd::wrong, "the saved page is a damaged gzip stream");
    if (is_challenge(*body)) return failed(PageEnd::challenge, "the saved page only asks for a person");
    if (const auto wrong = wrong_content(request.expect, "", *body)) return failed(PageEnd::wrong, *wrong);
    Page page;
    page.url = request.url;
    page.body = std::move(*body);
    page.from_cache = true;
    return page;
  }
  std::optional<CachedPage> known;
  if (!request.unkept) known = cache_.find(key_of(request));
  const bool settled = !request.may_change && !options_.refresh;
  if (known && (options_.offline || settled)) {
    ++from_cache_;
    return from_cached(std::move(*known));
  }
  if (options_.offline) return failed(PageEnd::absent, "it is not in the cache, and this is an offline run");
  Page page = fetch(request, known);
  if (!page.ok() || page.from_cache) return page;
  page.fetched_at = now_text();
  return page;
}

void Fetcher::forget(const PageRequest& request) {
  cache_.forget(key_of(request));
}

bool Fetcher::has(const PageRequest& request) const {
  if (saved_) return saved_->find(request.url).has_value();
  return cache_.find(key_of(request)).has_value();
}

FetchCounts Fetcher::counts() const {
  return {requests_, bytes_, retries_, unchanged_, from_cache_};
}

Page Fetcher::fetch(const PageRequest& request, const std::optional<CachedPage>& known) {
  std::string url = request.url;
  for (int hop = 0; hop <= kMostRedirects; ++hop) {
    if (std::optional<Page> stopped = refusal(url)) return std::move(*stopped);
    Page page = attempt(request, url, known);
    if (page.ok() || page.end != PageEnd::refused || page.url.empty()) return page;
    // Only a redirect comes back refused with the address it leads to.
    url = page.url;
  }
  return failed(PageEnd::forbidden, fmt::format("more than {} redirects", kMostRedirects));
}

std::optional<Page> Fetcher::refusal(const std::string& url) {
  const std::optional<Url> parsed = parse_url(url);
  if (!parsed) return failed(PageEnd::forbidden, "it leads to an address that is none");
  if (!is_allowed(parsed->host)) {
    return failed(PageEnd::forbidden,
                  fmt::format("it leads to {}, which is no host of the venue", parsed->host));
  }
  return stopped_by_robots(url);
}

Page Fetcher::attempt(const PageRequest& request, const std::string& url,
                      const std::optional<CachedPage>& known) {
  const std::string host = parse_url(url)->authority();
  Page passing;
  for (int attempt = 1;; ++attempt) {
    Exchange answer = send(request, url, known);
    if (answer.end == HttpEnd::complete && answer.status == 304 && known) {
      ++unchanged_;
      Page page = from_cached(CachedPage(*known));
      page.attempts = attempt;
      return page;
    }
    if (answer.end == HttpEnd::complete && is_redirect(answer.status)) {
      Page page = failed(PageEnd::refused, "it redirects to nowhere");
      page.url = resolve(url, answer.header("location")).value_or("");
      return page;
    }
    if (std::optional<Page> page = verdict(request, answer, options_.max_bytes, passing)) {
      page->attempts = attempt;
      if (!page->ok()) return std::move(*page);
      page->url = url;
      if (request.unkept) return std::move(*page);
      cache_.put(key_of(request), {request.url, url, page->type, answer.header("etag"),
                                   answer.header("last-modified"), now_text(), page->body});
      return std::move(*page);
    }
    passing.attempts = attempt;
    const milliseconds asked = asked_pause(answer);
    if (asked > options_.longest_pause) {
      passing.problem += fmt::format(" and asks to come back in {} s", asked.count() / 1000);
      return passing;
    }
    if (attempt > options_.retries) {
      passing.problem += fmt::format(" ({} attempts)", attempt);
      return passing;
    }
    ++retries_;
    const milliseconds pause = std::max(pause_before(attempt, options_), asked);
    // A server that is overrun, or suspicious, is left alone by every thread.
    const bool spare = answer.status == 429 || answer.status == 503 || passing.end == PageEnd::challenge;
    if (spare) {
      pace_.postpone(host, pause);
    } else {
      rest(pause);
    }
  }
}

Exchange Fetcher::send(const PageRequest& request, const std::string& url,
                       const std::optional<CachedPage>& known) {
  ExchangeRequest exchange;
  exchange.url = url;
  exchange.post = request.post;
  exchange.user_agent = user_agent_;
  exchange.max_bytes = options_.max_bytes;
  exchange.slow_for = options_.slow_for;
  exchange.total_timeout = options_.total_timeout;
  exchange.guard = options_.guard;
  // Tokens are for the host they were made for, not for one that it redirects to.
  const bool same_host = parse_url(url)->host == parse_url(request.url)->host;
  if (same_host) exchange.headers = request.headers;
  if (!request.post.empty()) exchange.headers.emplace_back("Content-Type: application/json");
  if (known && known->final_url == url) {
    if (!known->etag.empty()) exchange.headers.push_back("If-None-Match: " + known->etag);
    if (known->etag.empty() && !known->modified.empty())
      exchange.headers.push_back("If-Modified-Since: " + known->modified);
  }
  const Pace::Turn turn = pace_.wait(parse_url(url)->authority());
  Borrowed connection(*this);
  ++requests_;
  Exchange answer = (*connection).exchange(exchange);
  bytes_ += answer.body.size();
  return answer;
}

std::optional<Page> Fetcher::stopped_by_robots(const std::string& url) {
  const Url parsed = *parse_url(url);
  if (parsed.path == "/robots.txt") return std::nullopt;
  Site* site = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = sites_[parsed.authority()];
    if (entry == nullptr) entry = std::make_unique<Site>();
    site = entry.get();
  }
  std::call_once(site->asked, [&] {
    PageRequest request;
    request.url = *resolve(url, "/robots.txt");
    request.expect = Expect::text;
    const Page page = attempt(request, request.url, std::nullopt);
    // RFC 9309: what is not there forbids nothing; a server that fails forbids everything for now.
    const bool unreachable = page.end == PageEnd::unavailable || page.end == PageEnd::forbidden;
    if (unreachable) {
      site->problem = page.problem;
    } else {
      site->robots = page.ok() ? Robots(page.body, options_.product) : Robots();
    }
    if (site->robots && site->robots->crawl_delay()) {
      HostLimit limit = pace_.limit(parsed.authority());
      limit.interval = std::max(limit.interval, *site->robots->crawl_delay());
      limit.concurrency = 1;
      if (limit.interval <= options_.longest_crawl_delay) pace_.limit(parsed.authority(), limit);
    }
  });
  if (!site->robots)
    return failed(PageEnd::unavailable, "the robots.txt of the site cannot be read: " + site->problem);
  if (const auto delay = site->robots->crawl_delay(); delay && *delay > options_.longest_crawl_delay) {
    return failed(
        PageEnd::robots,
        fmt::format("the site's robots.txt asks for {} s between two requests: save its pages by hand "
                    "and use --from-dir",
                    delay->count() / 1000));
  }
  if (!site->robots->allows(parsed.target()))
    return failed(PageEnd::robots, "the site's robots.txt asks not to fetch it");
  return std::nullopt;
}

void Fetcher::rest(milliseconds pause) const {
  const auto end = Pace::Clock::now() + pause;
  for (auto now = Pace::Clock::now(); now < end; now = Pace::Clock::now()) {
    stop_if_interrupted();
    std::this_thread::sleep_for(std::min<Pace::Clock::duration>(end - now, milliseconds(50)));
  }
}

}  // namespace mustcite::net
