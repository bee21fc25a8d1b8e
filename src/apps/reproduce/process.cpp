#include "apps/reproduce/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"

namespace mustcite::reproduce {
namespace {

using Clock = std::chrono::steady_clock;
// How often an interrupt is looked for.
constexpr double kTick_s = 0.1;
// Between asking a group to end and killing it.
constexpr double kGrace_s = 2.0;
constexpr std::size_t kMostOutputBytes = std::size_t{256} << 20;
constexpr std::size_t kShownErrorBytes = 600;

/// posix_spawn's two argument objects, destroyed with it.
class SpawnSettings {
 public:
  explicit SpawnSettings(const Command& command) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.out.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, command.err.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// A child that is over or will be ended: nothing it started outlives this object.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (!reaped_) {
      signal_group(SIGKILL);
      int status = 0;
      ::waitpid(pid_, &status, 0);
    }
    signal_group(SIGKILL);  // what it left behind in its group
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal_group(int signal) const { ::kill(-pid_, signal); }

  /// Waits at most so long; true when it is over.
  bool wait(double seconds, int& status) {
    pollfd poll_on{descriptor_, POLLIN, 0};
    ::poll(&poll_on, descriptor_ >= 0 ? 1 : 0, static_cast<int>(std::max(0.0, seconds) * 1000) + 1);
    reaped_ = ::waitpid(pid_, &status, WNOHANG) == pid_;
    return reaped_;
  }

 private:
  pid_t pid_;
  int descriptor_;
  bool reaped_ = false;
};

Exit from_status(int status) {
  if (WIFSIGNALED(status)) return {Exit::How::signalled, WTERMSIG(status)};
  return {Exit::How::exited, WEXITSTATUS(status)};
}

}  // namespace

Exit run_command(const Command& command) {
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const SpawnSettings settings(command);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, words[0], &settings.actions, &settings.attributes, words.data(), environ);
  if (error != 0) return {Exit::How::not_started, error};
  Child child(pid);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(command.timeout_s, 1e9)));
  int status = 0;
  for (;;) {
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (child.wait(std::min(left, kTick_s), status)) return from_status(status);
    if (left > 0 && !interrupt_requested()) continue;
    child.signal_group(SIGTERM);
    child.wait(kGrace_s, status);
    stop_if_interrupted();
    return {Exit::How::timed_out, 0};
  }
}

std::string describe(const Exit& exit) {
  switch (exit.how) {
    case Exit::How::exited:
      return fmt::format("exit status {}", exit.code);
    case Exit::How::signalled:
      return fmt::format("signal {} ({})", exit.code, ::strsignal(exit.code));
    case Exit::How::timed_out:
      return "time-out";
    case Exit::How::not_started:
      return fmt::format("cannot start: {}", std::strerror(exit.code));
  }
  return "";
}

std::string last_words(const std::filesystem::path& file) {
  std::string text;
  try {
    text = io::read_file(file, kMostOutputBytes);
  } catch (const Error&) {
    return "";  // no output to show is no reason to fail otherwise
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() > kShownErrorBytes) text = "…" + text.substr(text.size() - kShownErrorBytes);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace mustcite::reproduce
