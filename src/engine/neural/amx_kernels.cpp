#include "engine/neural/amx_kernels.hpp"

#include <immintrin.h>

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

/// Tile loads of g++ do not tell the compiler that they read memory: what was written before must be there.
inline void settle_memory() {
  __asm__ volatile("" ::: "memory");
}

/// Sums of 32 x 32 outputs, row-major.
struct alignas(64) Block {
  float sums[kBlock * kBlock];
  [[nodiscard]] const float* row(std::size_t r) const noexcept { return sums + r * kBlock; }
};

/// 32 rows of `a` times one panel of 32 columns.
inline void multiply_block(const bf16* a, std::size_t a_stride, const bf16* panel, std::size_t in,
                           Block& block) {
  settle_memory();
  const auto bytes = static_cast<long>(a_stride * sizeof(bf16));
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t k = 0; k < in; k += 32) {
    _tile_loadd(4, a + k, bytes);
    _tile_loadd(6, panel, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, panel + 512, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + 16 * a_stride + k, bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    panel += 1024;
  }
  constexpr long kRowBytes = kBlock * sizeof(float);
  _tile_stored(0, block.sums, kRowBytes);
  _tile_stored(1, block.sums + 16, kRowBytes);
  _tile_stored(2, block.sums + 16 * kBlock, kRowBytes);
  _tile_stored(3, block.sums + 16 * kBlock + 16, kRowBytes);
}

/// Panels outside, rows inside: a panel stays in the first cache while the rows pass by.
template <typename Use>
inline void each_block(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
                       const Use& use) {
  Block block;
  for (std::size_t n = 0; n < product.out; n += kBlock) {
    const bf16* panel = product.packed + n * product.in;
    for (std::size_t m = 0; m < rows; m += kBlock) {
      multiply_block(a + m * a_stride, a_stride, panel, product.in, block);
      use(m, n, block);
    }
  }
}

template <typename Activate>
inline void multiply_with(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
                          bf16* y, std::size_t y_stride, const Activate& activate) {
  each_block(product, a, a_stride, rows, [&](std::size_t m, std::size_t n, const Block& block) {
    const __m512 low_bias = _mm512_loadu_ps(product.bias + n);
    const __m512 high_bias = _mm512_loadu_ps(product.bias + n + 16);
    for (std::size_t r = 0; r < kBlock; ++r) {
      const __m512 low = activate(_mm512_add_ps(_mm512_load_ps(block.row(r)), low_bias));
      const __m512 high = activate(_mm512_add_ps(_mm512_load_ps(block.row(r) + 16), high_bias));
      store_bf16(y + (m + r) * y_stride + n, low, high);
    }
  });
}

/// Tiles of keys^T: 16 keys x 32 numbers each, pairs of numbers down, keys across.
void pack_keys(const bf16* keys, const Attention& shape, std::size_t padded, bf16* out) {
  for (std::size_t key = 0; key < padded; key += 16) {
    for (std::size_t k = 0; k < shape.width; k += 32) {
      transpose_pairs(keys + key * shape.stride + k, shape.stride, out);
      out += 512;
    }
  }
}

/// Tiles of values: 32 keys (pairs down) x 16 numbers; keys behind the sequence count nothing.
void pack_values(const bf16* values, const Attention& shape, std::size_t padded, bf16* out) {
  for (std::size_t key = 0; key < padded; key += 32) {
    for (std::size_t n = 0; n < shape.width; n += 16) {
      for (std::size_t r = 0; r < 32; r += 2) {
        const bf16* first = values + (key + r) * shape.stride + n;
        const __m256i a = key + r < shape.time ? load16(first) : _mm256_setzero_si256();
        const __m256i b = key + r + 1 < shape.time ? load16(first + shape.stride) : _mm256_setzero_si256();
        interleave(a, b, out);
        out += 32;
      }
    }
  }
}

/// Scores of 16 queries with every key.
inline void score_block(const bf16* queries, const Attention& shape, const bf16* keys, std::size_t padded,
                        float* scores) {
  settle_memory();
  const auto bytes = static_cast<long>(shape.stride * sizeof(bf16));
  const auto row_bytes = static_cast<long>(padded * sizeof(float));
  const bool wide = shape.width == 64;
  _tile_loadd(4, queries, bytes);
  if (wide) _tile_loadd(5, queries + 32, bytes);
  for (std::size_t key = 0; key < padded; key += 32) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_loadd(6, keys, 64);
    _tile_dpbf16ps(0, 4, 6);
    keys += 512;
    if (wide) {
      _tile_loadd(7, keys, 64);
      _tile_dpbf16ps(0, 5, 7);
      keys += 512;
    }
    _tile_loadd(6, keys, 64);
    _tile_dpbf16ps(1, 4, 6);
    keys += 512;
    if (wide) {
      _tile_loadd(7, keys, 64);
      _tile_dpbf16ps(1, 5, 7);
      keys += 512;
    }
    _tile_stored(0, scores + key, row_bytes);
    _tile_stored(1, scores + key + 16, row_bytes);
  }
}

/// Turns a row of scores (of base 2) into weights that add up to `returned`, zeros behind the sequence.
inline float weigh_row(const float* scores, std::size_t time, std::size_t padded, bf16* weights) {
  const std::size_t full = time / 16 * 16;
  const auto tail = static_cast<__mmask16>((1U << (time - full)) - 1);
  const __m512 lowest = _mm512_set1_ps(-3e38F);
  __m512 top = _mm512_mask_loadu_ps(lowest, tail, scores + full);
  for (std::size_t t = 0; t < full; t += 16) top = _mm512_max_ps(top, _mm512_loadu_ps(scores + t));
  const __m512 highest = _mm512_set1_ps(_mm512_reduce_max_ps(top));
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
  return _mm512_reduce_add_ps(sum);
}

/// Weighted sums of the values for 16 queries, 32 numbers wide.
inline void mix_block(const bf16* weights, std::size_t padded, const bf16* values, const Attention& shape,
                      float* out) {
  settle_memory();
  _tile_zero(0);
  _tile_zero(1);
  for (std::size_t key = 0; key < padded; key += 32) {
    _tile_loadd(4, weights + key, static_cast<long>(padded * sizeof(bf16)));
    _tile_loadd(6, values, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, values + 512, 64);
    _tile_dpbf16ps(1, 4, 7);
    values += shape.width * 32;
  }
  const auto row_bytes = static_cast<long>(shape.width * sizeof(float));
  _tile_stored(0, out, row_bytes);
  _tile_stored(1, out + 16, row_bytes);
}

void attend_head(const Attention& shape, const bf16* qkv, const Scratch& scratch, bf16* context,
                 std::size_t context_stride) {
  const std::size_t padded = (shape.time + 31) / 32 * 32;
  const std::size_t hidden = shape.heads * shape.width;
  pack_keys(qkv + hidden, shape, padded, scratch.keys);
  pack_values(qkv + 2 * hidden, shape, padded, scratch.values);
  alignas(64) float mixed[16 * 64];
  float sums[16];
  for (std::size_t first = 0; first < shape.time; first += 16) {
    score_block(qkv + first * shape.stride, shape, scratch.keys, padded, scratch.scores);
    for (std::size_t r = 0; r < 16; ++r) {
      sums[r] = weigh_row(scratch.scores + r * padded, shape.time, padded, scratch.weights + r * padded);
    }
    for (std::size_t n = 0; n < shape.width; n += 32) {
      mix_block(scratch.weights, padded, scratch.values + n * 32, shape, mixed + n);
    }
    const std::size_t rows = shape.time - first < 16 ? shape.time - first : 16;
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

void pack_weight(const float* weight, std::size_t out, std::size_t in, bf16* packed) {
  for (std::size_t n = 0; n < out; n += kBlock) {
    for (std::size_t k = 0; k < in; k += 32) {
      for (std::size_t half = 0; half < 32; half += 16) {
        for (std::size_t r = 0; r < 32; r += 2) {
          for (std::size_t c = 0; c < 16; ++c) {
            const float* pair = weight + (n + half + c) * in + k + r;
            *packed++ = round_bf16(pair[0]);
            *packed++ = round_bf16(pair[1]);
          }
        }
      }
    }
  }
}

void multiply(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
              Epilogue epilogue, bf16* y, std::size_t y_stride) {
  const auto run = [&](const auto& activate) {
    multiply_with(product, a, a_stride, rows, y, y_stride, activate);
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
                    std::size_t stride) {
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
      const __m512 y = _mm512_fmadd_ps(d, _mm512_loadu_ps(norm.weight + i), _mm512_loadu_ps(norm.bias + i));
      _mm512_storeu_ps(row + i, y);
      store_bf16(rounded + r * stride + i, y);
    }
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
            std::size_t context_stride) {
  for (std::size_t head = 0; head < shape.heads; ++head) {
    attend_head(shape, qkv + head * shape.width, scratch, context + head * shape.width, context_stride);
  }
}

}  // namespace mustcite::neural::amx
