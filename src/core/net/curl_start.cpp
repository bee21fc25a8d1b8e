#include "core/net/curl_start.hpp"

#include "core/base/error.hpp"

namespace mustcite::net {

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) fail(ErrorCode::internal, "cannot start libcurl: {}", curl_easy_strerror(started));
}

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

}  // namespace mustcite::net
