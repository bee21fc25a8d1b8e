#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace mustcite::extract {

struct GrobidOptions {
  std::string url = "http://localhost:8070";
  /// Requests at once. The service answers 503 when all its engines are in use: then fewer are sent.
  std::size_t concurrency = 4;
  /// A paper that takes longer is given up.
  std::chrono::seconds timeout{180};
  /// How often a paper is sent again after 503, a lost connection or another passing trouble.
  int retries = 8;
  /// The first pause; each further one is twice as long, up to `longest_pause`, and at least what the service
  /// asks for.
  std::chrono::milliseconds first_pause{2000};
  std::chrono::milliseconds longest_pause{60'000};
  /// So many papers in a row without any answer: the service is down, and the rest fail at once.
  std::size_t give_up_after = 4;
  /// How a pause is spent; the default sleeps and wakes up for Ctrl-C.
  std::function<void(std::chrono::milliseconds)> pause;
};

struct GrobidCounts {
  std::uint64_t sent = 0;     ///< requests
  std::uint64_t busy = 0;     ///< answers 503
  std::uint64_t retried = 0;  ///< requests after the first one of a paper
  std::size_t most_at_once = 0;
  std::size_t least_allowed = 0;  ///< of the requests allowed at once
};

/// A GROBID service. Thread-safe: as many requests run as calls are made, at most as many as allowed now.
class GrobidClient {
 public:
  explicit GrobidClient(GrobidOptions options);

  /// Asks `/api/isalive` and `/api/version`. Throws unavailable when the service does not answer.
  std::string connect();

  /// The TEI of a PDF by `/api/processFulltextDocument`. `name` stands in messages. Throws invalid_input (the
  /// service refuses the file, or finds no text in it), exhausted (it takes too long), unavailable (busy or
  /// down after all retries), interrupted.
  [[nodiscard]] std::string process(std::string_view pdf, std::string_view name);

  [[nodiscard]] GrobidCounts counts() const;

 private:
  class Slot;
  void enter();
  void leave();
  void on_busy();
  void on_answer();
  void rest(int attempt, std::chrono::seconds asked);
  void on_silence();

  GrobidOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  std::size_t running_ = 0;
  std::size_t allowed_;
  std::size_t answers_ = 0;  ///< since `allowed_` changed
  std::size_t silent_ = 0;   ///< papers in a row without an answer
  GrobidCounts counts_;
};

}  // namespace mustcite::extract
