#include "engine/neural/amx_kernels.hpp"

#include <immintrin.h>

#include <cmath>

#include "engine/neural/amx_tiles.hpp"
#include "engine/neural/avx512_math.hpp"

namespace mustcite::neural::amx {
namespace {

constexpr int kPalette = 1;

struct alignas(64) TileConfig {
  std::uint8_t palette = kPalette;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

template <bool kKeep, typename Activate>
inline void multiply_with(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
                          bf16* y, std::size_t y_stride, bf16* kept, const Activate& activate) {
  each_block(product, a, a_stride, rows, [&](std::size_t m, std::size_t n, const Block& block) {
    const __m512 low_bias = _mm512_loadu_ps(product.bias + n);
    const __m512 high_bias = _mm512_loadu_ps(product.bias + n + 16);
    for (std::size_t r = 0; r < kBlock; ++r) {
      const __m512 low = _mm512_add_ps(_mm512_load_ps(block.row(r)), low_bias);
      const __m512 high = _mm512_add_ps(_mm512_load_ps(block.row(r) + 16), high_bias);
      if constexpr (kKeep) store_bf16(kept + (m + r) * y_stride + n, low, high);
      store_bf16(y + (m + r) * y_stride + n, activate(low), activate(high));
    }
  });
}

/// What a row of weights was divided by: weight = 2^(score - top) / sum.
struct RowTotal {
  float top = 0;
  float sum = 0;
};

/// Turns a row of scores (of base 2) into weights that add up to the sum returned, zeros behind the sequence.
inline RowTotal weigh_row(const float* scores, std::size_t time, std::size_t padded, bf16* weights) {
  const std::size_t full = time / 16 * 16;
  const auto tail = static_cast<__mmask16>((1U << (time - full)) - 1);
  const __m512 lowest = _mm512_set1_ps(-3e38F);
  __m512 top = _mm512_mask_loadu_ps(lowest, tail, scores + full);
  for (std::size_t t = 0; t < full; t += 16) top = _mm512_max_ps(top, _mm512_loadu_ps(scores + t));
  const float greatest = _mm512_reduce_max_ps(top);
  const __m512 highest = _mm512_set1_ps(greatest);
  __m512 sum = _mm512_setzero_ps();
  for (std::size_t t = 0; t < full; t += 16) {
    const __m512 w = exp2_negative(_mm512_sub_ps(_mm512_loadu_ps(scores + t), highest));
    sum = _mm512_add_ps(sum, w);
    store_bf16(weights + t, w);
  }
  if (full < padded) {
    const __m512 w = _mm512_maskz_mov_ps(
        tail, exp2_negative(_mm512_sub_ps(_mm512_mask_loadu_ps(lowest, tail, scores + full), highest)));
    sum = _mm512_add_ps(sum, w);
    store_bf16(weights + full, w);
    for (std::size_t t = full + 16; t < padded; t += 16) store_bf16(weights + t, _mm512_setzero_ps());
  }
  return {greatest, _mm512_reduce_add_ps(sum)};
}

void attend_head(const Attention& shape, const bf16* qkv, const Scratch& scratch, bf16* context,
                 std::size_t context_stride, float* totals) {
  const std::size_t hidden = shape.heads * shape.width;
  const Slice keys{qkv + hidden, shape.stride, shape.time, shape.width};
  const std::size_t padded = keys.padded();
  pack_keys(keys, scratch.keys);
  pack_values({qkv + 2 * hidden, shape.stride, shape.time, shape.width}, scratch.values);
  alignas(64) float mixed[16 * 64];
  float sums[16];
  for (std::size_t first = 0; first < shape.time; first += 16) {
    const std::size_t rows = shape.time - first < 16 ? shape.time - first : 16;
    score_block(qkv + first * shape.stride, shape.stride, shape.width, scratch.keys, padded, scratch.scores);
    for (std::size_t r = 0; r < 16; ++r) {
      const auto total =
          weigh_row(scratch.scores + r * padded, shape.time, padded, scratch.weights + r * padded);
      sums[r] = total.sum;
      if (totals != nullptr && r < rows) totals[first + r] = total.top + std::log2(total.sum);
    }
    mix_block({scratch.weights, padded, 32}, padded, scratch.values, shape.width, mixed);
    for (std::size_t r = 0; r < rows; ++r) {
      const __m512 scale = _mm512_set1_ps(1.0F / sums[r]);
      for (std::size_t n = 0; n < shape.width; n += 16) {
        store_bf16(context + (first + r) * context_stride + n,
                   _mm512_mul_ps(_mm512_load_ps(mixed + r * shape.width + n), scale));
      }
    }
  }
}

}  // namespace

Tiles::Tiles() {
  // Static: g++ takes ldtilecfg to read eight bytes, and would not write the others of a local.
  static const TileConfig config;
  _tile_loadconfig(&config);
}

Tiles::~Tiles() {
  _tile_release();
}

void pack_weight(const float* weight, std::size_t out, std::size_t in, float scale, bf16* packed) {
  alignas(64) bf16 rounded[16 * 32];
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::size_t n = 0; n < out; n += kBlock) {
    for (std::size_t k = 0; k < in; k += 32) {
      for (std::size_t half = 0; half < 32; half += 16) {
        for (std::size_t c = 0; c < 16; ++c) {
          const float* row = weight + (n + half + c) * in + k;
          store_bf16(rounded + c * 32, _mm512_mul_ps(factor, _mm512_loadu_ps(row)),
                     _mm512_mul_ps(factor, _mm512_loadu_ps(row + 16)));
        }
        transpose_pairs(rounded, 32, packed);
        packed += kTile;
      }
    }
  }
}

void multiply(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
              Epilogue epilogue, bf16* y, std::size_t y_stride, bf16* kept) {
  const auto run = [&](const auto& activate) {
    if (kept == nullptr) return multiply_with<false>(product, a, a_stride, rows, y, y_stride, kept, activate);
    multiply_with<true>(product, a, a_stride, rows, y, y_stride, kept, activate);
  };
  switch (epilogue) {
    case Epilogue::none:
      return run([](__m512 x) { return x; });
    case Epilogue::gelu:
      return run([](__m512 x) { return gelu(x); });
    case Epilogue::gelu_tanh:
      return run([](__m512 x) { return gelu_tanh(x); });
    case Epilogue::relu:
      return run([](__m512 x) { return _mm512_max_ps(x, _mm512_setzero_ps()); });
  }
}

void multiply_add(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows, float scale,
                  float* y, std::size_t y_stride) {
  const __m512 factor = _mm512_set1_ps(scale);
  each_block(product, a, a_stride, rows, [&](std::size_t m, std::size_t n, const Block& block) {
    for (std::size_t half = 0; half < kBlock; half += 16) {
      const __m512 bias = _mm512_loadu_ps(product.bias + n + half);
      for (std::size_t r = 0; r < kBlock; ++r) {
        float* to = y + (m + r) * y_stride + n + half;
        const __m512 sum = _mm512_add_ps(_mm512_load_ps(block.row(r) + half), bias);
        _mm512_storeu_ps(to, _mm512_fmadd_ps(factor, sum, _mm512_loadu_ps(to)));
      }
    }
  });
}

void normalise_rows(const NormWeights& norm, float* x, std::size_t rows, std::size_t width, bf16* rounded,
                    std::size_t stride, const KeptNorm& kept) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = x + r * width;
    __m512 sum = _mm512_setzero_ps();
    for (std::size_t i = 0; i < width; i += 16) sum = _mm512_add_ps(sum, _mm512_loadu_ps(row + i));
    const __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(sum) * share);
    __m512 squares = _mm512_setzero_ps();
    for (std::size_t i = 0; i < width; i += 16) {
      const __m512 d = _mm512_sub_ps(_mm512_loadu_ps(row + i), mean);
      squares = _mm512_fmadd_ps(d, d, squares);
    }
    const float variance = _mm512_reduce_add_ps(squares) * share + norm.eps;
    const __m512 scale = _mm512_div_ps(_mm512_set1_ps(1), _mm512_sqrt_ps(_mm512_set1_ps(variance)));
    for (std::size_t i = 0; i < width; i += 16) {
      const __m512 d = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(row + i), mean), scale);
      if (kept.unit != nullptr) store_bf16(kept.unit + r * stride + i, d);
      const __m512 y = _mm512_fmadd_ps(d, _mm512_loadu_ps(norm.weight + i), _mm512_loadu_ps(norm.bias + i));
      _mm512_storeu_ps(row + i, y);
      store_bf16(rounded + r * stride + i, y);
    }
    if (kept.scales != nullptr) kept.scales[r] = _mm512_cvtss_f32(scale);
  }
}

void round_row(const float* x, std::size_t width, bf16* rounded) {
  for (std::size_t i = 0; i < width; i += 16) store_bf16(rounded + i, _mm512_loadu_ps(x + i));
}

ScratchSizes attention_scratch(std::size_t time, std::size_t width) noexcept {
  const std::size_t padded = (time + 31) / 32 * 32;
  return {padded * width * sizeof(bf16), padded * width * sizeof(bf16), 16 * padded * sizeof(float),
          16 * padded * sizeof(bf16)};
}

void attend(const Attention& shape, const bf16* qkv, const Scratch& scratch, bf16* context,
            std::size_t context_stride, float* totals) {
  for (std::size_t head = 0; head < shape.heads; ++head) {
    attend_head(shape, qkv + head * shape.width, scratch, context + head * shape.width, context_stride,
                totals == nullptr ? nullptr : totals + head * shape.time);
  }
}

}  // namespace mustcite::neural::amx
