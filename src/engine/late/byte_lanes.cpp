#include "engine/late/byte_lanes.hpp"

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mustcite::late {

ByteVector to_bytes(std::span<const float> vector, std::int8_t* out) noexcept {
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  ByteVector result;
  result.values = out;
  const std::size_t size = padded(vector.size());
  if (!(largest > 0) || !std::isfinite(largest)) {
    std::fill_n(out, size, std::int8_t{0});
    return result;
  }
  result.scale = largest / 127.0F;
  const float factor = 127.0F / largest;
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float scaled = vector[i] * factor;
    const auto rounded = static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5F : 0.5F));
    out[i] = static_cast<std::int8_t>(rounded);
    sum += rounded;
  }
  for (std::size_t i = vector.size(); i < size; ++i) out[i] = 0;
  result.sum = sum;
  return result;
}

void ByteLanes::add(std::span<const float> vector) {
  const std::size_t lane = size_ % kLanes;
  if (lane == 0) {
    bytes_.resize(bytes_.size() + groups_ * kLanes * 4, 128);
    scales_.resize(scales_.size() + kLanes, 0.0F);
  }
  std::vector<std::int8_t> row(groups_ * 4);
  const ByteVector bytes = to_bytes(vector, row.data());
  std::uint8_t* const block = bytes_.data() + size_ / kLanes * groups_ * kLanes * 4;
  for (std::size_t i = 0; i < row.size(); ++i)
    block[(i / 4 * kLanes + lane) * 4 + i % 4] = static_cast<std::uint8_t>(row[i] + 128);
  scales_[size_] = bytes.scale;
  ++size_;
}

void ByteLanes::products_plain(std::size_t block, const ByteVector& vector,
                               std::int32_t* out) const noexcept {
  const std::uint8_t* from = bytes_.data() + block * groups_ * kLanes * 4;
  std::fill_n(out, kLanes, -128 * vector.sum);
  for (std::size_t group = 0; group < groups_; ++group) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < 4; ++i)
        out[lane] +=
            std::int32_t{from[(group * kLanes + lane) * 4 + i]} * std::int32_t{vector.values[group * 4 + i]};
    }
  }
}

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
void ByteLanes::products(std::size_t block, const ByteVector& vector, std::int32_t* out) const noexcept {
  // Unsigned times signed bytes: the lanes are shifted by 128, and 128 times the vector's sum is taken off.
  const std::uint8_t* from = bytes_.data() + block * groups_ * kLanes * 4;
  const __m512i start = _mm512_set1_epi32(-128 * vector.sum);
  __m512i even[4] = {start, start, start, start};
  __m512i odd[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                    _mm512_setzero_si512()};
  const auto step = [&](std::size_t group, __m512i* sums) {
    std::int32_t four;
    std::memcpy(&four, vector.values + group * 4, sizeof(four));
    const __m512i spread = _mm512_set1_epi32(four);
    const std::uint8_t* const lanes = from + group * kLanes * 4;
    for (int part = 0; part < 4; ++part)
      sums[part] = _mm512_dpbusd_epi32(sums[part], _mm512_loadu_si512(lanes + part * 64), spread);
  };
  std::size_t group = 0;
  for (; group + 2 <= groups_; group += 2) {
    step(group, even);
    step(group + 1, odd);
  }
  if (group < groups_) step(group, even);
  for (int part = 0; part < 4; ++part)
    _mm512_storeu_si512(out + part * 16, _mm512_add_epi32(even[part], odd[part]));
}
#else
void ByteLanes::products(std::size_t block, const ByteVector& vector, std::int32_t* out) const noexcept {
  products_plain(block, vector, out);
}
#endif

}  // namespace mustcite::late
