#pragma once

#include <cstddef>
#include <vector>

#include "engine/neural/aligned_buffer.hpp"
#include "engine/neural/amx_kernels.hpp"

namespace mustcite::neural {

/// Sizes of an encoder.
struct NetworkShape {
  std::size_t layers = 0;
  std::size_t hidden = 0;
  std::size_t heads = 0;
  std::size_t intermediate = 0;
  float norm_eps = 1e-12F;
  amx::Epilogue activation = amx::Epilogue::gelu;

  [[nodiscard]] std::size_t width() const noexcept { return hidden / heads; }
  /// A query carries log2(e) besides its usual scale: the softmax takes powers of two.
  [[nodiscard]] float query_scale() const noexcept;
  // Strides that are no multiple of 2 KB: rows of a tile then fall into different sets of the cache.
  [[nodiscard]] std::size_t stride() const noexcept { return hidden + 32; }
  [[nodiscard]] std::size_t qkv_stride() const noexcept { return 3 * hidden + 32; }
  [[nodiscard]] std::size_t wide_stride() const noexcept { return intermediate + 32; }
};

/// Where a weight stands among all: five of the embeddings, then sixteen a layer, each a matrix or a norm's
/// weight with its bias behind it, in the order of `Weights::named`.
namespace place {
inline constexpr std::size_t kWords = 0, kPositions = 1, kTypes = 2, kEmbeddingNorm = 3;
inline constexpr std::size_t kFirstLayer = 5, kOfLayer = 16;
inline constexpr std::size_t kQuery = 0, kKey = 2, kValue = 4, kAttentionOutput = 6, kAttentionNorm = 8,
                             kUp = 10, kDown = 12, kOutputNorm = 14;
[[nodiscard]] constexpr std::size_t of(std::size_t layer, std::size_t which) noexcept {
  return kFirstLayer + layer * kOfLayer + which;
}
}  // namespace place

/// An encoder's weights as tiles, both ways, made of float32 weights that lie elsewhere and outlive it.
/// Memory is kept from one packing to the next.
class PackedNetwork {
 public:
  /// A layer's products forward, and back where it is trained.
  struct Layer {
    amx::Product query_key_value, attention_output, up, down;
    amx::Product query_key_value_back, attention_output_back, up_back, down_back;
    amx::NormWeights attention_norm, output_norm;
  };

  /// Packs; layers from `lowest` on for both ways. `values` by `place`.
  void pack(const NetworkShape& shape, std::vector<const float*> values, std::size_t lowest,
            std::size_t threads);

  [[nodiscard]] const NetworkShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Layer& layer(std::size_t i) const noexcept { return layers_[i]; }
  [[nodiscard]] const float* value(std::size_t place) const noexcept { return values_[place]; }
  [[nodiscard]] amx::NormWeights norm(std::size_t place) const noexcept {
    return {values_[place], values_[place + 1], shape_.norm_eps};
  }

 private:
  [[nodiscard]] std::size_t layer_numbers() const noexcept;
  void pack_layer(std::size_t i);
  void pack_layer_back(std::size_t i);

  NetworkShape shape_;
  std::vector<const float*> values_;
  std::vector<Layer> layers_;
  std::size_t lowest_ = 0;
  Buffer<amx::bf16> tiles_;
  Buffer<float> biases_;  ///< of query, key and value side by side, and zeros for the way back
};

}  // namespace mustcite::neural
