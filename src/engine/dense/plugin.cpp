#include "engine/dense/encoder.hpp"
#include "engine/dense/plugin_library.hpp"

namespace mustcite::dense {

const NeuralPlugin& neural_plugin() {
  static const NeuralPlugin& plugin = *load_plugin<NeuralPlugin>(
      {kPluginFile, "MUSTCITE_NEURAL_PLUGIN", kVersionSymbol, kPluginSymbol, kPluginVersion, "neural methods",
       "LibTorch (libtorch-dev) and -DMUSTCITE_NEURAL=ON"});
  return plugin;
}

}  // namespace mustcite::dense
