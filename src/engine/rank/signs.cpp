#include "engine/rank/signs.hpp"

#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "engine/rank/top.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kMaxWords = 8;
constexpr std::size_t kPlanes = 4;
constexpr std::size_t kGroup = 8;
constexpr std::size_t kFactor = 4;
constexpr std::size_t kLeast = 2000;

/// A vector in four bits, shifted to be positive, as bit planes: the product with a row's signs is a sum of
/// counts of bits.
struct Planes {
  std::size_t words = 0;
  std::array<std::array<std::uint64_t, kMaxWords>, kPlanes> bits{};
};

Planes planes_of(const QuantisedVector& vector) {
  Planes planes;
  planes.words = vector.values.size() / kWord;
  int largest = 1;
  for (const std::int8_t value : vector.values) largest = std::max(largest, std::abs(int{value}));
  for (std::size_t k = 0; k < vector.values.size(); ++k) {
    const int level = (vector.values[k] + largest) * 15 / (2 * largest);
    for (std::size_t plane = 0; plane < kPlanes; ++plane) {
      if ((level >> plane & 1) != 0) planes.bits[plane][k / kWord] |= std::uint64_t{1} << (k % kWord);
    }
  }
  return planes;
}

/// For each of eight rows twice the sum of the levels under its set bits, less the level of zero for every
/// set bit: rises with the product of the vector with the signs. `group` holds word by word of the eight
/// rows.
#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512F__)
void products_of_group(const std::uint64_t* group, const Planes& planes, std::int16_t* out) {
  __m512i sum = _mm512_setzero_si512();
  __m512i set = _mm512_setzero_si512();
  for (std::size_t w = 0; w < planes.words; ++w) {
    const __m512i signs = _mm512_loadu_si512(group + w * kGroup);
    set = _mm512_add_epi64(set, _mm512_popcnt_epi64(signs));
    __m512i levels = _mm512_setzero_si512();
    for (std::size_t plane = kPlanes; plane-- > 0;) {
      const __m512i bits = _mm512_set1_epi64(static_cast<long long>(planes.bits[plane][w]));
      levels =
          _mm512_add_epi64(_mm512_slli_epi64(levels, 1), _mm512_popcnt_epi64(_mm512_and_si512(signs, bits)));
    }
    sum = _mm512_add_epi64(sum, levels);
  }
  const __m512i fifteen = _mm512_sub_epi64(_mm512_slli_epi64(set, 4), set);
  const __m512i result = _mm512_sub_epi64(_mm512_slli_epi64(sum, 1), fifteen);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi64_epi16(result));
}
#else
void products_of_group(const std::uint64_t* group, const Planes& planes, std::int16_t* out) {
  for (std::size_t row = 0; row < kGroup; ++row) {
    int sum = 0, set = 0;
    for (std::size_t w = 0; w < planes.words; ++w) {
      const std::uint64_t signs = group[w * kGroup + row];
      set += std::popcount(signs);
      for (std::size_t plane = 0; plane < kPlanes; ++plane) {
        sum += std::popcount(signs & planes.bits[plane][w]) << plane;
      }
    }
    out[row] = static_cast<std::int16_t>(2 * sum - 15 * set);
  }
}
#endif

/// The lowest product that at least `count` of the rows reach.
int threshold(std::span<const std::int16_t> products, std::size_t count) {
  constexpr int kMost = static_cast<int>(kMaxWords * kWord) * 15;
  std::vector<std::uint32_t> histogram(2 * kMost + 1, 0);
  for (const std::int16_t value : products) ++histogram[static_cast<std::size_t>(value + kMost)];
  std::size_t seen = 0;
  for (std::size_t i = histogram.size(); i-- > 0;) {
    seen += histogram[i];
    if (seen >= count) return static_cast<int>(i) - kMost;
  }
  return -kMost;
}

}  // namespace

std::vector<std::uint64_t> signs_of(const QuantisedRows& rows) {
  const std::size_t words = rows.dims / kWord;
  std::vector<std::uint64_t> signs(sign_words(rows.rows(), rows.dims), 0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::uint64_t* const group = signs.data() + i / kGroup * words * kGroup + i % kGroup;
    const auto row = rows.row(i);
    for (std::size_t k = 0; k < rows.dims; ++k) {
      if (row[k] >= 0) group[k / kWord * kGroup] |= std::uint64_t{1} << (k % kWord);
    }
  }
  return signs;
}

std::size_t sign_words(std::size_t rows, std::size_t dims) noexcept {
  return (rows + kGroup - 1) / kGroup * kGroup * (dims / kWord);
}

std::vector<index::Scored> nearest_by_signs(const QuantisedRows& rows, std::span<const std::uint64_t> signs,
                                            const QuantisedVector& vector, std::size_t prefix,
                                            std::size_t depth, std::span<const DocId> exclude) {
  prefix = std::min(prefix, rows.rows());
  const std::size_t wanted = std::max(kFactor * depth, kLeast) + exclude.size();
  if (prefix <= wanted || rows.dims > kMaxWords * kWord) {
    return rows.nearest({&vector, 1}, prefix, depth, exclude)[0];
  }
  const Planes planes = planes_of(vector);
  std::vector<std::int16_t> coarse((prefix + kGroup - 1) / kGroup * kGroup);
  for (std::size_t i = 0; i < coarse.size(); i += kGroup) {
    products_of_group(signs.data() + i * planes.words, planes, coarse.data() + i);
  }
  coarse.resize(prefix);
  const int least = threshold(coarse, wanted);
  std::vector<std::uint32_t> chosen;
  chosen.reserve(2 * wanted);
  for (std::uint32_t i = 0; i < prefix; ++i) {
    if (coarse[i] >= least) chosen.push_back(i);
  }
  TopK best(depth);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    constexpr std::size_t kAhead = 8;
    if (i + kAhead < chosen.size()) {
      const std::int8_t* const next = rows.row(chosen[i + kAhead]).data();
      for (std::size_t byte = 0; byte < rows.dims; byte += kWord) __builtin_prefetch(next + byte);
    }
    if (!contains(exclude, DocId{chosen[i]})) best.offer(chosen[i], rows.dot(chosen[i], vector));
  }
  return best.take();
}

}  // namespace mustcite::rank
