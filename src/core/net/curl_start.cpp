#include "core/net/curl_start.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"
#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::net {
namespace {

extern "C" int on_curl_progress(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupt_requested() ? 1 : 0;
}

/// Whether a failed transfer is worth another attempt.
HttpEnd end_of_transfer(CURLcode code) noexcept {
  switch (code) {
    case CURLE_OK:
      return HttpEnd::complete;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return HttpEnd::passing;
    default:
      return HttpEnd::permanent;
  }
}

}  // namespace

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) fail(ErrorCode::internal, "cannot start libcurl: {}", curl_easy_strerror(started));
}

CurlHeaders::CurlHeaders(const std::vector<std::string>& lines) {
  curl_slist* list = nullptr;
  for (const std::string& line : lines) list = curl_slist_append(list, line.c_str());
  lines_.reset(list);
}

void set_up(CURL* handle, const std::string& address, const std::string& user_agent,
            const CurlPatience& patience, const CurlHeaders& headers, CurlWords& words) {
  words.front() = '\0';
  curl_easy_setopt(handle, CURLOPT_URL, address.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(patience.connect.count()));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, patience.slowest_bytes);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(patience.slow_for.count()));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, user_agent.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_curl_progress);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

CurlOutcome outcome_of(CURL* handle, CURLcode code, const CurlWords& words) {
  CurlOutcome outcome;
  outcome.end = end_of_transfer(code);
  if (code != CURLE_OK) outcome.problem = words.front() != '\0' ? words.data() : curl_easy_strerror(code);
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0)
    outcome.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 1000000));
  return outcome;
}

std::optional<std::pair<std::string, std::string_view>> header_in(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair{ascii_lower(ascii_trimmed(line.substr(0, colon))), ascii_trimmed(line.substr(colon + 1))};
}

}  // namespace mustcite::net
