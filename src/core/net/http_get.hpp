#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/guard.hpp"

namespace mustcite::net {

struct HttpRequest {
  std::string url;
  std::uint64_t offset = 0;  ///< asks for the bytes from here on, if the file is still the one of `validator`
  std::string validator;     ///< ETag or date for If-Range; may be empty
  std::chrono::seconds timeout{60};
  std::string user_agent;
  std::vector<std::string> headers;  ///< "Name: value"; an Authorization goes to the first host alone
  Guard guard;
  /// Asked before a redirect to another address is followed; empty: all hosts may be.
  std::function<bool(const std::string& host)> follows_to;
};

/// What the final answer (after redirects) says of itself.
struct HttpHead {
  long status = 0;
  std::string validator;  ///< a strong ETag, else Last-Modified; empty when the server gives none
  std::optional<std::uint64_t> length;       ///< of the body that follows
  std::optional<std::uint64_t> range_begin;  ///< of a 206
};

enum class HttpEnd {
  complete,  ///< the body came to its end
  passing,   ///< cut, timed out or no connection: worth another attempt
  permanent  ///< not worth one: bad address, too many redirects, certificate refused
};

struct HttpResult {
  HttpHead head;
  HttpEnd end = HttpEnd::complete;
  std::string problem;  ///< in words, unless complete
  std::chrono::seconds retry_after{0};
};

/// One GET over http or https, redirects followed within these two. `on_head` is called before the first byte
/// of a body of status 200 or 206 (and when there is none), `on_body` for its pieces; bodies of other answers
/// are dropped. What the callbacks throw ends the transfer and is rethrown here. Ends soon after an interrupt
/// is requested.
HttpResult http_get(const HttpRequest& request, const std::function<void(const HttpHead&)>& on_head,
                    const std::function<void(std::string_view)>& on_body);

}  // namespace mustcite::net
