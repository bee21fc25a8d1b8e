#include "engine/late/query_lanes.hpp"

#include <algorithm>
#include <cstring>

namespace mustcite::late {
namespace {

constexpr std::size_t kParts = 4;  ///< of a block
/// Sixteen numbers that the compiler keeps in one register, or in as many as it takes.
typedef float Sixteen __attribute__((vector_size(64), aligned(4), may_alias));

constexpr float kNone = -3e38F;

}  // namespace

QueryLanes::QueryLanes(std::span<const float> query, std::size_t dims) : dims_(dims), bytes_(dims) {
  for (std::size_t at = 0; at < query.size(); at += dims) bytes_.add(query.subspan(at, dims));
  wide_.resize(blocks() * dims * kLanes);
  for (std::size_t q = 0; q < size(); ++q) {
    for (std::size_t k = 0; k < dims; ++k)
      wide_[(q / kLanes * dims + k) * kLanes + q % kLanes] = query[q * dims + k];
  }
}

float QueryLanes::max_sim(const float* vectors, std::size_t count) const {
  if (count == 0) return 0;
  float total = 0;
  float best[kLanes];
  for (std::size_t block = 0; block < blocks(); ++block) {
    std::fill_n(best, kLanes, kNone);
    const float* const lanes = wide_.data() + block * dims_ * kLanes;
    for (std::size_t t = 0; t < count; ++t) {
      const float* const vector = vectors + t * dims_;
      Sixteen sums[kParts] = {};
      for (std::size_t k = 0; k < dims_; ++k) {
        for (std::size_t part = 0; part < kParts; ++part)
          sums[part] += *reinterpret_cast<const Sixteen*>(lanes + k * kLanes + part * 16) * vector[k];
      }
      float products[kLanes];
      std::memcpy(products, sums, sizeof(products));
      for (std::size_t lane = 0; lane < kLanes; ++lane) best[lane] = std::max(best[lane], products[lane]);
    }
    const std::size_t used = std::min(kLanes, size() - block * kLanes);
    for (std::size_t lane = 0; lane < used; ++lane) total += best[lane];
  }
  return total;
}

float QueryLanes::max_sim(std::span<const ByteVector> vectors) const {
  if (vectors.empty()) return 0;
  float total = 0;
  float best[kLanes];
  std::int32_t products[kLanes];
  for (std::size_t block = 0; block < blocks(); ++block) {
    std::fill_n(best, kLanes, kNone);
    for (const ByteVector& vector : vectors) {
      bytes_.products(block, vector, products);
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        best[lane] = std::max(best[lane], static_cast<float>(products[lane]) * vector.scale);
    }
    const std::size_t used = std::min(kLanes, size() - block * kLanes);
    for (std::size_t lane = 0; lane < used; ++lane) total += best[lane] * bytes_.scales(block)[lane];
  }
  return total;
}

}  // namespace mustcite::late
