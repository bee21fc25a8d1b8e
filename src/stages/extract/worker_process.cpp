#include "stages/extract/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"

namespace mustcite::extract {
namespace {

/// File actions and attributes are freed whatever happens.
struct SpawnSetup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSetup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

}  // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& program, std::uint64_t max_memory_bytes) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(ErrorCode::unavailable,
         "starting the PDF worker: no socket ({}); close other programs and try again", std::strerror(errno));
  }
  SpawnSetup setup;
  // Descriptor 0 carries the protocol; the worker prints nothing and inherits nothing else.
  ::posix_spawn_file_actions_adddup2(&setup.actions, ends[1], 0);
  ::posix_spawn_file_actions_addopen(&setup.actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&setup.actions, 2, "/dev/null", O_WRONLY, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&setup.attributes, &none);
  // A group of its own: Ctrl-C reaches mustcite alone, which then ends its workers.
  ::posix_spawnattr_setpgroup(&setup.attributes, 0);
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string name = program.string();
  std::string verb = "--serve";
  std::string memory = std::to_string(max_memory_bytes);
  std::string locale = "LC_ALL=C.UTF-8";
  std::array<char*, 4> arguments{name.data(), verb.data(), memory.data(), nullptr};
  std::array<char*, 2> environment{locale.data(), nullptr};
  const int error = ::posix_spawn(&process_, name.c_str(), &setup.actions, &setup.attributes,
                                  arguments.data(), environment.data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    process_ = -1;
    fail(ErrorCode::unavailable, "starting the PDF worker {}: {}; check that it may be run", name,
         std::strerror(error));
  }
  socket_ = ends[0];
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  if (socket_ >= 0) ::close(socket_);
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool WorkerProcess::wait_for(short events, Clock::time_point deadline, End& end) const {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      end = End::timed_out;
      return false;
    }
    pollfd watched{socket_, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) {
      end = End::died;
      return false;
    }
  }
}

bool WorkerProcess::send_all(std::string_view bytes, Clock::time_point deadline, End& end) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(POLLOUT, deadline, end)) return false;
    } else if (errno != EINTR) {
      end = End::died;
      return false;
    }
  }
  return true;
}

bool WorkerProcess::receive_all(char* out, std::size_t size, Clock::time_point deadline, End& end) {
  while (size > 0) {
    const ssize_t got = ::recv(socket_, out, size, 0);
    if (got > 0) {
      out += got;
      size -= static_cast<std::size_t>(got);
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait_for(POLLIN, deadline, end)) return false;
    } else if (got == 0 || errno != EINTR) {
      end = End::died;
      return false;
    }
  }
  return true;
}

std::string WorkerProcess::how_it_died() {
  // It closed its socket, so it is ending: waiting is short, but a worker that only closes must not hold us
  // up.
  ::kill(process_, SIGTERM);
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  if (reaped == process_) process_ = -1;
  if (reaped > 0 && WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU) return "it used up its processor time";
    return std::string("it was ended by signal ") + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  }
  if (reaped > 0 && WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 3) return "the kernel refuses its sandbox";
    return "it ended with code " + std::to_string(WEXITSTATUS(status));
  }
  return "it ended";
}

WorkerProcess::Answer WorkerProcess::ask(const pdf::Limits& limits, std::string_view file,
                                         Clock::time_point deadline) {
  Answer answer;
  const std::uint32_t id = next_id_++;
  ++files;
  const std::string start = pdf::encode_header({pdf::FrameKind::read, id, pdf::kLimitsBytes + file.size()}) +
                            pdf::encode_limits(limits);
  std::string header(pdf::kHeaderBytes, '\0');
  bool good = send_all(start, deadline, answer.end) && send_all(file, deadline, answer.end) &&
              receive_all(header.data(), header.size(), deadline, answer.end);
  if (good) {
    try {
      const pdf::FrameHeader frame = pdf::decode_header(header, pdf::kMaxAnswerBytes);
      if (frame.id != id || frame.kind == pdf::FrameKind::read)
        fail(ErrorCode::corrupt, "it answers another question");
      answer.kind = frame.kind;
      answer.payload.resize(frame.payload_bytes);
      good = receive_all(answer.payload.data(), answer.payload.size(), deadline, answer.end);
    } catch (const Error& error) {
      answer.end = End::garbled;
      answer.why = error.what();
    }
  }
  if (answer.end == End::died) answer.why = how_it_died();
  if (answer.end == End::timed_out) answer.why = "it did not answer in time";
  return answer;
}

}  // namespace mustcite::extract
