#include <sys/syscall.h>
#include <unistd.h>

#include "engine/neural/amx_kernels.hpp"

namespace mustcite::neural::amx {

#ifdef MUSTCITE_AMX

namespace {

bool ask() noexcept {
  if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bf16") ||
      !__builtin_cpu_supports("amx-bf16")) {
    return false;
  }
  // Linux gives a process the tiles' state only when it asks (ARCH_REQ_XCOMP_PERM of XTILEDATA).
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool supported() noexcept {
  static const bool yes = ask();
  return yes;
}

#else

bool supported() noexcept {
  return false;
}

#endif

}  // namespace mustcite::neural::amx
