#include "engine/late/codec.hpp"

#include <algorithm>
#include <cmath>

#include "engine/dense/fixed_dot.hpp"
#include "engine/dense/half.hpp"

namespace mustcite::late {

Codec::Codec(std::size_t dims, std::size_t bits, std::vector<std::uint16_t> centroids,
             std::vector<float> weights, std::vector<float> limits)
    : dims_(dims),
      bits_(bits),
      halves_(std::move(centroids)),
      wide_(halves_.size()),
      weights_(std::move(weights)),
      limits_(std::move(limits)) {
  dense::widen(halves_, wide_);
  const std::size_t in_byte = 8 / bits_;
  const std::size_t mask = (std::size_t{1} << bits_) - 1;
  table_.resize(256 * in_byte);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t i = 0; i < in_byte; ++i)
      table_[byte * in_byte + i] = weights_[byte >> (i * bits_) & mask];
  }
}

void Codec::compress(std::span<const float> vector, std::size_t code,
                     std::span<std::uint8_t> residual) const {
  const std::span<const float> centre = centroid(code);
  std::fill(residual.begin(), residual.end(), std::uint8_t{0});
  for (std::size_t k = 0; k < dims_; ++k) {
    const float left = vector[k] - centre[k];
    std::size_t bucket = 0;
    for (const float limit : limits_) bucket += left > limit ? 1 : 0;
    residual[k * bits_ / 8] |= static_cast<std::uint8_t>(bucket << (k * bits_ % 8));
  }
}

void Codec::decompress(std::size_t code, std::span<const std::uint8_t> residual, std::span<float> out) const {
  const float* const centre = wide_.data() + code * dims_;
  const std::size_t in_byte = 8 / bits_;
  std::size_t k = 0;
  for (std::size_t byte = 0; k + in_byte <= dims_; ++byte, k += in_byte) {
    const float* const values = table_.data() + residual[byte] * in_byte;
    for (std::size_t i = 0; i < in_byte; ++i) out[k + i] = centre[k + i] + values[i];
  }
  for (std::size_t i = 0; k < dims_; ++i, ++k) out[k] = centre[k] + table_[residual.back() * in_byte + i];
  const float length = std::sqrt(dense::fixed_dot(out, out));
  if (!(length > 0)) return;
  const float factor = 1.0F / length;
  for (float& value : out) value *= factor;
}

}  // namespace mustcite::late
