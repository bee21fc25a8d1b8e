#include <torch/version.h>

#include "core/base/error.hpp"
#include "engine/neural/amx_kernels.hpp"
#include "engine/neural/encoder.hpp"
#include "engine/neural/learner.hpp"
#include "engine/plugin/baselines.hpp"

// What the library exports: see engine/dense/encoder.hpp.

namespace mustcite::plugin {
namespace {

using neural::load_weights;
using neural::make_encoder;
using neural::make_learner;

/// LibTorch's exceptions stay in this library.
template <typename Open>
auto guarded(const std::string& model, const Open& open) {
  try {
    return open();
  } catch (const c10::Error& error) {
    fail(ErrorCode::internal, "LibTorch could not load the model {}: {}", model,
         error.what_without_backtrace());
  }
}

class Plugin final : public dense::NeuralPlugin {
 public:
  std::string description() const override {
    return std::string("LibTorch ") + TORCH_VERSION +
           (neural::amx::supported() ? ", bfloat16 on AMX tiles" : "");
  }
  std::unique_ptr<dense::Encoder> open_encoder(const model::ModelFolder& model,
                                               const dense::EncoderOptions& options) const override {
    return guarded(model.folder.string(), [&] { return make_encoder(model, load_weights(model), options); });
  }
  std::unique_ptr<train::Learner> open_learner(const model::ModelFolder& model,
                                               const train::LearnerOptions& options) const override {
    return guarded(model.folder.string(), [&] { return make_learner(model, options); });
  }
  std::unique_ptr<baseline::Learner> open_baseline_learner(const baseline::Data& data) const override {
    return guarded(data.recipe.name, [&] { return baseline_of(data.recipe.baseline).make_learner(data); });
  }
  std::unique_ptr<baseline::Ranker> open_baseline(const std::filesystem::path& folder,
                                                  const baseline::World& world) const override {
    const auto card = baseline::read_card(folder);
    baseline::check_card(card, folder, world.snapshot->digest());
    return guarded(folder.string(), [&] { return baseline_of(card.baseline).open(folder, card, world); });
  }
};

}  // namespace
}  // namespace mustcite::plugin

extern "C" {

__attribute__((visibility("default"))) int mustcite_neural_version() {
  return mustcite::dense::kPluginVersion;
}

__attribute__((visibility("default"))) const mustcite::dense::NeuralPlugin* mustcite_neural_plugin() {
  static const mustcite::plugin::Plugin plugin;
  return &plugin;
}
}
