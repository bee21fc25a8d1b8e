#include "core/net/http_pool.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/net/curl_start.hpp"

namespace mustcite::net {
namespace {

/// One request on its way, and what has come back so far.
struct Exchange {
  PostRequest request;
  PostResult result;
  curl_slist* headers = nullptr;
  std::size_t max_body_bytes = 0;

  ~Exchange() { curl_slist_free_all(headers); }
};

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* exchange) {
  auto& to = *static_cast<Exchange*>(exchange);
  if (to.result.body.size() + size * count > to.max_body_bytes) return 0;
  to.result.body.append(bytes, size * count);
  return size * count;
}

}  // namespace

struct HttpPool::Impl {
  CURLM* multi = nullptr;
  std::size_t max_body_bytes = 0;
  std::unordered_map<CURL*, std::unique_ptr<Exchange>> running;
  std::vector<CURL*> idle;

  CURL* handle() {
    if (idle.empty()) {
      CURL* made = curl_easy_init();
      if (made == nullptr) fail(ErrorCode::exhausted, "cannot start another HTTP request: out of memory");
      return made;
    }
    CURL* taken = idle.back();
    idle.pop_back();
    return taken;
  }

  void collect(std::vector<PostResult>& ended) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto found = running.find(easy);
      PostResult result = std::move(found->second->result);
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &result.status);
      curl_off_t seconds = 0;
      if (curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
        result.retry_after = std::chrono::seconds(std::clamp<curl_off_t>(seconds, 0, 86400));
      if (code != CURLE_OK) {
        result.problem = curl_easy_strerror(code);
        result.timed_out = code == CURLE_OPERATION_TIMEDOUT;
      }
      ended.push_back(std::move(result));
      curl_multi_remove_handle(multi, easy);
      running.erase(found);
      curl_easy_reset(easy);
      idle.push_back(easy);
    }
  }
};

HttpPool::HttpPool(std::size_t max_body_bytes) : impl_(std::make_unique<Impl>()) {
  start_curl();
  impl_->multi = curl_multi_init();
  if (impl_->multi == nullptr) fail(ErrorCode::internal, "cannot start the HTTP client");
  impl_->max_body_bytes = max_body_bytes;
  curl_multi_setopt(impl_->multi, CURLMOPT_MAXCONNECTS, 256L);
}

HttpPool::~HttpPool() {
  for (auto& [easy, exchange] : impl_->running) {
    curl_multi_remove_handle(impl_->multi, easy);
    curl_easy_cleanup(easy);
  }
  for (CURL* easy : impl_->idle) curl_easy_cleanup(easy);
  curl_multi_cleanup(impl_->multi);
}

void HttpPool::submit(PostRequest request) {
  auto exchange = std::make_unique<Exchange>();
  exchange->request = std::move(request);
  exchange->result.tag = exchange->request.tag;
  exchange->max_body_bytes = impl_->max_body_bytes;
  CURL* easy = impl_->handle();
  const PostRequest& kept = exchange->request;
  exchange->headers = curl_slist_append(nullptr, "Content-Type: application/json");
  // Without this, bodies over a megabyte wait a second for a "100 Continue" that few servers send.
  exchange->headers = curl_slist_append(exchange->headers, "Expect:");
  for (const auto& header : kept.headers)
    exchange->headers = curl_slist_append(exchange->headers, header.c_str());
  curl_easy_setopt(easy, CURLOPT_URL, kept.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, kept.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(kept.body.size()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(kept.timeout.count()));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  // No Accept-Encoding: a reply of a few hundred bytes gains nothing, and a server that packs it well spends more
  // time on that than on everything else.
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange.get());
  curl_multi_add_handle(impl_->multi, easy);
  impl_->running.emplace(easy, std::move(exchange));
}

std::size_t HttpPool::in_flight() const noexcept {
  return impl_->running.size();
}

std::vector<PostResult> HttpPool::wait(std::chrono::milliseconds at_most) {
  std::vector<PostResult> ended;
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    int active = 0;
    curl_multi_perform(impl_->multi, &active);
    impl_->collect(ended);
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (!ended.empty() || left.count() <= 0) return ended;
    curl_multi_poll(impl_->multi, nullptr, 0, static_cast<int>(std::min<std::int64_t>(left.count(), 200)),
                    nullptr);
  }
}

}  // namespace mustcite::net
