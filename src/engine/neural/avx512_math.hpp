#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Sixteen numbers at a time. Included only by files compiled for AVX-512.
namespace mustcite::neural::amx {

/// Nearest bfloat16, ties to even.
inline std::uint16_t round_bf16(float value) noexcept {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline __m256i load16(const std::uint16_t* from) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

inline void store_bf16(std::uint16_t* to, __m512 low, __m512 high) noexcept {
  _mm512_storeu_si512(to, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)));
}

inline void store_bf16(std::uint16_t* to, __m512 values) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values)));
}

inline __m512 load_bf16(const std::uint16_t* from) noexcept {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load16(from)), 16));
}

/// 2^x for x <= 0, relative error below 4e-6; below 2^-126 it is as good as nothing.
inline __m512 exp2_negative(__m512 x) noexcept {
  x = _mm512_max_ps(x, _mm512_set1_ps(-126));
  const __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512 f = _mm512_sub_ps(x, whole);
  // Taylor's series of 2^f on [-0.5, 0.5].
  __m512 y = _mm512_set1_ps(1.3333558e-3F);
  y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(9.6181291e-3F));
  y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(5.5504109e-2F));
  y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(2.4022651e-1F));
  y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(6.9314718e-1F));
  y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(1));
  return _mm512_scalef_ps(y, whole);
}

/// What e^(-z^2) is multiplied with to give 1 - erf(z), z not negative: formula 7.1.26 of Abramowitz and
/// Stegun.
inline __m512 erf_polynomial(__m512 z) noexcept {
  const __m512 one = _mm512_set1_ps(1);
  const __m512 denominator = _mm512_fmadd_ps(_mm512_set1_ps(0.3275911F), z, one);
  // The estimate is good to 2^-14; one step of Newton's method doubles its digits.
  __m512 t = _mm512_rcp14_ps(denominator);
  t = _mm512_mul_ps(t, _mm512_fnmadd_ps(denominator, t, _mm512_set1_ps(2)));
  __m512 y = _mm512_set1_ps(1.061405429F);
  y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(-1.453152027F));
  y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(1.421413741F));
  y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(-0.284496736F));
  y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(0.254829592F));
  y = _mm512_mul_ps(y, t);
  return y;
}

/// x * Phi(x). Phi by `erf_polynomial` (absolute error 1.5e-7).
inline __m512 gelu(__m512 x) noexcept {
  const __m512 z = _mm512_mul_ps(_mm512_abs_ps(x), _mm512_set1_ps(0.70710678F));
  const __m512 y = erf_polynomial(z);
  const __m512 tail =
      _mm512_mul_ps(y, exp2_negative(_mm512_mul_ps(_mm512_mul_ps(z, z), _mm512_set1_ps(-1.44269504F))));
  // erf(|x| / sqrt 2) = 1 - tail; x * Phi(x) = max(x, 0) - |x| * tail / 2.
  const __m512 half = _mm512_mul_ps(_mm512_abs_ps(x), _mm512_set1_ps(0.5F));
  return _mm512_fnmadd_ps(half, tail, _mm512_max_ps(x, _mm512_setzero_ps()));
}

/// The approximation by tanh, written with the logistic function: x / (1 + e^(-2 u)).
inline __m512 gelu_tanh(__m512 x) noexcept {
  const __m512 cube = _mm512_mul_ps(_mm512_mul_ps(x, x), x);
  const __m512 u =
      _mm512_mul_ps(_mm512_set1_ps(0.79788456F), _mm512_fmadd_ps(_mm512_set1_ps(0.044715F), cube, x));
  const __m512 e = exp2_negative(_mm512_mul_ps(_mm512_abs_ps(u), _mm512_set1_ps(-2.88539008F)));
  // With a = |u|: logistic(2 a) = 1 / (1 + e), logistic(-2 a) = e / (1 + e).
  const __mmask16 negative = _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_LT_OQ);
  const __m512 share =
      _mm512_div_ps(_mm512_mask_mov_ps(_mm512_set1_ps(1), negative, e), _mm512_add_ps(_mm512_set1_ps(1), e));
  return _mm512_mul_ps(x, share);
}

/// An activation and its derivative at the same place.
struct Activated {
  __m512 value;
  __m512 slope;
};

/// See `gelu`: its derivative is Phi(x) + x phi(x), and the tail holds the exponential of phi.
inline Activated gelu_with_slope(__m512 x) noexcept {
  const __m512 one = _mm512_set1_ps(1);
  const __m512 size = _mm512_abs_ps(x);
  const __m512 z = _mm512_mul_ps(size, _mm512_set1_ps(0.70710678F));
  const __m512 y = erf_polynomial(z);
  const __m512 bell = exp2_negative(_mm512_mul_ps(_mm512_mul_ps(z, z), _mm512_set1_ps(-1.44269504F)));
  const __m512 half_tail = _mm512_mul_ps(_mm512_mul_ps(y, bell), _mm512_set1_ps(0.5F));
  const __mmask16 negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
  const __m512 share = _mm512_mask_mov_ps(_mm512_sub_ps(one, half_tail), negative, half_tail);
  return {_mm512_mul_ps(x, share),
          _mm512_fmadd_ps(_mm512_mul_ps(x, bell), _mm512_set1_ps(0.39894228F), share)};
}

/// See `gelu_tanh`: with s the logistic function of 2 u, the derivative is s + x s (1 - s) 2 u'.
inline Activated gelu_tanh_with_slope(__m512 x) noexcept {
  const __m512 one = _mm512_set1_ps(1);
  const __m512 square = _mm512_mul_ps(x, x);
  const __m512 inner = _mm512_fmadd_ps(_mm512_set1_ps(0.044715F), square, one);
  const __m512 u = _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(0.79788456F), x), inner);
  const __m512 e = exp2_negative(_mm512_mul_ps(_mm512_abs_ps(u), _mm512_set1_ps(-2.88539008F)));
  const __mmask16 negative = _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_LT_OQ);
  const __m512 share = _mm512_div_ps(_mm512_mask_mov_ps(one, negative, e), _mm512_add_ps(one, e));
  const __m512 twice_slope = _mm512_mul_ps(_mm512_set1_ps(2 * 0.79788456F),
                                           _mm512_fmadd_ps(_mm512_set1_ps(3 * 0.044715F), square, one));
  const __m512 bend = _mm512_mul_ps(share, _mm512_sub_ps(one, share));
  return {_mm512_mul_ps(x, share), _mm512_fmadd_ps(_mm512_mul_ps(x, bend), twice_slope, share)};
}

/// a0 b0 a1 b1 …: two rows of 16 numbers become one row of pairs.
inline void interleave(__m256i a, __m256i b, std::uint16_t* to) noexcept {
  const __m512i wide_a = _mm512_cvtepu16_epi32(a);
  const __m512i wide_b = _mm512_slli_epi32(_mm512_cvtepu16_epi32(b), 16);
  _mm512_storeu_si512(to, _mm512_or_si512(wide_a, wide_b));
}

/// 16 rows of 16 pairs, `stride` elements apart, transposed: pairs stay together.
inline void transpose_pairs(const std::uint16_t* from, std::size_t stride, std::uint16_t* to) noexcept {
  __m512i r[16];
  __m512i t[16];
  for (std::size_t i = 0; i < 16; ++i) r[i] = _mm512_loadu_si512(from + i * stride);
  for (std::size_t i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (std::size_t i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  // r[4 g + c] now holds, in each 128-bit lane l, column 4 l + c of rows 4 g … 4 g + 3.
  for (std::size_t c = 0; c < 4; ++c) {
    t[c] = _mm512_shuffle_i32x4(r[c], r[4 + c], 0x88);
    t[4 + c] = _mm512_shuffle_i32x4(r[c], r[4 + c], 0xdd);
    t[8 + c] = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0x88);
    t[12 + c] = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0xdd);
  }
  for (std::size_t c = 0; c < 4; ++c) {
    _mm512_storeu_si512(to + 32 * c, _mm512_shuffle_i32x4(t[c], t[8 + c], 0x88));
    _mm512_storeu_si512(to + 32 * (8 + c), _mm512_shuffle_i32x4(t[c], t[8 + c], 0xdd));
    _mm512_storeu_si512(to + 32 * (4 + c), _mm512_shuffle_i32x4(t[4 + c], t[12 + c], 0x88));
    _mm512_storeu_si512(to + 32 * (12 + c), _mm512_shuffle_i32x4(t[4 + c], t[12 + c], 0xdd));
  }
}

}  // namespace mustcite::neural::amx
