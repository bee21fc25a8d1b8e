// A neural library for tests of the command line: loads like the one with LibTorch and encodes without a
// network.

#include "core/base/error.hpp"
#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/late/plugin.hpp"
#include "engine/train/learner.hpp"
#include "unit/dense/token_encoder.hpp"
#include "unit/late/token_directions.hpp"

namespace {

class TokenPlugin final : public mustcite::dense::NeuralPlugin {
 public:
  [[nodiscard]] std::string description() const override { return "token directions, for tests"; }
  [[nodiscard]] std::unique_ptr<mustcite::dense::Encoder> open_encoder(
      const mustcite::model::ModelFolder& model, const mustcite::dense::EncoderOptions&) const override {
    return std::make_unique<mustcite::test::TokenEncoder>(model);
  }
  [[nodiscard]] std::unique_ptr<mustcite::train::Learner> open_learner(
      const mustcite::model::ModelFolder&, const mustcite::train::LearnerOptions&) const override {
    mustcite::fail(mustcite::ErrorCode::unavailable, "token directions cannot learn");
  }
  [[nodiscard]] std::unique_ptr<mustcite::baseline::Learner> open_baseline_learner(
      const mustcite::baseline::Data&) const override {
    mustcite::fail(mustcite::ErrorCode::unavailable, "token directions hold no baseline");
  }
  [[nodiscard]] std::unique_ptr<mustcite::baseline::Ranker> open_baseline(
      const std::filesystem::path&, const mustcite::baseline::World&) const override {
    mustcite::fail(mustcite::ErrorCode::unavailable, "token directions hold no baseline");
  }
};

class LatePlugin final : public mustcite::late::TokenPlugin {
 public:
  [[nodiscard]] std::unique_ptr<mustcite::late::TokenEncoder> open_token_encoder(
      const mustcite::model::LateModel& model, const mustcite::dense::EncoderOptions&) const override {
    return std::make_unique<mustcite::test::TokenDirections>(model);
  }
};

}  // namespace

extern "C" int mustcite_neural_version() {
  return mustcite::dense::kPluginVersion;
}

extern "C" const mustcite::dense::NeuralPlugin* mustcite_neural_plugin() {
  static const TokenPlugin plugin;
  return &plugin;
}

extern "C" int mustcite_token_version() {
  return mustcite::late::kTokenPluginVersion;
}

extern "C" const mustcite::late::TokenPlugin* mustcite_token_plugin() {
  static const LatePlugin plugin;
  return &plugin;
}
