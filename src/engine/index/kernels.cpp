#include "engine/index/kernels.hpp"

#include <algorithm>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined halves inside its own intrinsics for uninitialised variables.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#define MUSTCITE_TARGET(features) __attribute__((target(features)))
#endif

namespace mustcite::index::kernels {
namespace {

using format::kDenseGroupBytes;
using format::kGroupRows;

void add_dense_plain(const DenseTerm* terms, std::size_t count, const std::uint8_t* group_classes,
                     std::size_t groups, std::uint16_t* accumulators) {
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t g = 0; g < groups; ++g) {
      const auto& table = terms[t].table->bytes[group_classes[g]];
      const std::uint8_t* codes = terms[t].codes + g * kDenseGroupBytes;
      std::uint16_t* out = accumulators + g * kGroupRows;
      for (std::uint32_t slot = 0; slot < kGroupRows; ++slot) {
        const auto place = format::nibble_place(slot);
        const unsigned code = (codes[place.byte] >> place.shift) & 15U;
        out[slot] = static_cast<std::uint16_t>(out[slot] + table[0][code] + 256U * table[1][code]);
      }
    }
  }
}

void add_narrow_plain(const NarrowTerm* terms, std::size_t count, const std::uint8_t* group_classes,
                      std::size_t groups, int shift, std::uint16_t* accumulators) {
  for (std::size_t g = 0; g < groups; ++g) {
    std::uint16_t* out = accumulators + g * kGroupRows;
    for (std::uint32_t slot = 0; slot < kGroupRows; ++slot) {
      const auto place = format::nibble_place(slot);
      unsigned sum = 0;
      for (std::size_t t = 0; t < count; ++t) {
        const unsigned code = (terms[t].codes[g * kDenseGroupBytes + place.byte] >> place.shift) & 15U;
        sum += terms[t].table->bytes[group_classes[g]][code];
      }
      out[slot] = static_cast<std::uint16_t>(out[slot] + (sum << shift));
    }
  }
}

void group_maxima_plain(const std::uint16_t* accumulators, std::size_t groups, std::uint16_t* maxima) {
  for (std::size_t g = 0; g < groups; ++g) {
    maxima[g] = *std::max_element(accumulators + g * kGroupRows, accumulators + (g + 1) * kGroupRows);
  }
}

#if defined(__x86_64__)

MUSTCITE_TARGET("avx2")
__m256i table_avx2(const std::uint8_t* table) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
}

template <int kTerms>
MUSTCITE_TARGET("avx2")
void add_dense_avx2(const DenseTerm* terms, const std::uint8_t* group_classes, std::size_t groups,
                    std::uint16_t* accumulators) {
  const __m256i mask = _mm256_set1_epi8(15);
  for (std::size_t g = 0; g < groups; ++g) {
    auto* out = reinterpret_cast<__m256i*>(accumulators + g * kGroupRows);
    __m256i sum0 = _mm256_loadu_si256(out);
    __m256i sum1 = _mm256_loadu_si256(out + 1);
    __m256i sum2 = _mm256_loadu_si256(out + 2);
    __m256i sum3 = _mm256_loadu_si256(out + 3);
    const std::size_t length_class = group_classes[g];
    for (int t = 0; t < kTerms; ++t) {
      const auto& table = terms[t].table->bytes[length_class];
      const __m256i low_table = table_avx2(table[0]);
      const __m256i high_table = table_avx2(table[1]);
      const __m256i codes =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms[t].codes + g * kDenseGroupBytes));
      const __m256i first = _mm256_and_si256(codes, mask);
      const __m256i second = _mm256_and_si256(_mm256_srli_epi16(codes, 4), mask);
      const __m256i first_low = _mm256_shuffle_epi8(low_table, first);
      const __m256i first_high = _mm256_shuffle_epi8(high_table, first);
      const __m256i second_low = _mm256_shuffle_epi8(low_table, second);
      const __m256i second_high = _mm256_shuffle_epi8(high_table, second);
      sum0 = _mm256_add_epi16(sum0, _mm256_unpacklo_epi8(first_low, first_high));
      sum1 = _mm256_add_epi16(sum1, _mm256_unpacklo_epi8(second_low, second_high));
      sum2 = _mm256_add_epi16(sum2, _mm256_unpackhi_epi8(first_low, first_high));
      sum3 = _mm256_add_epi16(sum3, _mm256_unpackhi_epi8(second_low, second_high));
    }
    _mm256_storeu_si256(out, sum0);
    _mm256_storeu_si256(out + 1, sum1);
    _mm256_storeu_si256(out + 2, sum2);
    _mm256_storeu_si256(out + 3, sum3);
  }
}

template <int kTerms>
MUSTCITE_TARGET("avx512f,avx512bw,avx512vl")
void add_dense_avx512(const DenseTerm* terms, const std::uint8_t* group_classes, std::size_t groups,
                      std::uint16_t* accumulators) {
  const __m512i mask = _mm512_set1_epi8(15);
  const __m512i shifts = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    std::uint16_t* out = accumulators + g * kGroupRows;
    __m512i sum0 = _mm512_loadu_si512(out);
    __m512i sum1 = _mm512_loadu_si512(out + 32);
    const std::size_t length_class = group_classes[g];
    for (int t = 0; t < kTerms; ++t) {
      const auto& table = terms[t].table->bytes[length_class];
      const __m512i low_table =
          _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table[0])));
      const __m512i high_table =
          _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table[1])));
      const __m512i packed = _mm512_broadcast_i64x4(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms[t].codes + g * kDenseGroupBytes)));
      const __m512i codes = _mm512_and_si512(_mm512_srlv_epi64(packed, shifts), mask);
      const __m512i low = _mm512_shuffle_epi8(low_table, codes);
      const __m512i high = _mm512_shuffle_epi8(high_table, codes);
      sum0 = _mm512_add_epi16(sum0, _mm512_unpacklo_epi8(low, high));
      sum1 = _mm512_add_epi16(sum1, _mm512_unpackhi_epi8(low, high));
    }
    _mm512_storeu_si512(out, sum0);
    _mm512_storeu_si512(out + 32, sum1);
  }
}

template <int kTerms>
struct NarrowAvx2 {
  MUSTCITE_TARGET("avx2")
  static void run(const NarrowTerm* terms, const std::uint8_t* group_classes, std::size_t groups, int shift,
                  std::uint16_t* accumulators) {
    const __m256i mask = _mm256_set1_epi8(15);
    const __m256i zero = _mm256_setzero_si256();
    const __m128i steps = _mm_cvtsi32_si128(shift);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t length_class = group_classes[g];
      __m256i first_sum = zero;
      __m256i second_sum = zero;
      for (int t = 0; t < kTerms; ++t) {
        const __m256i table = table_avx2(terms[t].table->bytes[length_class]);
        const __m256i codes =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms[t].codes + g * kDenseGroupBytes));
        const __m256i first = _mm256_and_si256(codes, mask);
        const __m256i second = _mm256_and_si256(_mm256_srli_epi16(codes, 4), mask);
        first_sum = _mm256_add_epi8(first_sum, _mm256_shuffle_epi8(table, first));
        second_sum = _mm256_add_epi8(second_sum, _mm256_shuffle_epi8(table, second));
      }
      const __m256i sums[4] = {_mm256_unpacklo_epi8(first_sum, zero), _mm256_unpacklo_epi8(second_sum, zero),
                               _mm256_unpackhi_epi8(first_sum, zero), _mm256_unpackhi_epi8(second_sum, zero)};
      auto* out = reinterpret_cast<__m256i*>(accumulators + g * kGroupRows);
      for (int i = 0; i < 4; ++i) {
        _mm256_storeu_si256(out + i, _mm256_add_epi16(_mm256_loadu_si256(out + i), _mm256_sll_epi16(sums[i], steps)));
      }
    }
  }
};

template <int kTerms>
struct NarrowAvx512 {
  MUSTCITE_TARGET("avx512f,avx512bw,avx512vl")
  static void run(const NarrowTerm* terms, const std::uint8_t* group_classes, std::size_t groups, int shift,
                  std::uint16_t* accumulators) {
    const __m512i mask = _mm512_set1_epi8(15);
    const __m512i zero = _mm512_setzero_si512();
    const __m512i shifts = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
    const __m128i steps = _mm_cvtsi32_si128(shift);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t length_class = group_classes[g];
      __m512i sum = zero;
      for (int t = 0; t < kTerms; ++t) {
        const auto* bytes = terms[t].table->bytes[length_class];
        const __m512i table = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
        const __m512i packed = _mm512_broadcast_i64x4(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms[t].codes + g * kDenseGroupBytes)));
        const __m512i codes = _mm512_and_si512(_mm512_srlv_epi64(packed, shifts), mask);
        sum = _mm512_add_epi8(sum, _mm512_shuffle_epi8(table, codes));
      }
      std::uint16_t* out = accumulators + g * kGroupRows;
      const __m512i low = _mm512_sll_epi16(_mm512_unpacklo_epi8(sum, zero), steps);
      const __m512i high = _mm512_sll_epi16(_mm512_unpackhi_epi8(sum, zero), steps);
      _mm512_storeu_si512(out, _mm512_add_epi16(_mm512_loadu_si512(out), low));
      _mm512_storeu_si512(out + 32, _mm512_add_epi16(_mm512_loadu_si512(out + 32), high));
    }
  }
};

template <template <int> typename Kernel>
void by_count(const NarrowTerm* terms, std::size_t count, const std::uint8_t* group_classes, std::size_t groups,
              int shift, std::uint16_t* accumulators) {
  switch (count) {
    case 1: return Kernel<1>::run(terms, group_classes, groups, shift, accumulators);
    case 2: return Kernel<2>::run(terms, group_classes, groups, shift, accumulators);
    case 3: return Kernel<3>::run(terms, group_classes, groups, shift, accumulators);
    case 4: return Kernel<4>::run(terms, group_classes, groups, shift, accumulators);
    case 5: return Kernel<5>::run(terms, group_classes, groups, shift, accumulators);
    case 6: return Kernel<6>::run(terms, group_classes, groups, shift, accumulators);
    case 7: return Kernel<7>::run(terms, group_classes, groups, shift, accumulators);
    case 8: return Kernel<8>::run(terms, group_classes, groups, shift, accumulators);
    default: return;
  }
}

MUSTCITE_TARGET("avx2")
void group_maxima_avx2(const std::uint16_t* accumulators, std::size_t groups, std::uint16_t* maxima) {
  for (std::size_t g = 0; g < groups; ++g) {
    const auto* in = reinterpret_cast<const __m256i*>(accumulators + g * kGroupRows);
    const __m256i best = _mm256_max_epu16(_mm256_max_epu16(_mm256_loadu_si256(in), _mm256_loadu_si256(in + 1)),
                                          _mm256_max_epu16(_mm256_loadu_si256(in + 2), _mm256_loadu_si256(in + 3)));
    const __m128i half = _mm_max_epu16(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
    // minpos finds the smallest of eight: of the complements it is the largest.
    const __m128i least = _mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(-1)));
    maxima[g] = static_cast<std::uint16_t>(~_mm_cvtsi128_si32(least));
  }
}

template <template <int> typename Kernel>
void in_fours(const DenseTerm* terms, std::size_t count, const std::uint8_t* group_classes, std::size_t groups,
              std::uint16_t* accumulators) {
  std::size_t t = 0;
  for (; t + 4 <= count; t += 4) Kernel<4>::run(terms + t, group_classes, groups, accumulators);
  switch (count - t) {
    case 3: Kernel<3>::run(terms + t, group_classes, groups, accumulators); break;
    case 2: Kernel<2>::run(terms + t, group_classes, groups, accumulators); break;
    case 1: Kernel<1>::run(terms + t, group_classes, groups, accumulators); break;
    default: break;
  }
}

template <int kTerms>
struct Avx2 {
  static void run(const DenseTerm* terms, const std::uint8_t* classes, std::size_t groups, std::uint16_t* out) {
    add_dense_avx2<kTerms>(terms, classes, groups, out);
  }
};
template <int kTerms>
struct Avx512 {
  static void run(const DenseTerm* terms, const std::uint8_t* classes, std::size_t groups, std::uint16_t* out) {
    add_dense_avx512<kTerms>(terms, classes, groups, out);
  }
};

#endif

std::vector<Level> detect() {
  std::vector<Level> levels{Level::plain};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) levels.push_back(Level::avx2);
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) levels.push_back(Level::avx512);
#endif
  return levels;
}

}  // namespace

const std::vector<Level>& available() {
  static const std::vector<Level> levels = detect();
  return levels;
}

Level best() { return available().back(); }

void add_sparse(const std::uint16_t* slots, const std::uint8_t* codes, std::size_t count, const std::uint16_t* table,
                std::uint16_t* accumulators) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const std::uint16_t a = table[codes[i]];
    const std::uint16_t b = table[codes[i + 1]];
    const std::uint16_t c = table[codes[i + 2]];
    const std::uint16_t d = table[codes[i + 3]];
    // Slots of one list differ, so the four sums do not touch each other.
    accumulators[slots[i]] = static_cast<std::uint16_t>(accumulators[slots[i]] + a);
    accumulators[slots[i + 1]] = static_cast<std::uint16_t>(accumulators[slots[i + 1]] + b);
    accumulators[slots[i + 2]] = static_cast<std::uint16_t>(accumulators[slots[i + 2]] + c);
    accumulators[slots[i + 3]] = static_cast<std::uint16_t>(accumulators[slots[i + 3]] + d);
  }
  for (; i < count; ++i) {
    accumulators[slots[i]] = static_cast<std::uint16_t>(accumulators[slots[i]] + table[codes[i]]);
  }
}

void add_dense(Level level, const DenseTerm* terms, std::size_t count, const std::uint8_t* group_classes,
               std::size_t groups, std::uint16_t* accumulators) {
#if defined(__x86_64__)
  if (level == Level::avx512) return in_fours<Avx512>(terms, count, group_classes, groups, accumulators);
  if (level == Level::avx2) return in_fours<Avx2>(terms, count, group_classes, groups, accumulators);
#endif
  (void)level;
  add_dense_plain(terms, count, group_classes, groups, accumulators);
}

void add_narrow(Level level, const NarrowTerm* terms, std::size_t count, const std::uint8_t* group_classes,
                std::size_t groups, int shift, std::uint16_t* accumulators) {
#if defined(__x86_64__)
  if (level == Level::avx512) return by_count<NarrowAvx512>(terms, count, group_classes, groups, shift, accumulators);
  if (level == Level::avx2) return by_count<NarrowAvx2>(terms, count, group_classes, groups, shift, accumulators);
#endif
  (void)level;
  add_narrow_plain(terms, count, group_classes, groups, shift, accumulators);
}

void group_maxima(Level level, const std::uint16_t* accumulators, std::size_t groups, std::uint16_t* maxima) {
#if defined(__x86_64__)
  if (level != Level::plain) return group_maxima_avx2(accumulators, groups, maxima);
#endif
  (void)level;
  group_maxima_plain(accumulators, groups, maxima);
}

}  // namespace mustcite::index::kernels
