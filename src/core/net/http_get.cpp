#include "core/net/http_get.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>

#include "core/base/ascii.hpp"
#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/net/curl_guard.hpp"
#include "core/net/curl_start.hpp"
#include "core/net/url.hpp"

namespace mustcite::net {
namespace {

constexpr long kMaxRedirects = 8;

struct Transfer {
  const std::function<void(const HttpHead&)>& on_head;
  const std::function<void(std::string_view)>& on_body;
  const HttpRequest& request;
  CURL* handle = nullptr;
  HttpHead head;
  bool head_told = false;
  std::exception_ptr thrown;
  std::string refused;  ///< why a redirect is not followed

  [[nodiscard]] bool has_wanted_body() const { return head.status == 200 || head.status == 206; }
  void tell_head() {
    if (head_told || !has_wanted_body()) return;
    head_told = true;
    on_head(head);
  }
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\n'))
    text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

void read_header(HttpHead& head, std::string_view line) {
  line = trim(line);
  if (line.starts_with("HTTP/")) {  // a new answer: what a redirect said is forgotten
    head = {};
    const auto space = line.find(' ');
    if (space != std::string_view::npos)
      head.status = static_cast<long>(leading_number(line.substr(space + 1)).value_or(0));
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = ascii_lower(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  // A weak ETag promises likeness, not equal bytes: no ground to resume on.
  if (name == "etag" && !value.starts_with("W/")) head.validator = value;
  if (name == "last-modified" && head.validator.empty()) head.validator = value;
  if (name == "content-length") head.length = leading_number(value);
  if (name == "content-range" && ascii_lower(value).starts_with("bytes "))
    head.range_begin = leading_number(trim(value.substr(6)));
}

/// Where a redirect leads, when it leads to a host that is not allowed.
std::string forbidden_redirect(const Transfer& transfer, std::string_view line) {
  constexpr std::string_view kLocation = "location:";
  if (!transfer.request.follows_to || transfer.head.status < 300 || transfer.head.status > 399 ||
      ascii_lower(line.substr(0, kLocation.size())) != kLocation)
    return {};
  char* from = nullptr;
  curl_easy_getinfo(transfer.handle, CURLINFO_EFFECTIVE_URL, &from);
  const std::optional<std::string> to =
      resolve(from != nullptr ? from : transfer.request.url, trim(line.substr(kLocation.size())));
  const std::optional<Url> url = to ? parse_url(*to) : std::nullopt;
  if (!url) return "it redirects to an address that is none";
  return transfer.request.follows_to(url->host) ? "" : "it redirects to " + url->host;
}

extern "C" std::size_t on_curl_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  read_header(transfer.head, {data, size * count});
  transfer.refused = forbidden_redirect(transfer, {data, size * count});
  return transfer.refused.empty() ? size * count : 0;
}

extern "C" std::size_t on_curl_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (!transfer.has_wanted_body()) return size * count;
  try {
    transfer.tell_head();
    transfer.on_body({data, size * count});
  } catch (...) {  // must not pass through C frames
    transfer.thrown = std::current_exception();
    return CURL_WRITEFUNC_ERROR;
  }
  return size * count;
}

extern "C" int on_curl_progress(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupt_requested() ? 1 : 0;
}

}  // namespace

HttpResult http_get(const HttpRequest& request, const std::function<void(const HttpHead&)>& on_head,
                    const std::function<void(std::string_view)>& on_body) {
  start_curl();
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  if (curl == nullptr) fail(ErrorCode::internal, "cannot start libcurl");
  Transfer transfer{on_head, on_body, request, curl.get(), {}, false, nullptr, {}};
  char said[CURL_ERROR_SIZE] = {};
  curl_slist* headers = nullptr;
  if (request.offset > 0 && !request.validator.empty()) {
    headers = curl_slist_append(headers, ("If-Range: " + request.validator).c_str());
  }
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_owner(headers,
                                                                                  &curl_slist_free_all);
  const std::string range = fmt::format("{}-", request.offset);
  CURL* const handle = curl.get();
  const CurlGuard guard(handle, request.guard);
  curl_easy_setopt(handle, CURLOPT_URL, guard.address(request.url).c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, request.user_agent.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  if (request.offset > 0) curl_easy_setopt(handle, CURLOPT_RANGE, range.c_str());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, said);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &on_curl_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &on_curl_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_curl_progress);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);

  const CURLcode code = curl_easy_perform(handle);
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);
  stop_if_interrupted();
  HttpResult result;
  result.end = end_of_transfer(code);
  if (code == CURLE_OK) transfer.tell_head();  // an empty body
  result.head = transfer.head;
  if (code != CURLE_OK) result.problem = said[0] != '\0' ? said : curl_easy_strerror(code);
  for (const std::string& reason : {transfer.refused, guard.refused()}) {
    if (reason.empty()) continue;
    result.end = HttpEnd::permanent;
    result.problem = reason;
  }
  curl_off_t retry_after = 0;
  if (curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0) {
    result.retry_after = std::chrono::seconds(std::min<curl_off_t>(retry_after, 1000000));
  }
  return result;
}

}  // namespace mustcite::net
