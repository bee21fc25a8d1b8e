#include "core/net/pace.hpp"

#include <algorithm>

#include "core/base/threads.hpp"

namespace mustcite::net {

Pace::Host& Pace::host(const std::string& name) {
  return hosts_.try_emplace(name, Host{usual_, {}, 0}).first->second;
}

void Pace::limit(const std::string& name, HostLimit limit) {
  const std::lock_guard lock(mutex_);
  host(name).limit = limit;
  changed_.notify_all();
}

HostLimit Pace::limit(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(name);
  return found == hosts_.end() ? usual_ : found->second.limit;
}

void Pace::postpone(const std::string& name, std::chrono::milliseconds pause) {
  const std::lock_guard lock(mutex_);
  Host& entry = host(name);
  entry.next_start = std::max(entry.next_start, Clock::now() + pause);
}

Pace::Turn Pace::wait(const std::string& name) {
  std::unique_lock lock(mutex_);
  Host& entry = host(name);  // map nodes stay where they are
  for (;;) {
    stop_if_interrupted();
    const auto now = Clock::now();
    if (entry.running < entry.limit.concurrency && now >= entry.next_start) {
      ++entry.running;
      entry.next_start = now + entry.limit.interval;
      return {*this, name};
    }
    // Woken by a finished request or by the clock; at the latest to look for Ctrl-C.
    const auto until = std::min(now + std::chrono::milliseconds(200),
                                now >= entry.next_start ? Clock::time_point::max() : entry.next_start);
    changed_.wait_until(lock, until);
  }
}

Pace::Turn::~Turn() {
  const std::lock_guard lock(pace_->mutex_);
  --pace_->host(host_).running;
  pace_->changed_.notify_all();
}

}  // namespace mustcite::net
