#include <algorithm>
#include <bit>

#include "engine/rank/features.hpp"

namespace mustcite::rank {
namespace {

std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace

std::vector<std::uint32_t> places(std::span<const float> scores) {
  const auto size = static_cast<std::uint32_t>(scores.size());
  std::vector<std::uint32_t> result(size, size);
  if (size == 0) return result;
  const float least = *std::min_element(scores.begin(), scores.end());
  // Radix sort of (score, position), the best first; equal scores keep their order.
  struct Item {
    std::uint32_t key;
    std::uint32_t position;
  };
  std::vector<Item> items, other;
  items.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (scores[i] > least) items.push_back({~ordered_bits(scores[i]), i});
  }
  other.resize(items.size());
  constexpr std::uint32_t kBits = 11;
  constexpr std::uint32_t kBuckets = 1U << kBits;
  for (std::uint32_t shift = 0; shift < 32; shift += kBits) {
    std::uint32_t begin[kBuckets + 1] = {};
    for (const Item& item : items) ++begin[(item.key >> shift & (kBuckets - 1)) + 1];
    for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) begin[bucket + 1] += begin[bucket];
    for (const Item& item : items) other[begin[item.key >> shift & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
  for (std::size_t place = 0; place < items.size(); ++place) {
    result[items[place].position] = static_cast<std::uint32_t>(place + 1);
  }
  return result;
}

}  // namespace mustcite::rank
