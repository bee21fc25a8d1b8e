#include "engine/evaluate/significance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/threads.hpp"

namespace mustcite::evaluate {
namespace {

/// SplitMix64: one word seeds a whole stream, so each resample has its own and threads do not matter.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t number)
      : state_(mix(seed) ^ mix(number + 0x632BE59BD9B4E019ull)) {}
  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ull); }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// How often each of `rows` rows is drawn. The bias of multiply-and-shift is below rows / 2^32.
void draw_counts(Stream stream, std::vector<double>& counts) {
  std::fill(counts.begin(), counts.end(), 0.0);
  const std::uint64_t rows = counts.size();
  for (std::size_t i = 0; i < rows; i += 2) {
    const std::uint64_t word = stream.next();
    counts[((word & 0xFFFFFFFFu) * rows) >> 32] += 1.0;
    if (i + 1 < rows) counts[((word >> 32) * rows) >> 32] += 1.0;
  }
}

double percentile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The smallest |sum| that counts as being as far from zero as the observed one: rounding must not break
/// ties.
double bar(std::span<const double> differences) {
  double sum = 0.0;
  double size = 0.0;
  for (const double d : differences) {
    sum += d;
    size += std::abs(d);
  }
  return std::abs(sum) - 1e-12 * size;
}

/// All sign choices, by Gray code: each step flips one sign.
double exact_p(std::span<const double> differences) {
  const double threshold = bar(differences);
  std::vector<double> terms(differences.begin(), differences.end());
  const std::uint64_t choices = std::uint64_t{1} << terms.size();
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0;;) {
    // Summed anew: an updated sum would drift.
    if (std::abs(std::accumulate(terms.begin(), terms.end(), 0.0)) >= threshold) ++hits;
    if (++i == choices) break;
    auto& term = terms[static_cast<std::size_t>(__builtin_ctzll(i))];
    term = -term;
  }
  return static_cast<double>(hits) / static_cast<double>(choices);
}

/// Drawn sign choices for the columns listed.
std::vector<std::uint64_t> count_hits(const Matrix& differences, const std::vector<double>& thresholds,
                                      std::size_t permutations, std::uint64_t seed, std::size_t threads) {
  const std::size_t columns = differences.columns;
  threads = threads == 0 ? available_cores() : threads;
  std::vector<std::vector<std::uint64_t>> hits(threads, std::vector<std::uint64_t>(columns));
  std::vector<std::vector<double>> sums(threads, std::vector<double>(columns));
  parallel_for(permutations, threads, [&](std::size_t permutation, std::size_t worker) {
    stop_if_interrupted();
    Stream stream(seed, permutation);
    auto& sum = sums[worker];
    std::fill(sum.begin(), sum.end(), 0.0);
    std::uint64_t bits = 0;
    const double* row = differences.values.data();
    for (std::size_t r = 0; r < differences.rows; ++r, row += columns, bits >>= 1) {
      if (r % 64 == 0) bits = stream.next();
      const double sign = static_cast<double>(static_cast<int>(bits & 1) * 2 - 1);
      for (std::size_t c = 0; c < columns; ++c) sum[c] += sign * row[c];
    }
    for (std::size_t c = 0; c < columns; ++c) hits[worker][c] += std::abs(sum[c]) >= thresholds[c] ? 1 : 0;
  });
  std::vector<std::uint64_t> total(columns);
  for (const auto& part : hits) {
    for (std::size_t c = 0; c < columns; ++c) total[c] += part[c];
  }
  return total;
}

}  // namespace

std::vector<Interval> bootstrap(const Matrix& matrix, std::size_t resamples, double level, std::uint64_t seed,
                                std::size_t threads) {
  if (matrix.rows == 0 || resamples == 0) return std::vector<Interval>(matrix.columns);
  threads = threads == 0 ? available_cores() : threads;
  std::vector<std::vector<double>> means(matrix.columns, std::vector<double>(resamples));
  std::vector<std::vector<double>> counts(threads, std::vector<double>(matrix.rows));
  std::vector<std::vector<double>> sums(threads, std::vector<double>(matrix.columns));
  parallel_for(resamples, threads, [&](std::size_t resample, std::size_t worker) {
    stop_if_interrupted();
    draw_counts(Stream(seed, resample), counts[worker]);
    auto& sum = sums[worker];
    std::fill(sum.begin(), sum.end(), 0.0);
    const double* row = matrix.values.data();
    for (std::size_t r = 0; r < matrix.rows; ++r, row += matrix.columns) {
      const double count = counts[worker][r];
      for (std::size_t c = 0; c < matrix.columns; ++c) sum[c] += count * row[c];
    }
    for (std::size_t c = 0; c < matrix.columns; ++c)
      means[c][resample] = sum[c] / static_cast<double>(matrix.rows);
  });
  std::vector<Interval> intervals(matrix.columns);
  parallel_for(matrix.columns, threads, [&](std::size_t c, std::size_t) {
    std::sort(means[c].begin(), means[c].end());
    intervals[c] = {percentile(means[c], (1 - level) / 2), percentile(means[c], (1 + level) / 2)};
  });
  return intervals;
}

std::vector<double> sign_flip_test(const Matrix& differences, std::size_t permutations, std::uint64_t seed,
                                   std::size_t threads) {
  const std::size_t columns = differences.columns;
  std::vector<double> p_values(columns, 1.0);
  std::vector<double> thresholds(columns);
  std::vector<char> drawn(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> column;
    for (std::size_t r = 0; r < differences.rows; ++r) {
      const double d = differences.values[r * columns + c];
      if (d != 0.0) column.push_back(d);
    }
    thresholds[c] = bar(column);
    drawn[c] = column.size() >= 63 || (std::size_t{1} << column.size()) > permutations;
    if (!drawn[c]) p_values[c] = exact_p(column);
  }
  if (std::find(drawn.begin(), drawn.end(), 1) == drawn.end()) return p_values;
  const auto hits = count_hits(differences, thresholds, permutations, seed, threads);
  for (std::size_t c = 0; c < columns; ++c) {
    if (drawn[c]) p_values[c] = static_cast<double>(hits[c] + 1) / static_cast<double>(permutations + 1);
  }
  return p_values;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double highest = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    highest = std::max(highest, std::min(1.0, p_values[order[i]] * static_cast<double>(order.size() - i)));
    corrected[order[i]] = highest;
  }
  return corrected;
}

}  // namespace mustcite::evaluate
