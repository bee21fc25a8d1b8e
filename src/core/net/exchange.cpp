#include "core/net/exchange.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>

#include "core/base/ascii.hpp"
#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/net/curl_guard.hpp"
#include "core/net/curl_start.hpp"

namespace mustcite::net {
namespace {

constexpr std::size_t kMostHeaderBytes = 256 * 1024;

struct Transfer {
  Exchange& answer;
  std::uint64_t max_bytes;
  std::size_t header_bytes = 0;
};

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool announces_too_much(const Transfer& transfer, std::string_view length) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return error == std::errc{} && bytes > transfer.max_bytes;
}

extern "C" std::size_t on_exchange_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line = trim({data, size * count});
  transfer.header_bytes += line.size();
  if (transfer.header_bytes > kMostHeaderBytes) return 0;
  if (line.starts_with("HTTP/")) {  // a new answer, e.g. after 100 Continue
    transfer.answer.headers.clear();
    return size * count;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  const std::string name = ascii_lower(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "content-length" && announces_too_much(transfer, value)) {
    transfer.answer.too_large = true;
    return 0;
  }
  transfer.answer.headers[name] = std::string(value);
  return size * count;
}

extern "C" std::size_t on_exchange_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.answer.body.size() + size * count > transfer.max_bytes) {
    transfer.answer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  transfer.answer.body.append(data, size * count);
  return size * count;
}

extern "C" int on_exchange_progress(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupt_requested() ? 1 : 0;
}

}  // namespace

std::string Exchange::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

struct Connection::Impl {
  CURL* handle = nullptr;
  ~Impl() { curl_easy_cleanup(handle); }
};

Connection::Connection() : impl_(std::make_unique<Impl>()) {
  start_curl();
  impl_->handle = curl_easy_init();
  if (impl_->handle == nullptr) fail(ErrorCode::internal, "cannot start libcurl");
}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

Exchange Connection::exchange(const ExchangeRequest& request) {
  CURL* const handle = impl_->handle;
  curl_easy_reset(handle);  // connections stay open, options go
  Exchange answer;
  Transfer transfer{answer, request.max_bytes, 0};
  char said[CURL_ERROR_SIZE] = {};
  curl_slist* headers = nullptr;
  for (const std::string& header : request.headers) headers = curl_slist_append(headers, header.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> owner(headers, &curl_slist_free_all);
  const CurlGuard guard(handle, request.guard);
  curl_easy_setopt(handle, CURLOPT_URL, guard.address(request.url).c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(request.connect_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, request.slowest_bytes);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.slow_for.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT, static_cast<long>(request.total_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, request.user_agent.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  if (!request.post.empty()) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.post.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.post.c_str());
  }
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, said);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &on_exchange_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &on_exchange_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_exchange_progress);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);

  const CURLcode code = curl_easy_perform(handle);
  stop_if_interrupted();
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_off_t retry_after = 0;
  if (curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0)
    answer.retry_after = std::chrono::seconds(std::min<curl_off_t>(retry_after, 1000000));
  answer.end = end_of_transfer(code);
  if (code != CURLE_OK) answer.problem = said[0] != '\0' ? said : curl_easy_strerror(code);
  answer.refused_address = !guard.refused().empty();
  if (answer.refused_address) answer.problem = guard.refused();
  if (answer.too_large) answer.problem = fmt::format("it is larger than {} bytes", request.max_bytes);
  if (answer.too_large || answer.refused_address) answer.end = HttpEnd::permanent;
  return answer;
}

}  // namespace mustcite::net
