#pragma once

#include <string>

namespace mustcite::dense {

/// A library that the program loads when something in it is asked for.
struct PluginLibrary {
  const char* file;
  const char* variable;  ///< environment variable that names another file
  const char* version_symbol;
  const char* plugin_symbol;
  int version;
  const char* what;   ///< "neural methods": for messages
  const char* needs;  ///< "LibTorch (libtorch-dev)"
};

/// What the plug-in symbol of the library returns. It stays loaded. Throws unavailable, saying what to do.
[[nodiscard]] const void* load_plugin_address(const PluginLibrary& library);

template <typename Plugin>
[[nodiscard]] const Plugin* load_plugin(const PluginLibrary& library) {
  return static_cast<const Plugin*>(load_plugin_address(library));
}

/// OpenBLAS, which LibTorch and Faiss multiply matrices with, knows processors by their model number and
/// takes one that is newer than itself for one of 2004. Before it is loaded, this tells it the instructions
/// that are there (environment variable OPENBLAS_CORETYPE), unless somebody has told it already.
void name_processor_for_openblas();

}  // namespace mustcite::dense
