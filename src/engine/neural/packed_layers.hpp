#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/neural/amx_kernels.hpp"
#include "engine/neural/bert.hpp"

namespace mustcite::neural {

/// A linear layer in tiles. Sizes are filled up with zeros to whole blocks.
struct PackedLinear {
  std::vector<amx::bf16> tiles;
  std::vector<float> bias;
  std::size_t in = 0;
  std::size_t out = 0;

  [[nodiscard]] amx::Product product() const noexcept { return {tiles.data(), bias.data(), in, out}; }
};

struct PackedNorm {
  std::vector<float> weight;
  std::vector<float> bias;
  double eps = 0;

  [[nodiscard]] amx::NormWeights view() const noexcept {
    return {weight.data(), bias.data(), static_cast<float>(eps)};
  }
};

/// The next multiple of a block.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t size) noexcept {
  return (size + amx::kBlock - 1) / amx::kBlock * amx::kBlock;
}

/// Several layers of the same input, one below the other; `scale` is applied to the first.
[[nodiscard]] PackedLinear pack(std::span<const Linear* const> layers, float scale = 1);
[[nodiscard]] PackedLinear pack(const Linear& layer);
[[nodiscard]] PackedNorm pack(const Norm& norm, double eps);

/// The activation as the kernels compute it; none: they do not.
[[nodiscard]] std::optional<amx::Epilogue> packed_activation(model::Activation activation);

/// The numbers of a float32 tensor, row-major.
[[nodiscard]] std::vector<float> values_of(const at::Tensor& tensor);

}  // namespace mustcite::neural
