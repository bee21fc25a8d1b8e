#pragma once

#include <immintrin.h>

#include "engine/neural/amx_kernels.hpp"
#include "engine/neural/avx512_math.hpp"

/// What the kernels forward and backward are made of. Included only by files compiled for AMX.
namespace mustcite::neural::amx {

/// Numbers of one tile.
inline constexpr std::size_t kTile = 512;

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
    _tile_loadd(7, panel + kTile, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + 16 * a_stride + k, bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    panel += 2 * kTile;
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

/// A part of a matrix in rows `stride` numbers apart: `time` rows count, `width` columns.
struct Slice {
  const bf16* rows = nullptr;
  std::size_t stride = 0;
  std::size_t time = 0;
  std::size_t width = 0;

  [[nodiscard]] std::size_t padded() const noexcept { return (time + 31) / 32 * 32; }
};

/// Tiles of keys^T: 16 keys x 32 numbers each, pairs of numbers down, keys across. Rows up to the next
/// multiple of 32 are read.
inline void pack_keys(const Slice& keys, bf16* out) {
  const std::size_t padded = keys.padded();
  for (std::size_t key = 0; key < padded; key += 16) {
    for (std::size_t k = 0; k < keys.width; k += 32) {
      transpose_pairs(keys.rows + key * keys.stride + k, keys.stride, out);
      out += kTile;
    }
  }
}

/// Tiles of values: 32 keys (pairs down) x 16 numbers; keys behind the sequence count nothing.
inline void pack_values(const Slice& values, bf16* out) {
  const std::size_t padded = values.padded();
  for (std::size_t key = 0; key < padded; key += 32) {
    for (std::size_t n = 0; n < values.width; n += 16) {
      for (std::size_t r = 0; r < 32; r += 2) {
        const bf16* first = values.rows + (key + r) * values.stride + n;
        const __m256i a = key + r < values.time ? load16(first) : _mm256_setzero_si256();
        const __m256i b = key + r + 1 < values.time ? load16(first + values.stride) : _mm256_setzero_si256();
        interleave(a, b, out);
        out += 32;
      }
    }
  }
}

/// Products of 16 rows of `queries` with every key; `keys` comes from `pack_keys`.
inline void score_block(const bf16* queries, std::size_t stride, std::size_t width, const bf16* keys,
                        std::size_t padded, float* scores) {
  settle_memory();
  const auto bytes = static_cast<long>(stride * sizeof(bf16));
  const auto row_bytes = static_cast<long>(padded * sizeof(float));
  const bool wide = width == 64;
  _tile_loadd(4, queries, bytes);
  if (wide) _tile_loadd(5, queries + 32, bytes);
  for (std::size_t key = 0; key < padded; key += 32) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_loadd(6, keys, 64);
    _tile_dpbf16ps(0, 4, 6);
    keys += kTile;
    if (wide) {
      _tile_loadd(7, keys, 64);
      _tile_dpbf16ps(0, 5, 7);
      keys += kTile;
    }
    _tile_loadd(6, keys, 64);
    _tile_dpbf16ps(1, 4, 6);
    keys += kTile;
    if (wide) {
      _tile_loadd(7, keys, 64);
      _tile_dpbf16ps(1, 5, 7);
      keys += kTile;
    }
    _tile_stored(0, scores + key, row_bytes);
    _tile_stored(1, scores + key + 16, row_bytes);
  }
}

/// 16 rows of weights: `step` numbers lie between their parts of 32, `stride` between their rows.
struct MixWeights {
  const bf16* first = nullptr;
  std::size_t stride = 0;
  std::size_t step = 0;
};

/// Weighted sums of `padded` values for 16 rows, written [16, width]; `values` comes from `pack_values`.
inline void mix_block(const MixWeights& weights, std::size_t padded, const bf16* values, std::size_t width,
                      float* out) {
  settle_memory();
  const auto row_bytes = static_cast<long>(width * sizeof(float));
  const auto bytes = static_cast<long>(weights.stride * sizeof(bf16));
  for (std::size_t n = 0; n < width; n += 32) {
    const bf16* part = weights.first;
    const bf16* panel = values + n * 32;
    _tile_zero(0);
    _tile_zero(1);
    for (std::size_t key = 0; key < padded; key += 32) {
      _tile_loadd(4, part, bytes);
      _tile_loadd(6, panel, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, panel + kTile, 64);
      _tile_dpbf16ps(1, 4, 7);
      part += weights.step;
      panel += width * 32;
    }
    _tile_stored(0, out + n, row_bytes);
    _tile_stored(1, out + n + 16, row_bytes);
  }
}

}  // namespace mustcite::neural::amx
