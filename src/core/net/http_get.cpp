#include "core/net/http_get.hpp"

#include <curl/curl.h>

#include <charconv>
#include <exception>
#include <memory>
#include <utility>

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

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

void read_header(HttpHead& head, std::string_view line) {
  line = ascii_trimmed(line);
  if (line.starts_with("HTTP/")) {  // a new answer: what a redirect said is forgotten
    head = {};
    const auto space = line.find(' ');
    if (space != std::string_view::npos)
      head.status = static_cast<long>(leading_number(line.substr(space + 1)).value_or(0));
    return;
  }
  const auto header = header_in(line);
  if (!header) return;
  const auto& [name, value] = *header;
  // A weak ETag promises likeness, not equal bytes: no ground to resume on.
  if (name == "etag" && !value.starts_with("W/")) head.validator = value;
  if (name == "last-modified" && head.validator.empty()) head.validator = value;
  if (name == "content-length") head.length = leading_number(value);
  if (name == "content-range" && ascii_lower(value).starts_with("bytes "))
    head.range_begin = leading_number(ascii_trimmed(value.substr(6)));
}

/// Where a redirect leads, when it leads to a host that is not allowed.
std::string forbidden_redirect(const Transfer& transfer, std::string_view line) {
  const auto header = header_in(line);
  const bool redirects = transfer.head.status >= 300 && transfer.head.status <= 399;
  if (!transfer.request.follows_to || !redirects || !header || header->first != "location") return {};
  char* from = nullptr;
  curl_easy_getinfo(transfer.handle, CURLINFO_EFFECTIVE_URL, &from);
  const std::optional<std::string> to =
      resolve(from != nullptr ? from : transfer.request.url, header->second);
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

}  // namespace

HttpResult http_get(const HttpRequest& request, const std::function<void(const HttpHead&)>& on_head,
                    const std::function<void(std::string_view)>& on_body) {
  start_curl();
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  if (curl == nullptr) fail(ErrorCode::internal, "cannot start libcurl");
  Transfer transfer{on_head, on_body, request, curl.get(), {}, false, nullptr, {}};
  CurlWords words{};
  const bool resumes = request.offset > 0;
  std::vector<std::string> lines = request.headers;
  if (resumes && !request.validator.empty()) lines.push_back("If-Range: " + request.validator);
  const CurlHeaders headers(lines);
  const std::string range = fmt::format("{}-", request.offset);
  CURL* const handle = curl.get();
  const CurlGuard guard(handle, request.guard);
  set_up(handle, guard.address(request.url), request.user_agent, {request.timeout, 1, request.timeout},
         headers, words);
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  if (resumes) curl_easy_setopt(handle, CURLOPT_RANGE, range.c_str());
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &on_curl_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &on_curl_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);

  const CURLcode code = curl_easy_perform(handle);
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);
  stop_if_interrupted();
  HttpResult result;
  CurlOutcome outcome = outcome_of(handle, code, words);
  result.end = outcome.end;
  result.problem = std::move(outcome.problem);
  result.retry_after = outcome.retry_after;
  if (code == CURLE_OK) transfer.tell_head();  // an empty body
  result.head = transfer.head;
  for (const std::string& reason : {transfer.refused, guard.refused()}) {
    if (reason.empty()) continue;
    result.end = HttpEnd::permanent;
    result.problem = reason;
  }
  return result;
}

}  // namespace mustcite::net
