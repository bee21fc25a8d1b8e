#pragma once

#include <string>

#include "engine/neural/parameters.hpp"

/// Which papers does a hierarchical attention encoder put near a query, and how does a second model that
/// reads both order them?
namespace mustcite::hatten {

/// Self-attention with a feed-forward part behind it, each with its residual and its norm after it, as the
/// first transformers had it.
struct AttentionLayer {
  neural::Linear query, key, value, output;
  neural::Norm attention_norm;
  neural::Linear up, down;
  neural::Norm output_norm;
  std::int64_t heads = 1;
};

[[nodiscard]] AttentionLayer make_attention_layer(neural::Parameters& parameters, const std::string& name,
                                                  std::int64_t width, std::int64_t heads, std::int64_t inner);

/// Several items become one vector: each head weighs the items by a softmax over a score of its own, sums
/// their values, and a linear layer after a ReLU mixes the heads.
struct AttentionPooling {
  neural::Linear score;  ///< width to heads
  neural::Linear value;  ///< width to width
  neural::Linear output;
};

[[nodiscard]] AttentionPooling make_attention_pooling(neural::Parameters& parameters, const std::string& name,
                                                      std::int64_t width, std::int64_t heads);

/// x [rows, time, width], mask [rows, time] true where an item is; gives the same shape. `dropout` 0: none.
[[nodiscard]] at::Tensor apply(const AttentionLayer& layer, const at::Tensor& x, const at::Tensor& mask,
                               double dropout);
/// Gives [rows, width]. A row without any item is the mean of its padding: a number, and never a fault.
[[nodiscard]] at::Tensor apply(const AttentionPooling& pooling, const at::Tensor& x, const at::Tensor& mask);

/// Sines and cosines of falling frequency, [time, width].
[[nodiscard]] at::Tensor sinusoids(std::int64_t time, std::int64_t width);

}  // namespace mustcite::hatten
