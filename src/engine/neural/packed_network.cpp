#include "engine/neural/packed_network.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"
#include "engine/neural/amx_gradients.hpp"

#ifdef MUSTCITE_AMX

namespace mustcite::neural {

float NetworkShape::query_scale() const noexcept {
  return static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(width())));
}

std::size_t PackedNetwork::layer_numbers() const noexcept {
  return 4 * shape_.hidden * shape_.hidden + 2 * shape_.hidden * shape_.intermediate;
}

void PackedNetwork::pack(const NetworkShape& shape, std::vector<const float*> values, std::size_t lowest,
                         std::size_t threads) {
  shape_ = shape;
  values_ = std::move(values);
  lowest_ = lowest;
  layers_.assign(shape.layers, {});
  tiles_.room((2 * shape.layers - lowest) * layer_numbers());
  const std::size_t widest = std::max(3 * shape.hidden, shape.intermediate);
  biases_.room(shape.layers * 3 * shape.hidden + widest);
  parallel_for(2 * shape.layers - lowest, threads, [&](std::size_t item, std::size_t) {
    if (item < shape_.layers) {
      pack_layer(item);
    } else {
      pack_layer_back(item - shape_.layers + lowest);
    }
  });
}

void PackedNetwork::pack_layer(std::size_t i) {
  const std::size_t hidden = shape_.hidden;
  amx::bf16* tiles = tiles_.data() + i * layer_numbers();
  const auto pack = [&](std::size_t which, std::size_t out, std::size_t in, float scale) {
    amx::bf16* const to = tiles;
    amx::pack_weight(value(place::of(i, which)), out, in, scale, to);
    tiles += out * in;
    return amx::Product{to, value(place::of(i, which) + 1), in, out};
  };
  Layer& layer = layers_[i];
  layer.query_key_value = pack(place::kQuery, hidden, hidden, shape_.query_scale());
  pack(place::kKey, hidden, hidden, 1);
  pack(place::kValue, hidden, hidden, 1);
  float* const bias = biases_.data() + i * 3 * hidden;
  for (std::size_t j = 0; j < hidden; ++j)
    bias[j] = shape_.query_scale() * value(place::of(i, place::kQuery) + 1)[j];
  std::copy_n(value(place::of(i, place::kKey) + 1), hidden, bias + hidden);
  std::copy_n(value(place::of(i, place::kValue) + 1), hidden, bias + 2 * hidden);
  layer.query_key_value.bias = bias;
  layer.query_key_value.out = 3 * hidden;
  layer.attention_output = pack(place::kAttentionOutput, hidden, hidden, 1);
  layer.up = pack(place::kUp, shape_.intermediate, hidden, 1);
  layer.down = pack(place::kDown, hidden, shape_.intermediate, 1);
  layer.attention_norm = norm(place::of(i, place::kAttentionNorm));
  layer.output_norm = norm(place::of(i, place::kOutputNorm));
}

void PackedNetwork::pack_layer_back(std::size_t i) {
  const std::size_t hidden = shape_.hidden;
  const std::size_t wide = shape_.intermediate;
  amx::bf16* tiles = tiles_.data() + (shape_.layers + i - lowest_) * layer_numbers();
  const float* const no_bias = biases_.data() + shape_.layers * 3 * hidden;
  const auto pack = [&](std::size_t which, std::size_t out, std::size_t in, float scale,
                        const amx::Side& side) {
    amx::pack_transposed(value(place::of(i, which)), out, in, scale, side, tiles);
  };
  const auto product = [&](std::size_t out, std::size_t in) {
    const amx::Product made{tiles, no_bias, out, in};
    tiles += out * in;
    return made;
  };
  Layer& layer = layers_[i];
  pack(place::kQuery, hidden, hidden, shape_.query_scale(), {0, 3 * hidden});
  pack(place::kKey, hidden, hidden, 1, {hidden, 3 * hidden});
  pack(place::kValue, hidden, hidden, 1, {2 * hidden, 3 * hidden});
  layer.query_key_value_back = product(3 * hidden, hidden);
  pack(place::kAttentionOutput, hidden, hidden, 1, {0, hidden});
  layer.attention_output_back = product(hidden, hidden);
  pack(place::kUp, wide, hidden, 1, {0, wide});
  layer.up_back = product(wide, hidden);
  pack(place::kDown, hidden, wide, 1, {0, hidden});
  layer.down_back = product(hidden, wide);
}

}  // namespace mustcite::neural

#endif
