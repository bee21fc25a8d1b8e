#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/net/http_get.hpp"

// What all transfers of this room share. Only for its files that hold curl handles.
namespace mustcite::net {

/// Starts libcurl once a process. Throws internal when it cannot.
void start_curl();

/// "Name: value" lines as libcurl wants them.
class CurlHeaders {
 public:
  explicit CurlHeaders(const std::vector<std::string>& lines);
  [[nodiscard]] curl_slist* get() const noexcept { return lines_.get(); }

 private:
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> lines_{nullptr, &curl_slist_free_all};
};

/// Room for libcurl's words about a failure.
using CurlWords = std::array<char, CURL_ERROR_SIZE>;

/// How long a transfer may take to begin, and how slow it may be.
struct CurlPatience {
  std::chrono::seconds connect;
  long slowest_bytes = 1;  ///< a second, …
  std::chrono::seconds slow_for;
};

/// Sets what every transfer has: http and https only, its patience, its name, its headers, an end soon after
/// an interrupt is requested. `headers` and `words` must outlive the transfer.
void set_up(CURL* handle, const std::string& address, const std::string& user_agent,
            const CurlPatience& patience, const CurlHeaders& headers, CurlWords& words);

/// How a transfer went: whether a failure is worth another attempt, why it failed in words, how long the
/// server asks to be left alone.
struct CurlOutcome {
  HttpEnd end = HttpEnd::complete;
  std::string problem;
  std::chrono::seconds retry_after{0};
};
[[nodiscard]] CurlOutcome outcome_of(CURL* handle, CURLcode code, const CurlWords& words);

/// A header line as its name, in lower case, and its value; nothing for other lines.
[[nodiscard]] std::optional<std::pair<std::string, std::string_view>> header_in(std::string_view line);

}  // namespace mustcite::net
