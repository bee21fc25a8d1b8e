#include "apps/pdf_worker/sandbox.hpp"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#if defined(__SANITIZE_ADDRESS__)
#define MUSTCITE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MUSTCITE_ADDRESS_SANITIZER 1
#endif
#endif

namespace mustcite::pdf_worker {
namespace {

void limit(int resource, std::uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// Memory, time, signals, reading: everything else fails with EPERM.
constexpr int kAllowed[] = {SCMP_SYS(read),
                            SCMP_SYS(readv),
                            SCMP_SYS(pread64),
                            SCMP_SYS(write),
                            SCMP_SYS(writev),
                            SCMP_SYS(close),
                            SCMP_SYS(fstat),
                            SCMP_SYS(stat),
                            SCMP_SYS(lstat),
                            SCMP_SYS(newfstatat),
                            SCMP_SYS(statx),
                            SCMP_SYS(lseek),
                            SCMP_SYS(access),
                            SCMP_SYS(faccessat),
                            SCMP_SYS(faccessat2),
                            SCMP_SYS(readlink),
                            SCMP_SYS(readlinkat),
                            SCMP_SYS(getdents64),
                            SCMP_SYS(getcwd),
                            SCMP_SYS(fcntl),
                            SCMP_SYS(fadvise64),
                            SCMP_SYS(mmap),
                            SCMP_SYS(munmap),
                            SCMP_SYS(mremap),
                            SCMP_SYS(mprotect),
                            SCMP_SYS(madvise),
                            SCMP_SYS(brk),
                            SCMP_SYS(futex),
                            SCMP_SYS(sched_yield),
                            SCMP_SYS(sched_getaffinity),
                            SCMP_SYS(set_robust_list),
                            SCMP_SYS(rseq),
                            SCMP_SYS(clock_gettime),
                            SCMP_SYS(clock_getres),
                            SCMP_SYS(gettimeofday),
                            SCMP_SYS(time),
                            SCMP_SYS(nanosleep),
                            SCMP_SYS(clock_nanosleep),
                            SCMP_SYS(getrandom),
                            SCMP_SYS(getpid),
                            SCMP_SYS(gettid),
                            SCMP_SYS(getuid),
                            SCMP_SYS(geteuid),
                            SCMP_SYS(getgid),
                            SCMP_SYS(getegid),
                            SCMP_SYS(uname),
                            SCMP_SYS(sysinfo),
                            SCMP_SYS(getrusage),
                            SCMP_SYS(rt_sigaction),
                            SCMP_SYS(rt_sigprocmask),
                            SCMP_SYS(rt_sigreturn),
                            SCMP_SYS(sigaltstack),
                            SCMP_SYS(restart_syscall),
                            SCMP_SYS(getrlimit),
                            SCMP_SYS(setrlimit),
                            SCMP_SYS(exit),
                            SCMP_SYS(exit_group)};

bool filter_system_calls() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return false;
  bool good = true;
  for (const int call : kAllowed) {
    // A name that this processor's table lacks is a negative number: nothing to allow.
    if (call >= 0) good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0 && good;
  }
  constexpr unsigned kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, kWriting, 0)) == 0 &&
         good;
  good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                          SCMP_A1(SCMP_CMP_MASKED_EQ, kWriting, 0)) == 0 &&
         good;
  good =
      seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0)) == 0 && good;
  // abort() ends only this process.
  good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A2(SCMP_CMP_EQ, SIGABRT)) == 0 &&
         good;
  // Not there rather than forbidden: the C library then does without.
  good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && good;
  good = good && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return good;
}

}  // namespace

bool enter_sandbox(std::uint64_t max_memory_bytes) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 32);
#ifdef MUSTCITE_ADDRESS_SANITIZER
  (void)max_memory_bytes;
  return true;  // its shadow memory and its end-of-run checks need what the sandbox takes away
#else
  limit(RLIMIT_AS, max_memory_bytes);
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_system_calls();
#endif
}

void grant_processor_time(std::uint32_t seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  rlimit both{};
  ::getrlimit(RLIMIT_CPU, &both);
  both.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 1;
  ::setrlimit(RLIMIT_CPU, &both);
}

}  // namespace mustcite::pdf_worker
