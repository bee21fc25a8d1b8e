#pragma once

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mustcite::testing {

/// A server on 127.0.0.1 that plays sites of many hosts: a gateway for the fetcher. It counts requests by
/// address, keeps when each came, and how many were in work at once.
class SimulatedSite {
 public:
  using Clock = std::chrono::steady_clock;
  /// Fills the answer for "host/path?query"; `number` counts the requests of this address from 0.
  using Script =
      std::function<void(const std::string& address, std::size_t number, httplib::Response& answer)>;

  explicit SimulatedSite(Script script) : script_(std::move(script)) {
    server_.set_keep_alive_max_count(100000);
    server_.set_tcp_nodelay(true);
    const auto handle = [this](const httplib::Request& request, httplib::Response& answer) {
      serve(request, answer);
    };
    server_.Get(".*", handle);
    server_.Post(".*", handle);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~SimulatedSite() {
    server_.stop();
    thread_.join();
  }
  SimulatedSite(const SimulatedSite&) = delete;
  SimulatedSite& operator=(const SimulatedSite&) = delete;

  [[nodiscard]] std::string gateway() const { return "127.0.0.1:" + std::to_string(port_); }

  void wait_for_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return times_.size() >= count; });
  }
  [[nodiscard]] std::size_t requests() {
    const std::lock_guard lock(mutex_);
    return times_.size();
  }
  [[nodiscard]] std::map<std::string, std::size_t> by_address() {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  [[nodiscard]] std::vector<Clock::time_point> times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }
  [[nodiscard]] std::size_t most_at_once() const { return most_; }

 private:
  void serve(const httplib::Request& request, httplib::Response& answer) {
    const std::size_t now = ++running_;
    std::size_t before = most_;
    while (now > before && !most_.compare_exchange_weak(before, now)) {
    }
    const std::string address = request.get_header_value("Host") + request.target;
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      times_.push_back(Clock::now());
      number = counts_[address]++;
    }
    changed_.notify_all();
    if (request.path == "/robots.txt") {
      answer.status = 404;
    } else {
      script_(address, number, answer);
    }
    --running_;
  }

  Script script_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Clock::time_point> times_;
  std::map<std::string, std::size_t> counts_;
  std::atomic<std::size_t> running_{0};
  std::atomic<std::size_t> most_{0};
};

}  // namespace mustcite::testing
