#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>

#include "core/base/error.hpp"

namespace mustcite::testing {

/// The exit status of a child: what its work returned, 100 plus the code of the Error it threw, 250 for any
/// other exception, 128 plus the signal that killed it.
inline int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

inline pid_t start_child(const std::function<int()>& act) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  int result = 250;
  try {
    result = act();
  } catch (const Error& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    result = 100 + static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  // No destructors, no exit handlers: those of the test program belong to the parent.
  ::_exit(result);
}

inline int in_child(const std::function<int()>& act) {
  return status_of(start_child(act));
}

/// The status of a child that ends with an Error of this code.
constexpr int refusal(ErrorCode code) {
  return 100 + static_cast<int>(code);
}

/// From here on no file of this process may grow beyond `bytes`, as on a disk that is full. For children
/// only.
inline void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(251);
}

/// From here on permissions count, for root too. For children only.
inline void become_nobody() {
  if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(252);
}

}  // namespace mustcite::testing
