#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace mustcite::net {

/// How hard one host may be asked.
struct HostLimit {
  std::chrono::milliseconds interval{1000};  ///< between the starts of two requests
  std::size_t concurrency = 2;               ///< requests at once
};

/// Keeps many threads polite: each request waits for its host's turn. Thread-safe. Waiting ends early, with
/// `interrupted`, when the user asks to stop.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(HostLimit usual) : usual_(usual) {}

  /// Sets the limit of one host.
  void limit(const std::string& host, HostLimit limit);
  /// The limit in force.
  [[nodiscard]] HostLimit limit(const std::string& host) const;
  /// Nothing is sent to the host before this moment: Retry-After.
  void postpone(const std::string& host, std::chrono::milliseconds pause);

  /// One request's right to run; gives it back when destroyed.
  class Turn {
   public:
    Turn(Pace& pace, std::string host) : pace_(&pace), host_(std::move(host)) {}
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Pace* pace_;
    std::string host_;
  };
  /// Waits for a free place and the interval since the host's last start.
  [[nodiscard]] Turn wait(const std::string& host);

 private:
  struct Host {
    HostLimit limit;
    Clock::time_point next_start{};
    std::size_t running = 0;
  };
  Host& host(const std::string& name);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  HostLimit usual_;
  std::map<std::string, Host> hosts_;
};

}  // namespace mustcite::net
