#include "engine/index/row_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/index/format.hpp"

namespace mustcite::index {
namespace {

constexpr std::uint32_t kBinsPerOctave = 64;

/// Place of a length on a logarithmic scale, straight between powers of two: whole numbers only, so that every
/// machine finds the same classes.
std::uint32_t bin_of(std::uint32_t length) {
  if (length == 0) return 0;
  const auto octave = static_cast<std::uint32_t>(std::bit_width(length) - 1);
  const std::uint64_t within = (std::uint64_t{length} * kBinsPerOctave >> octave) - kBinsPerOctave;
  return octave * kBinsPerOctave + static_cast<std::uint32_t>(within);
}

std::vector<std::uint32_t> find_classes(const std::vector<std::uint32_t>& lengths) {
  std::vector<std::uint32_t> rows(33 * kBinsPerOctave, 0);
  std::vector<std::uint32_t> shortest(rows.size(), 0xffffffff);
  for (const std::uint32_t length : lengths) {
    const std::uint32_t bin = bin_of(length);
    ++rows[bin];
    shortest[bin] = std::min(shortest[bin], length);
  }
  double total = 0;
  for (const std::uint32_t count : rows) total += std::sqrt(static_cast<double>(count));
  std::vector<std::uint32_t> minima;
  double before = 0;
  for (std::size_t bin = 0; bin < rows.size(); ++bin) {
    if (rows[bin] == 0) continue;
    const double due = before * format::kClasses / total;
    if (minima.empty() || (due >= static_cast<double>(minima.size()) && minima.size() < format::kClasses)) {
      minima.push_back(shortest[bin]);
    }
    before += std::sqrt(static_cast<double>(rows[bin]));
  }
  if (minima.empty()) minima.push_back(0);
  minima.resize(format::kClasses, minima.back());
  return minima;
}

}  // namespace

RowOrder order_rows(const std::vector<std::uint32_t>& lengths) {
  RowOrder result;
  result.class_minima = find_classes(lengths);
  const std::size_t blocks = (lengths.size() + format::kBlockRows - 1) / format::kBlockRows;
  result.order.assign(blocks * format::kBlockRows, 0xffff);
  result.group_classes.assign(blocks * format::kGroups, 0);
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * format::kBlockRows;
    const std::size_t count = std::min<std::size_t>(format::kBlockRows, lengths.size() - first);
    const auto slots = result.order.begin() + static_cast<std::ptrdiff_t>(first);
    std::iota(slots, slots + static_cast<std::ptrdiff_t>(count), std::uint16_t{0});
    std::stable_sort(slots, slots + static_cast<std::ptrdiff_t>(count),
                     [&](std::uint16_t a, std::uint16_t b) { return lengths[first + a] < lengths[first + b]; });
    for (std::size_t begin = 0; begin < count; begin += format::kGroupRows) {
      const std::uint32_t shortest = lengths[first + slots[static_cast<std::ptrdiff_t>(begin)]];
      const auto after = std::upper_bound(result.class_minima.begin(), result.class_minima.end(), shortest);
      result.group_classes[block * format::kGroups + begin / format::kGroupRows] =
          static_cast<std::uint8_t>(std::max<std::ptrdiff_t>(after - result.class_minima.begin(), 1) - 1);
    }
  }
  return result;
}

}  // namespace mustcite::index
