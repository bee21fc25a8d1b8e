#pragma once

#include <cstdint>

namespace mustcite::pdf_worker {

/// Gives up what reading a PDF does not need: memory above `max_memory_bytes`, files to write, core dumps,
/// and by a system-call filter network, new processes and programs, and opening anything for writing. Cannot
/// be undone. False when the kernel refuses the filter: the caller must not read files then.
[[nodiscard]] bool enter_sandbox(std::uint64_t max_memory_bytes);

/// Lets this process use at most `seconds` of processor time from now on; the kernel ends it afterwards.
void grant_processor_time(std::uint32_t seconds);

}  // namespace mustcite::pdf_worker
