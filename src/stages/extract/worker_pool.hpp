#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/pdf/content.hpp"

namespace mustcite::extract {

struct WorkerOptions {
  /// The worker program; empty: `mustcite-pdf` beside this program, in `../bin` or `../libexec`, or on the
  /// PATH.
  std::filesystem::path program;
  /// A file that takes longer is given up.
  std::uint32_t timeout_ms = 90'000;
  /// Processor time of one file.
  std::uint32_t cpu_seconds = 60;
  /// Memory of one worker.
  std::uint64_t max_memory_bytes = std::uint64_t{1} << 30;
  /// A worker is replaced after so many files.
  std::uint32_t recycle_after = 200;
  /// Files with more pages are refused.
  std::uint32_t max_pages = 500;
  /// Files with more words are refused.
  std::uint32_t max_words = 2'000'000;
};

struct WorkerCounts {
  std::uint64_t started = 0;  ///< workers
  std::uint64_t files = 0;    ///< asked for
  std::uint64_t retried = 0;  ///< files given to a second worker because the first one died or hung
  std::uint64_t lost = 0;     ///< files that cost a second worker as well
};

/// Reads PDF files in worker processes that may do nothing else. A crash, a hang or a bomb costs the file,
/// not the run. Thread-safe: as many workers live as calls run at once; idle ones wait for the next file.
class WorkerPool {
 public:
  /// Starts no worker yet. Throws not_found when there is no worker program.
  explicit WorkerPool(WorkerOptions options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Throws invalid_input (no PDF, damaged, encrypted, no pages), exhausted (too many pages or words, too
  /// much time or memory) or unavailable (no worker could be started). `name` stands in messages.
  [[nodiscard]] pdf::Content read(std::string_view file, std::string_view name);

  [[nodiscard]] WorkerCounts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::extract
