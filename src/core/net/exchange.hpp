#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/net/guard.hpp"
#include "core/net/http_get.hpp"

namespace mustcite::net {

/// One request whose answer is kept in memory. Redirects are not followed: the caller decides.
struct ExchangeRequest {
  std::string url;
  std::string post;                  ///< the body of a POST; empty: a GET
  std::vector<std::string> headers;  ///< "Name: value"
  std::string user_agent;
  std::uint64_t max_bytes = std::uint64_t{64} << 20;  ///< of the body, after decompression
  std::chrono::seconds connect_timeout{30};
  /// A transfer slower than `slowest_bytes` a second for so long is given up, …
  std::chrono::seconds slow_for{30};
  long slowest_bytes = 200;
  /// … and so is one that takes longer than this in all.
  std::chrono::seconds total_timeout{300};
  Guard guard;
};

struct Exchange {
  long status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case; the last one of a name
  std::string body;                            ///< as sent, transfer encodings (gzip, br, zstd) undone
  HttpEnd end = HttpEnd::complete;
  std::string problem;  ///< in words, unless complete
  bool too_large = false;
  bool refused_address = false;
  std::chrono::seconds retry_after{0};

  [[nodiscard]] std::string header(const std::string& name) const;
};

/// Connections that are kept open between exchanges (HTTP/2 where the server speaks it). No cookies are kept
/// or sent. Not thread-safe: one a thread.
class Connection {
 public:
  Connection();
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  /// Throws only `interrupted` and `internal`; everything else is in the answer.
  Exchange exchange(const ExchangeRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::net
