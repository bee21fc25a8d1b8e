#include <torch/version.h>

#include "core/base/error.hpp"
#include "engine/neural/amx_kernels.hpp"
#include "engine/neural/encoder.hpp"
#include "engine/neural/learner.hpp"

// What the library exports: see engine/dense/encoder.hpp.

namespace mustcite::neural {
namespace {

/// LibTorch's exceptions stay in this library.
template <typename Open>
auto guarded(const model::ModelFolder& model, const Open& open) {
  try {
    return open();
  } catch (const c10::Error& error) {
    fail(ErrorCode::internal, "LibTorch could not load the model {}: {}", model.folder.string(),
         error.what_without_backtrace());
  }
}

class Plugin final : public dense::NeuralPlugin {
 public:
  std::string description() const override {
    return std::string("LibTorch ") + TORCH_VERSION + (amx::supported() ? ", bfloat16 on AMX tiles" : "");
  }
  std::unique_ptr<dense::Encoder> open_encoder(const model::ModelFolder& model,
                                               const dense::EncoderOptions& options) const override {
    return guarded(model, [&] { return make_encoder(model, load_weights(model), options); });
  }
  std::unique_ptr<train::Learner> open_learner(const model::ModelFolder& model,
                                               const train::LearnerOptions& options) const override {
    return guarded(model, [&] { return make_learner(model, options); });
  }
};

}  // namespace
}  // namespace mustcite::neural

extern "C" {

__attribute__((visibility("default"))) int mustcite_neural_version() {
  return mustcite::dense::kPluginVersion;
}

__attribute__((visibility("default"))) const mustcite::dense::NeuralPlugin* mustcite_neural_plugin() {
  static const mustcite::neural::Plugin plugin;
  return &plugin;
}
}
