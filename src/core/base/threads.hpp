#pragma once

#include <cstddef>
#include <functional>

namespace mustcite {

/// Cores this process may run on; at least 1.
[[nodiscard]] std::size_t available_cores() noexcept;

/// Calls `work(i, worker)` once for every i in [0, count), on at most `threads` threads (0: all cores).
/// Items are handed out one by one, so their order is free: write results to slot i, never append.
/// The first exception stops the rest and is rethrown here. `worker` < threads names the calling thread.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& work);

/// Ctrl-C support. After `catch_interrupts`, the first SIGINT or SIGTERM sets a flag, the second kills.
void catch_interrupts();
[[nodiscard]] bool interrupt_requested() noexcept;
/// Throws `interrupted` when the user asked to stop: call it where stopping loses nothing.
void stop_if_interrupted();

}  // namespace mustcite
