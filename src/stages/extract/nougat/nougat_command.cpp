#include "stages/extract/nougat/nougat_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"

extern char** environ;

namespace mustcite::extract {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How a call ended, in words; empty when it ended well.
struct Ended {
  std::string trouble;
};

/// A running command, in a process group of its own. Ended with everything it started when destroyed.
class Call {
 public:
  Call(std::vector<std::string> arguments, const fs::path& log) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> pointers;
    for (auto& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const int error = ::posix_spawnp(&process_, pointers[0], &actions, &attributes, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0)
      fail(ErrorCode::not_found, "starting {}: {}; install it, or name the command that makes .mmd files",
           arguments[0], std::strerror(error));
  }
  ~Call() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Ended wait(std::chrono::seconds timeout) {
    const auto deadline = Clock::now() + timeout;
    auto pause = std::chrono::milliseconds(2);
    while (true) {
      int status = 0;
      const pid_t ended = ::waitpid(process_, &status, WNOHANG);
      if (ended == process_) {
        process_ = -1;
        if (WIFSIGNALED(status)) return {fmt::format("the command died of signal {}", WTERMSIG(status))};
        const int code = WEXITSTATUS(status);
        return {code == 0 ? std::string() : fmt::format("the command ended with status {}", code)};
      }
      stop_if_interrupted();
      if (Clock::now() >= deadline) return {fmt::format("the command took more than {} s", timeout.count())};
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(200));
    }
  }

 private:
  pid_t process_ = -1;
};

/// A folder for one call, removed with all that is in it.
class CallFolder {
 public:
  explicit CallFolder(const fs::path& cache) {
    static std::atomic<unsigned> count{0};
    path_ = cache / fmt::format(".call-{}-{}", ::getpid(), ++count);
    fs::create_directories(path_ / "in");
    fs::create_directories(path_ / "out");
  }
  ~CallFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CallFolder(const CallFolder&) = delete;
  CallFolder& operator=(const CallFolder&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

std::string last_line(const fs::path& log) {
  std::error_code error;
  if (!fs::exists(log, error) || fs::file_size(log, error) > (std::size_t{64} << 20)) return {};
  std::string text = io::read_file(log);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text::clean(text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1))
      .substr(0, 160);
}

bool holds_text(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const std::string text = io::read_file(file, std::size_t{64} << 20);
  return text.find_first_not_of(" \t\r\n") != std::string::npos;
}

class Runner {
 public:
  explicit Runner(const NougatOptions& options) : options_(options) {
    if (options.command.empty() || options.command.front().empty())
      fail(ErrorCode::usage, "running nougat: no command was given");
    fs::create_directories(options.cache);
  }

  [[nodiscard]] fs::path kept(const std::string& digest) const { return options_.cache / (digest + ".mmd"); }

  /// Runs one call; returns the digests without output, and why.
  std::map<std::string, std::string> call(const std::map<std::string, fs::path>& files) {
    const CallFolder folder(options_.cache);
    std::vector<std::string> arguments = options_.command;
    for (const auto& [digest, file] : files) {
      const fs::path link = folder.path() / "in" / (digest + ".pdf");
      fs::create_symlink(fs::absolute(file), link);
      arguments.push_back(link.string());
    }
    arguments.insert(arguments.end(), {"--out", (folder.path() / "out").string()});
    const fs::path log = folder.path() / "log";
    Ended ended;
    {
      Call running(std::move(arguments), log);
      ended = running.wait(options_.timeout * static_cast<long>(files.size()));
    }
    if (!ended.trouble.empty()) drop_newest(folder.path() / "out");
    std::map<std::string, std::string> gaps;
    for (const auto& [digest, file] : files) {
      const fs::path made = folder.path() / "out" / (digest + ".mmd");
      if (holds_text(made)) {
        fs::rename(made, kept(digest));
        continue;
      }
      std::string reason = ended.trouble.empty() ? "the command wrote no markup" : ended.trouble;
      if (const std::string line = last_line(log); !line.empty()) reason += ": " + line;
      gaps[digest] = std::move(reason);
    }
    return gaps;
  }

 private:
  /// What a call wrote when it died may be cut.
  static void drop_newest(const fs::path& out) {
    fs::path newest;
    fs::file_time_type time = fs::file_time_type::min();
    for (const auto& entry : fs::directory_iterator(out)) {
      if (entry.path().extension() != ".mmd" || entry.last_write_time() < time) continue;
      time = entry.last_write_time();
      newest = entry.path();
    }
    if (!newest.empty()) fs::remove(newest);
  }

  const NougatOptions& options_;
};

}  // namespace

std::vector<NougatResult> run_nougat(const std::vector<fs::path>& files, const NougatOptions& options) {
  Runner runner(options);
  std::vector<NougatResult> results(files.size());
  std::vector<std::string> digests(files.size());
  std::map<std::string, fs::path> wanted;
  for (std::size_t i = 0; i < files.size(); ++i) {
    digests[i] = sha256_file(files[i]);
    results[i].resumed = fs::exists(runner.kept(digests[i]));
    if (!results[i].resumed) wanted.emplace(digests[i], files[i]);
  }
  std::map<std::string, std::string> gaps;
  std::map<std::string, fs::path> batch;
  const auto run_batch = [&] {
    const auto open = runner.call(batch);
    for (const auto& [digest, reason] : open) {
      // Alone it has had its try already.
      const auto again = batch.size() == 1 ? open : runner.call({{digest, batch.at(digest)}});
      if (again.contains(digest)) gaps[digest] = again.at(digest);
    }
    batch.clear();
  };
  for (const auto& [digest, file] : wanted) {
    batch.emplace(digest, file);
    if (batch.size() >= std::max<std::size_t>(1, options.batch)) run_batch();
  }
  if (!batch.empty()) run_batch();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const auto gap = gaps.find(digests[i]); gap != gaps.end())
      results[i].reason = gap->second;
    else
      results[i].markup = runner.kept(digests[i]);
  }
  return results;
}

}  // namespace mustcite::extract
