#include "core/base/error.hpp"
#include "engine/late/plugin.hpp"
#include "engine/neural/token_encoder.hpp"

// What the library exports for token vectors: see engine/late/plugin.hpp.

namespace mustcite::plugin {
namespace {

class LatePlugin final : public late::TokenPlugin {
 public:
  std::unique_ptr<late::TokenEncoder> open_token_encoder(
      const model::LateModel& model, const dense::EncoderOptions& options) const override {
    // LibTorch's exceptions stay in this library.
    try {
      return neural::make_token_encoder(model, neural::load_weights(model.folder), options);
    } catch (const c10::Error& error) {
      fail(ErrorCode::internal, "LibTorch could not load the model {}: {}", model.folder.folder.string(),
           error.what_without_backtrace());
    }
  }
};

}  // namespace
}  // namespace mustcite::plugin

extern "C" {

__attribute__((visibility("default"))) int mustcite_token_version() {
  return mustcite::late::kTokenPluginVersion;
}

__attribute__((visibility("default"))) const mustcite::late::TokenPlugin* mustcite_token_plugin() {
  static const mustcite::plugin::LatePlugin plugin;
  return &plugin;
}
}
