#include "engine/late/plugin.hpp"

#include "engine/dense/plugin_library.hpp"

namespace mustcite::late {

const TokenPlugin& token_plugin() {
  static const TokenPlugin& plugin = *dense::load_plugin<TokenPlugin>(
      {dense::kPluginFile, "MUSTCITE_NEURAL_PLUGIN", "mustcite_token_version", "mustcite_token_plugin",
       kTokenPluginVersion, "late interaction", "LibTorch (libtorch-dev)"});
  return plugin;
}

}  // namespace mustcite::late
