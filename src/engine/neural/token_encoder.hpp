#pragma once

#include <memory>

#include "engine/dense/encoder.hpp"
#include "engine/late/token_encoder.hpp"
#include "engine/neural/bert.hpp"

namespace mustcite::neural {

/// Token vectors over weights that are loaded already. On tiles the states are bfloat16 products and the
/// projection float32; queries whose expansion nobody attends to are computed in float32 always.
[[nodiscard]] std::unique_ptr<late::TokenEncoder> make_token_encoder(const model::LateModel& model,
                                                                     const Weights& weights,
                                                                     const dense::EncoderOptions& options);

}  // namespace mustcite::neural
