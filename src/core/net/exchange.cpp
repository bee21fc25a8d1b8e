#include "core/net/exchange.hpp"

#include <curl/curl.h>

#include <charconv>
#include <utility>

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

bool announces_too_much(const Transfer& transfer, std::string_view length) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return error == std::errc{} && bytes > transfer.max_bytes;
}

extern "C" std::size_t on_exchange_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line = ascii_trimmed({data, size * count});
  transfer.header_bytes += line.size();
  if (transfer.header_bytes > kMostHeaderBytes) return 0;
  if (line.starts_with("HTTP/")) {  // a new answer, e.g. after 100 Continue
    transfer.answer.headers.clear();
    return size * count;
  }
  const auto header = header_in(line);
  if (!header) return size * count;
  const auto& [name, value] = *header;
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
  CurlWords words{};
  const CurlHeaders headers(request.headers);
  const CurlGuard guard(handle, request.guard);
  set_up(handle, guard.address(request.url), request.user_agent,
         {request.connect_timeout, request.slowest_bytes, request.slow_for}, headers, words);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_TIMEOUT, static_cast<long>(request.total_timeout.count()));
  if (!request.post.empty()) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.post.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.post.c_str());
  }
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &on_exchange_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &on_exchange_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);

  const CURLcode code = curl_easy_perform(handle);
  stop_if_interrupted();
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
  CurlOutcome outcome = outcome_of(handle, code, words);
  answer.end = outcome.end;
  answer.problem = std::move(outcome.problem);
  answer.retry_after = outcome.retry_after;
  answer.refused_address = !guard.refused().empty();
  if (answer.refused_address) answer.problem = guard.refused();
  if (answer.too_large) answer.problem = fmt::format("it is larger than {} bytes", request.max_bytes);
  if (answer.too_large || answer.refused_address) answer.end = HttpEnd::permanent;
  return answer;
}

}  // namespace mustcite::net
