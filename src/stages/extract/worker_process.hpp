#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/pdf/protocol.hpp"

namespace mustcite::extract {

/// One running worker and the socket to it. Killed and reaped when destroyed. Not thread-safe.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class End { none, died, timed_out, garbled };

  /// Throws unavailable when it cannot be started.
  WorkerProcess(const std::filesystem::path& program, std::uint64_t max_memory_bytes);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  struct Answer {
    End end = End::none;  ///< when not `none`, the worker is of no use any more
    pdf::FrameKind kind = pdf::FrameKind::refused;
    std::string payload;
    std::string why;  ///< of `died`: "killed by signal 9", "exit code 1"; of `garbled`: what is wrong
  };
  [[nodiscard]] Answer ask(const pdf::Limits& limits, std::string_view file, Clock::time_point deadline);

  std::uint32_t files = 0;  ///< asked for so far

 private:
  bool send_all(std::string_view bytes, Clock::time_point deadline, End& end);
  bool receive_all(char* out, std::size_t size, Clock::time_point deadline, End& end);
  bool wait_for(short events, Clock::time_point deadline, End& end) const;
  std::string how_it_died();

  pid_t process_ = -1;
  int socket_ = -1;
  std::uint32_t next_id_ = 1;
};

}  // namespace mustcite::extract
