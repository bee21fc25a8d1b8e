#pragma once

#include "engine/neural/amx_kernels.hpp"

/// The backward halves of the kernels, by the same rules. Gradients of activations are bfloat16 where they
/// enter a product and float32 where they are added up; gradients of weights are float32 sums.
namespace mustcite::neural::amx {

/// A layer's place among several whose outputs lie side by side: its first output and how many there are.
struct Side {
  std::size_t first = 0;
  std::size_t all = 0;
};

/// Reorders scale * weight [out, in] into tiles of its transpose, which takes a gradient of the outputs back
/// to the inputs: with `side.all` outputs, `packed` has side.all * in elements.
void pack_transposed(const float* weight, std::size_t out, std::size_t in, float scale, const Side& side,
                     bf16* packed);

/// What comes back through an activation: du = (dy * weight) * activation'(u), and activation(u) again for
/// the gradient of the weight above. `product` is the transposed weight; its bias is not read.
struct Activation {
  Epilogue kind = Epilogue::none;
  const bf16* u = nullptr;
  std::size_t u_stride = 0;
  bf16* activated = nullptr;  ///< rows as far apart as those of du
};
void multiply_through(const Product& product, const bf16* dy, std::size_t dy_stride, std::size_t rows,
                      const Activation& activation, bf16* du, std::size_t du_stride);

struct NormGradient {
  float* weight = nullptr;  ///< added to
  float* bias = nullptr;    ///< added to
};

/// The gradient of rows that were normalised, from that of what came out, in place and as bfloat16.
void normalise_back(const NormWeights& norm, const KeptNorm& kept, std::size_t kept_stride, float* x,
                    std::size_t rows, std::size_t width, bf16* rounded, std::size_t stride,
                    const NormGradient& gradient);

/// A matrix [rows, columns] in tiles, as the left or the right side of `add_outer`: rows * columns elements.
void pack_left(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, bf16* packed);
void pack_right(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, bf16* packed);

/// sums [out, in] += left^T * right over `rows` rows.
void add_outer(const bf16* left, const bf16* right, std::size_t rows, std::size_t out, std::size_t in,
               float* sums);
/// sums [columns] += the rows of a.
void add_columns(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, float* sums);

/// Elements of the scratch of `attend_back`.
struct BackScratchSizes {
  std::size_t rounded, floats;
};
[[nodiscard]] BackScratchSizes attend_back_scratch(std::size_t time, std::size_t width) noexcept;

/// One sequence on its way back through attention.
struct AttentionBack {
  const bf16* qkv = nullptr;
  const bf16* context = nullptr;           ///< what `attend` wrote
  const bf16* context_gradient = nullptr;  ///< 32 rows behind the sequence must be readable and finite
  std::size_t context_stride = 0;          ///< of both
  const float* totals = nullptr;
  bf16* rounded = nullptr;  ///< scratch
  float* floats = nullptr;  ///< scratch
};

/// Writes the gradient of `qkv`, `time` rows as far apart as those of `qkv`. That of the query is taken with
/// its scale in it.
void attend_back(const Attention& shape, const AttentionBack& back, bf16* gradient);

}  // namespace mustcite::neural::amx
