#include "engine/dense/quantised.hpp"

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include "engine/index/top.hpp"

namespace mustcite::dense {

QuantisedVector quantised(std::span<const float> vector) {
  QuantisedVector result;
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  result.values.assign((vector.size() + 63) / 64 * 64, 0);
  if (!(largest > 0) || !std::isfinite(largest)) return result;
  result.scale = largest / 127.0F;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    result.values[i] = static_cast<std::int8_t>(std::lround(vector[i] * (127.0F / largest)));
  }
  return result;
}

void QuantisedTable::add(std::span<const float> vector) {
  const QuantisedVector row = quantised(vector);
  values_.insert(values_.end(), row.values.begin(), row.values.end());
  values_.resize((scales_.size() + 1) * dims_, 0);
  scales_.push_back(row.scale);
  std::int32_t sum = 0;
  for (const std::int8_t value : row.values) sum += value;
  sums_.push_back(sum);
}

void integer_dots_plain(std::span<const std::int8_t> rows, std::span<const std::int8_t> vector,
                        std::span<std::int32_t> out) {
  const std::size_t dims = vector.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int8_t* const row = rows.data() + i * dims;
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < dims; ++k) sum += std::int32_t{row[k]} * std::int32_t{vector[k]};
    out[i] = sum;
  }
}

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
void integer_dots(std::span<const std::int8_t> rows, std::span<const std::int32_t> sums,
                  std::span<const std::int8_t> vector, std::span<std::int32_t> out) {
  constexpr std::size_t kMaxDims = 1024;
  const std::size_t dims = vector.size();
  if (dims % 64 != 0 || dims > kMaxDims) return integer_dots_plain(rows, vector, out);
  // The instruction multiplies unsigned with signed bytes: the vector is shifted by 128, and 128 times the
  // row's sum is taken off again.
  const std::size_t parts = dims / 64;
  __m512i shifted[kMaxDims / 64];
  for (std::size_t part = 0; part < parts; ++part) {
    shifted[part] = _mm512_xor_si512(_mm512_loadu_si512(vector.data() + part * 64), _mm512_set1_epi8(-128));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int8_t* const row = rows.data() + i * dims;
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t part = 0; part < parts; ++part) {
      sum = _mm512_dpbusd_epi32(sum, shifted[part], _mm512_loadu_si512(row + part * 64));
    }
    out[i] = _mm512_reduce_add_epi32(sum) - 128 * sums[i];
  }
}
#else
void integer_dots(std::span<const std::int8_t> rows, std::span<const std::int32_t>,
                  std::span<const std::int8_t> vector, std::span<std::int32_t> out) {
  integer_dots_plain(rows, vector, out);
}
#endif

float QuantisedRows::dot(std::size_t i, const QuantisedVector& vector) const {
  std::int32_t product = 0;
  integer_dots(row(i), sums.subspan(i, 1), vector.values, {&product, 1});
  return static_cast<float>(product) * scales[i] * vector.scale;
}

void QuantisedRows::add_to(std::size_t i, float weight, std::span<float> sum) const {
  const float factor = weight * scales[i];
  const std::int8_t* const from = values.data() + i * dims;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * static_cast<float>(from[k]);
}

std::vector<std::vector<index::Scored>> QuantisedRows::nearest(std::span<const QuantisedVector> vectors,
                                                               std::size_t prefix, std::size_t depth,
                                                               std::span<const DocId> exclude) const {
  constexpr std::size_t kBlock = 256;  // rows that stay in cache while every vector reads them
  prefix = std::min(prefix, rows());
  std::vector<index::TopK> best(vectors.size(), index::TopK(depth));
  std::int32_t products[kBlock];
  auto skip = exclude.begin();
  for (std::size_t first = 0; first < prefix; first += kBlock) {
    const std::size_t n = std::min(kBlock, prefix - first);
    while (skip != exclude.end() && skip->value < first) ++skip;
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      integer_dots(values.subspan(first * dims, n * dims), sums.subspan(first, n), vectors[v].values,
                   {products, n});
      auto hidden = skip;
      for (std::size_t i = 0; i < n; ++i) {
        const float score = static_cast<float>(products[i]) * scales[first + i] * vectors[v].scale;
        if (!(score > best[v].floor())) continue;
        while (hidden != exclude.end() && hidden->value < first + i) ++hidden;
        if (hidden != exclude.end() && hidden->value == first + i) continue;
        best[v].offer(static_cast<std::uint32_t>(first + i), score);
      }
    }
  }
  std::vector<std::vector<index::Scored>> result;
  for (index::TopK& top : best) result.push_back(top.take());
  return result;
}

}  // namespace mustcite::dense
