#include "engine/neural/amx_gradients.hpp"

#include <immintrin.h>

#include <cstring>

#include "engine/neural/amx_tiles.hpp"
#include "engine/neural/avx512_math.hpp"

namespace mustcite::neural::amx {
namespace {

inline __m256i round16(__m512 values) noexcept {
  return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values));
}

template <typename Activate>
void multiply_through_with(const Product& product, const bf16* dy, std::size_t dy_stride, std::size_t rows,
                           const Activation& activation, bf16* du, std::size_t du_stride,
                           const Activate& activate) {
  each_block(product, dy, dy_stride, rows, [&](std::size_t m, std::size_t n, const Block& block) {
    for (std::size_t r = 0; r < kBlock; ++r) {
      const bf16* u = activation.u + (m + r) * activation.u_stride + n;
      const Activated low = activate(load_bf16(u));
      const Activated high = activate(load_bf16(u + 16));
      const std::size_t to = (m + r) * du_stride + n;
      store_bf16(activation.activated + to, low.value, high.value);
      store_bf16(du + to, _mm512_mul_ps(_mm512_load_ps(block.row(r)), low.slope),
                 _mm512_mul_ps(_mm512_load_ps(block.row(r) + 16), high.slope));
    }
  });
}

/// Tiles of 32 rows x 16 columns: pairs of rows down, columns across.
inline void interleave_rows(const bf16* a, std::size_t stride, bf16* out) {
  for (std::size_t r = 0; r < 32; r += 2, out += 32)
    interleave(load16(a + r * stride), load16(a + (r + 1) * stride), out);
}

/// Sums of 32 x 32 numbers of `sums`, rows `in` apart, grow by one panel of each side.
inline void add_outer_block(const bf16* left, const bf16* right, std::size_t rows, float* sums,
                            std::size_t in) {
  settle_memory();
  const auto bytes = static_cast<long>(in * sizeof(float));
  _tile_loadd(0, sums, bytes);
  _tile_loadd(1, sums + 16, bytes);
  _tile_loadd(2, sums + 16 * in, bytes);
  _tile_loadd(3, sums + 16 * in + 16, bytes);
  for (std::size_t k = 0; k < rows; k += 32) {
    _tile_loadd(4, left, 64);
    _tile_loadd(6, right, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, right + kTile, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, left + kTile, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    left += 2 * kTile;
    right += 2 * kTile;
  }
  _tile_stored(0, sums, bytes);
  _tile_stored(1, sums + 16, bytes);
  _tile_stored(2, sums + 16 * in, bytes);
  _tile_stored(3, sums + 16 * in + 16, bytes);
  settle_memory();
}

/// Where the parts of the scratch of one head begin.
struct Parts {
  Parts(const AttentionBack& back, std::size_t padded, std::size_t width) {
    bf16* next = back.rounded;
    const auto take = [&](std::size_t count) {
      bf16* const part = next;
      next += count;
      return part;
    };
    keys = take(padded * width);
    values = take(padded * width);
    key_values = take(padded * width);
    queries = take(padded * width);
    gradients = take(padded * width);
    weights = take(32 * padded);
    slopes = take(32 * padded);
    turned_weights = take(padded * padded);
    turned_slopes = take(padded * padded);
    scores = back.floats;
    value_scores = back.floats + 16 * padded;
  }

  bf16* keys;            ///< for scores
  bf16* values;          ///< for the scores of the context's gradient
  bf16* key_values;      ///< keys as what is mixed
  bf16* queries;         ///< queries as what is mixed
  bf16* gradients;       ///< the context's gradient as what is mixed
  bf16* weights;         ///< [32, padded]
  bf16* slopes;          ///< [32, padded]
  bf16* turned_weights;  ///< tiles of 16 keys x 32 queries
  bf16* turned_slopes;
  float* scores;        ///< [16, padded]
  float* value_scores;  ///< [16, padded]
};

/// One row: weight = 2^(score - total), slope = ln 2 * weight * (value score - mean).
inline void slope_row(const float* scores, const float* value_scores, std::size_t time, std::size_t padded,
                      float total, float mean, bf16* weights, bf16* slopes) {
  const __m512 shift = _mm512_set1_ps(total);
  const __m512 middle = _mm512_set1_ps(mean);
  const __m512 log2 = _mm512_set1_ps(0.69314718F);
  for (std::size_t t = 0; t < padded; t += 16) {
    const auto mask = t + 16 <= time ? static_cast<__mmask16>(0xffff)
                      : t >= time    ? static_cast<__mmask16>(0)
                                     : static_cast<__mmask16>((1U << (time - t)) - 1);
    const __m512 w =
        _mm512_maskz_mov_ps(mask, exp2_negative(_mm512_sub_ps(_mm512_loadu_ps(scores + t), shift)));
    const __m512 s = _mm512_maskz_mul_ps(mask, _mm512_mul_ps(log2, w),
                                         _mm512_sub_ps(_mm512_loadu_ps(value_scores + t), middle));
    store_bf16(weights + t, w);
    store_bf16(slopes + t, s);
  }
}

inline float dot(const bf16* a, const bf16* b, std::size_t width) {
  __m512 sum = _mm512_setzero_ps();
  for (std::size_t i = 0; i < width; i += 16) sum = _mm512_fmadd_ps(load_bf16(a + i), load_bf16(b + i), sum);
  return _mm512_reduce_add_ps(sum);
}

/// 32 rows [32, padded] become tiles of 16 columns x 32 rows; `tiles_apart` numbers lie between those of
/// neighbouring columns.
inline void turn(const bf16* rows, std::size_t padded, std::size_t tiles_apart, bf16* out) {
  alignas(64) bf16 pairs[kTile];
  for (std::size_t key = 0; key < padded; key += 16, out += tiles_apart) {
    interleave_rows(rows + key, padded, pairs);
    transpose_pairs(pairs, 32, out);
  }
}

inline void store_rows(const float* from, std::size_t rows, std::size_t width, bf16* to, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = 0; n < width; n += 16)
      store_bf16(to + r * stride + n, _mm512_load_ps(from + r * width + n));
  }
}

/// Weights and slopes of 16 queries from `first` on, in rows `within` and following of the parts.
void slopes_of(const Attention& shape, const AttentionBack& back, const Parts& parts, std::size_t first,
               std::size_t within) {
  const std::size_t padded = (shape.time + 31) / 32 * 32;
  bf16* const weights = parts.weights + within * padded;
  bf16* const slopes = parts.slopes + within * padded;
  if (first >= shape.time) {
    std::memset(weights, 0, 16 * padded * sizeof(bf16));
    std::memset(slopes, 0, 16 * padded * sizeof(bf16));
    return;
  }
  score_block(back.qkv + first * shape.stride, shape.stride, shape.width, parts.keys, padded, parts.scores);
  score_block(back.context_gradient + first * back.context_stride, back.context_stride, shape.width,
              parts.values, padded, parts.value_scores);
  settle_memory();
  for (std::size_t r = 0; r < 16; ++r) {
    const std::size_t row = first + r;
    if (row >= shape.time) {
      std::memset(weights + r * padded, 0, padded * sizeof(bf16));
      std::memset(slopes + r * padded, 0, padded * sizeof(bf16));
      continue;
    }
    const float mean = dot(back.context + row * back.context_stride,
                           back.context_gradient + row * back.context_stride, shape.width);
    slope_row(parts.scores + r * padded, parts.value_scores + r * padded, shape.time, padded,
              back.totals[row], mean, weights + r * padded, slopes + r * padded);
  }
}

void attend_back_head(const Attention& shape, const AttentionBack& back, bf16* gradient) {
  const std::size_t hidden = shape.heads * shape.width;
  const Slice queries{back.qkv, shape.stride, shape.time, shape.width};
  const Slice keys{back.qkv + hidden, shape.stride, shape.time, shape.width};
  const Slice values{back.qkv + 2 * hidden, shape.stride, shape.time, shape.width};
  const std::size_t padded = keys.padded();
  const Parts parts(back, padded, shape.width);
  pack_keys(keys, parts.keys);
  pack_keys(values, parts.values);
  pack_values(keys, parts.key_values);
  pack_values(queries, parts.queries);
  pack_values({back.context_gradient, back.context_stride, shape.time, shape.width}, parts.gradients);
  alignas(64) float mixed[16 * 64];
  const std::size_t tiles_apart = padded / 32 * kTile;
  for (std::size_t first = 0; first < padded; first += 32) {
    for (std::size_t within = 0; within < 32; within += 16) {
      slopes_of(shape, back, parts, first + within, within);
      if (first + within >= shape.time) continue;
      mix_block({parts.slopes + within * padded, padded, 32}, padded, parts.key_values, shape.width, mixed);
      const std::size_t left = shape.time - first - within;
      store_rows(mixed, left < 16 ? left : 16, shape.width, gradient + (first + within) * shape.stride,
                 shape.stride);
    }
    turn(parts.weights, padded, tiles_apart, parts.turned_weights + first / 32 * kTile);
    turn(parts.slopes, padded, tiles_apart, parts.turned_slopes + first / 32 * kTile);
  }
  for (std::size_t key = 0; key < shape.time; key += 16) {
    const std::size_t rows = shape.time - key < 16 ? shape.time - key : 16;
    const std::size_t tile = key / 16 * tiles_apart;
    bf16* const to = gradient + key * shape.stride;
    mix_block({parts.turned_slopes + tile, 32, kTile}, padded, parts.queries, shape.width, mixed);
    store_rows(mixed, rows, shape.width, to + hidden, shape.stride);
    mix_block({parts.turned_weights + tile, 32, kTile}, padded, parts.gradients, shape.width, mixed);
    store_rows(mixed, rows, shape.width, to + 2 * hidden, shape.stride);
  }
}

}  // namespace

void pack_transposed(const float* weight, std::size_t out, std::size_t in, float scale, const Side& side,
                     bf16* packed) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::size_t n = 0; n < in; n += kBlock) {
    bf16* to = packed + n * side.all + side.first * kBlock;
    for (std::size_t k = 0; k < out; k += 32) {
      for (std::size_t half = 0; half < kBlock; half += 16) {
        for (std::size_t r = 0; r < 32; r += 2, to += 32) {
          const float* row = weight + (k + r) * in + n + half;
          interleave(round16(_mm512_mul_ps(factor, _mm512_loadu_ps(row))),
                     round16(_mm512_mul_ps(factor, _mm512_loadu_ps(row + in))), to);
        }
      }
    }
  }
}

void multiply_through(const Product& product, const bf16* dy, std::size_t dy_stride, std::size_t rows,
                      const Activation& activation, bf16* du, std::size_t du_stride) {
  const auto run = [&](const auto& activate) {
    multiply_through_with(product, dy, dy_stride, rows, activation, du, du_stride, activate);
  };
  switch (activation.kind) {
    case Epilogue::none:
      return run([](__m512 x) { return Activated{x, _mm512_set1_ps(1)}; });
    case Epilogue::gelu:
      return run([](__m512 x) { return gelu_with_slope(x); });
    case Epilogue::gelu_tanh:
      return run([](__m512 x) { return gelu_tanh_with_slope(x); });
    case Epilogue::relu:
      return run([](__m512 x) {
        const __mmask16 positive = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
        return Activated{_mm512_maskz_mov_ps(positive, x), _mm512_maskz_mov_ps(positive, _mm512_set1_ps(1))};
      });
  }
}

void normalise_back(const NormWeights& norm, const KeptNorm& kept, std::size_t kept_stride, float* x,
                    std::size_t rows, std::size_t width, bf16* rounded, std::size_t stride,
                    const NormGradient& gradient) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = x + r * width;
    const bf16* unit = kept.unit + r * kept_stride;
    __m512 sum = _mm512_setzero_ps();
    __m512 along = _mm512_setzero_ps();
    for (std::size_t i = 0; i < width; i += 16) {
      const __m512 d = _mm512_loadu_ps(row + i);
      const __m512 u = load_bf16(unit + i);
      const __m512 g = _mm512_mul_ps(d, _mm512_loadu_ps(norm.weight + i));
      sum = _mm512_add_ps(sum, g);
      along = _mm512_fmadd_ps(g, u, along);
      _mm512_storeu_ps(gradient.weight + i, _mm512_fmadd_ps(d, u, _mm512_loadu_ps(gradient.weight + i)));
      _mm512_storeu_ps(gradient.bias + i, _mm512_add_ps(d, _mm512_loadu_ps(gradient.bias + i)));
    }
    const __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(sum) * share);
    const __m512 slope = _mm512_set1_ps(_mm512_reduce_add_ps(along) * share);
    const __m512 scale = _mm512_set1_ps(kept.scales[r]);
    for (std::size_t i = 0; i < width; i += 16) {
      const __m512 g = _mm512_mul_ps(_mm512_loadu_ps(row + i), _mm512_loadu_ps(norm.weight + i));
      const __m512 rest = _mm512_fnmadd_ps(load_bf16(unit + i), slope, _mm512_sub_ps(g, mean));
      const __m512 back = _mm512_mul_ps(scale, rest);
      _mm512_storeu_ps(row + i, back);
      store_bf16(rounded + r * stride + i, back);
    }
  }
}

void pack_right(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, bf16* packed) {
  for (std::size_t k = 0; k < rows; k += 32) {
    for (std::size_t n = 0; n < columns; n += kBlock) {
      bf16* to = packed + n * rows + k * kBlock;
      interleave_rows(a + k * stride + n, stride, to);
      interleave_rows(a + k * stride + n + 16, stride, to + kTile);
    }
  }
}

void pack_left(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, bf16* packed) {
  alignas(64) bf16 pairs[kTile];
  for (std::size_t k = 0; k < rows; k += 32) {
    for (std::size_t n = 0; n < columns; n += 16) {
      interleave_rows(a + k * stride + n, stride, pairs);
      transpose_pairs(pairs, 32, packed + n / kBlock * kBlock * rows + k * kBlock + n % kBlock * 32);
    }
  }
}

void add_outer(const bf16* left, const bf16* right, std::size_t rows, std::size_t out, std::size_t in,
               float* sums) {
  for (std::size_t m = 0; m < out; m += kBlock) {
    for (std::size_t n = 0; n < in; n += kBlock)
      add_outer_block(left + m * rows, right + n * rows, rows, sums + m * in + n, in);
  }
}

void add_columns(const bf16* a, std::size_t stride, std::size_t rows, std::size_t columns, float* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = 0; n < columns; n += 16) {
      _mm512_storeu_ps(sums + n, _mm512_add_ps(_mm512_loadu_ps(sums + n), load_bf16(a + r * stride + n)));
    }
  }
}

BackScratchSizes attend_back_scratch(std::size_t time, std::size_t width) noexcept {
  const std::size_t padded = (time + 31) / 32 * 32;
  return {5 * padded * width + 64 * padded + 2 * padded * padded, 32 * padded};
}

void attend_back(const Attention& shape, const AttentionBack& back, bf16* gradient) {
  for (std::size_t head = 0; head < shape.heads; ++head) {
    AttentionBack one = back;
    one.qkv += head * shape.width;
    one.context += head * shape.width;
    one.context_gradient += head * shape.width;
    one.totals += head * shape.time;
    attend_back_head(shape, one, gradient + head * shape.width);
  }
}

}  // namespace mustcite::neural::amx
