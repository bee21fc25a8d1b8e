#pragma once

#include <memory>

#include "engine/dense/encoder.hpp"
#include "engine/neural/bert.hpp"

namespace mustcite::neural {

/// An encoder over weights that are loaded already (training measures itself with it). It keeps a copy of
/// what it needs in the precision asked for.
[[nodiscard]] std::unique_ptr<dense::Encoder> make_encoder(const model::ModelFolder& folder,
                                                           const Weights& weights,
                                                           const dense::EncoderOptions& options);

}  // namespace mustcite::neural
