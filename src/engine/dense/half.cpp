#include "engine/dense/half.hpp"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <bit>

namespace mustcite::dense {

std::uint16_t to_half(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // rounds to 65536 or more
  if (magnitude < 0x38800000U) {  // subnormal: adding a half lines the last bit up, and the addition rounds
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
  }
  const std::uint32_t odd = magnitude >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000U + 0xFFFU + odd) >> 13);
}

float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1FU) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112U) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

void widen(std::span<const std::uint16_t> halves, std::span<float> out) noexcept {
  std::size_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= halves.size(); i += 8) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves.data() + i));
    _mm256_storeu_ps(out.data() + i, _mm256_cvtph_ps(packed));
  }
#endif
  for (; i < halves.size(); ++i) out[i] = from_half(halves[i]);
}

}  // namespace mustcite::dense
