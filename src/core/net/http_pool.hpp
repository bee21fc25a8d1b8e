#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mustcite::net {

struct PostRequest {
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  std::chrono::milliseconds timeout{60000};
  std::uint64_t tag = 0;  ///< comes back with the result
};

struct PostResult {
  std::uint64_t tag = 0;
  long status = 0;      ///< 0: no answer came
  std::string body;     ///< complete only when `problem` is empty
  std::string problem;  ///< why the transfer did not complete, in words
  bool timed_out = false;
  std::chrono::milliseconds retry_after{0};
};

/// Many POST requests at once on one thread; connections are kept and used again. Not thread-safe.
class HttpPool {
 public:
  /// Answers over `max_body_bytes` are given up.
  explicit HttpPool(std::size_t max_body_bytes = std::size_t{4} << 20);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  void submit(PostRequest request);
  [[nodiscard]] std::size_t in_flight() const noexcept;
  /// Works until a request ends or the time is over; what ended since the last call.
  [[nodiscard]] std::vector<PostResult> wait(std::chrono::milliseconds at_most);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::net
