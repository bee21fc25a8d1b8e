#pragma once

#include <curl/curl.h>

#include "core/net/http_get.hpp"

namespace mustcite::net {

/// Starts libcurl once a process. Throws internal when it cannot.
void start_curl();

/// Whether a failed transfer is worth another attempt.
[[nodiscard]] HttpEnd end_of_transfer(CURLcode code) noexcept;

}  // namespace mustcite::net
