#include "core/base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace mustcite {
namespace {

volatile std::sig_atomic_t interrupt_flag = 0;

extern "C" void on_interrupt(int signal) {
  if (interrupt_flag != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupt_flag = 1;
}

}  // namespace

std::size_t available_cores() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)));
  }
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  if (threads == 0) threads = available_cores();
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr first_error;
  std::mutex error_mutex;
  const auto loop = [&](std::size_t worker) {
    for (std::size_t i = next.fetch_add(1); i < count && !stop; i = next.fetch_add(1)) {
      try {
        work(i, worker);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!first_error) first_error = std::current_exception();
        stop = true;
      }
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(loop, t);
  loop(0);
  for (auto& thread : pool) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool interrupt_requested() noexcept { return interrupt_flag != 0; }

void stop_if_interrupted() {
  if (interrupt_requested()) fail(ErrorCode::interrupted, "stopped at your request; what was done is kept");
}

}  // namespace mustcite
