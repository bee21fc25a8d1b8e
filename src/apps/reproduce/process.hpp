#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mustcite::reproduce {

struct Command {
  std::vector<std::string> words;  ///< the program first, found by PATH when it has no '/'
  std::filesystem::path folder;    ///< where it runs
  std::filesystem::path out;       ///< file that takes its standard output
  std::filesystem::path err;       ///< file that takes its standard error
  double timeout_s = 0;
};

struct Exit {
  enum class How { exited, signalled, timed_out, not_started } how = How::exited;
  int code = 0;  ///< exit status, signal or errno
};

/// Runs a command to its end in a process group of its own, without a shell and with an empty standard input.
/// On a time-out or when the user interrupts, the whole group is ended; an interrupt is then thrown as Error.
[[nodiscard]] Exit run_command(const Command& command);

/// `exit status 3`, `signal 9 (Killed)`, `time-out`, `cannot start: No such file or directory`.
[[nodiscard]] std::string describe(const Exit& exit);

/// The end of what a command wrote to a file, on one line; empty when there is nothing to show.
[[nodiscard]] std::string last_words(const std::filesystem::path& file);

}  // namespace mustcite::reproduce
