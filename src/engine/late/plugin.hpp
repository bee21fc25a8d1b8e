#pragma once

#include <memory>

#include "engine/dense/encoder.hpp"
#include "engine/late/token_encoder.hpp"

namespace mustcite::late {

/// What the library with LibTorch offers for token vectors.
class TokenPlugin {
 public:
  virtual ~TokenPlugin() = default;
  /// Loads the weights of the model. Throws invalid_input for weights that do not fit their config.
  [[nodiscard]] virtual std::unique_ptr<TokenEncoder> open_token_encoder(
      const model::LateModel& model, const dense::EncoderOptions& options) const = 0;
};

/// Version of the interface above; `int mustcite_token_version()` and
/// `const TokenPlugin* mustcite_token_plugin()` are what the library exports.
inline constexpr int kTokenPluginVersion = 1;

/// The plug-in: the same library as `dense::neural_plugin`, found and loaded alike. Throws unavailable.
[[nodiscard]] const TokenPlugin& token_plugin();

}  // namespace mustcite::late
