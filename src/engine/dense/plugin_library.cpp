#include "engine/dense/plugin_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/base/error.hpp"

namespace mustcite::dense {
namespace {

namespace fs = std::filesystem;

/// Where the library may lie, in the order of looking: installed, beside the program, in a build tree.
std::vector<fs::path> places(const PluginLibrary& library) {
  if (const char* chosen = std::getenv(library.variable); chosen != nullptr && *chosen != '\0')
    return {chosen};
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  return {folder.parent_path() / "lib" / "mustcite" / library.file, folder / library.file,
          folder.parent_path() / "lib" / library.file};
}

}  // namespace

void name_processor_for_openblas() {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
  }
}

const void* load_plugin_address(const PluginLibrary& library) {
  const std::vector<fs::path> looked_at = places(library);
  name_processor_for_openblas();
  std::error_code none;
  for (const fs::path& file : looked_at) {
    if (!fs::exists(file, none)) continue;
    // It stays loaded: threads and statics of such libraries do not survive an unloading.
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
      const char* const why = dlerror();
      fail(ErrorCode::unavailable, "cannot load the library {}: {}; install {}, or build it anew",
           file.string(), why != nullptr ? why : "unknown reason", library.needs);
    }
    const auto version = reinterpret_cast<int (*)()>(dlsym(handle, library.version_symbol));
    const auto plugin = reinterpret_cast<const void* (*)()>(dlsym(handle, library.plugin_symbol));
    if (version == nullptr || plugin == nullptr || version() != library.version) {
      fail(ErrorCode::unavailable,
           "the library {} is of another version than this program: build both together", file.string());
    }
    return plugin();
  }
  fail(ErrorCode::unavailable,
       "{} need the library {}, and it is not at {}: build mustcite with {}, or name the file in ${}; "
       "everything else works "
       "without it",
       library.what, library.file, looked_at.front().string(), library.needs, library.variable);
}

}  // namespace mustcite::dense
