#include "engine/late/train_codec.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "engine/dense/fixed_dot.hpp"
#include "engine/dense/half.hpp"

namespace mustcite::late {
namespace {

constexpr std::size_t kPart = 256;  ///< vectors of one step of work
constexpr std::size_t kMostResiduals = 1U << 22;

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((x ^ (x >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

std::span<const std::uint16_t> row_of(const Sample& sample, std::size_t i) {
  return std::span<const std::uint16_t>(sample.values).subspan(i * sample.dims, sample.dims);
}

void make_unit(std::span<float> vector) {
  const float length = std::sqrt(dense::fixed_dot(vector, vector));
  if (!(length > 0)) return;
  for (float& value : vector) value /= length;
}

std::size_t fitting(std::size_t wanted, std::size_t sample) {
  constexpr std::size_t kLeastEach = 4;
  std::size_t count = 1;
  while (count * 2 <= wanted && count * 2 * kLeastEach <= sample && count * 2 <= Codec::kMostCentroids)
    count *= 2;
  return count;
}

/// Vectors of the sample, drawn by the seed; no two are the same, so there may be fewer.
std::vector<float> first_centroids(const Sample& sample, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(sample.size());
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed);
  std::unordered_set<std::uint64_t> seen;
  std::vector<float> centroids;
  std::vector<float> row(sample.dims);
  for (std::size_t i = 0; i < order.size() && centroids.size() < count * sample.dims; ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    const auto halves = row_of(sample, order[i]);
    if (!seen.insert(checksum64(std::as_bytes(halves))).second) continue;
    dense::widen(halves, row);
    make_unit(row);
    centroids.insert(centroids.end(), row.begin(), row.end());
  }
  return centroids;
}

/// Each vector's nearest centroid.
void assign(const Sample& sample, const NearestCentroid& nearest, std::size_t threads,
            std::vector<std::uint16_t>& codes) {
  parallel_for((sample.size() + kPart - 1) / kPart, threads, [&](std::size_t part, std::size_t) {
    const std::size_t begin = part * kPart;
    const std::size_t count = std::min(kPart, sample.size() - begin);
    std::vector<float> wide(count * sample.dims);
    dense::widen(std::span<const std::uint16_t>(sample.values).subspan(begin * sample.dims, wide.size()),
                 wide);
    nearest.find(wide, std::span(codes).subspan(begin, count));
  });
}

/// Centroids as the unit mean of what is nearest to them. One that has nothing stays where it is.
void move_centroids(const Sample& sample, const std::vector<std::uint16_t>& codes, std::size_t threads,
                    std::vector<float>& centroids) {
  const std::size_t count = centroids.size() / sample.dims;
  std::vector<std::uint32_t> starts(count + 1, 0);
  for (const std::uint16_t code : codes) ++starts[code + 1U];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> members(codes.size());
  std::vector<std::uint32_t> places(starts.begin(), starts.end() - 1);
  for (std::uint32_t i = 0; i < codes.size(); ++i) members[places[codes[i]]++] = i;
  // Each centroid sums its members in their order, whatever thread does it.
  parallel_for(count, threads, [&](std::size_t c, std::size_t) {
    if (starts[c] == starts[c + 1]) return;
    std::vector<float> sum(sample.dims, 0.0F);
    std::vector<float> wide(sample.dims);
    for (std::uint32_t m = starts[c]; m < starts[c + 1]; ++m) {
      dense::widen(row_of(sample, members[m]), wide);
      for (std::size_t k = 0; k < sample.dims; ++k) sum[k] += wide[k];
    }
    make_unit(sum);
    if (dense::fixed_dot(sum, sum) > 0)
      std::copy(sum.begin(), sum.end(), centroids.begin() + static_cast<std::ptrdiff_t>(c * sample.dims));
  });
}

/// Borders at the quantiles of the residuals' numbers, and the mean between two borders.
void find_buckets(std::vector<float> residuals, std::size_t bits, std::vector<float>& weights,
                  std::vector<float>& limits) {
  const std::size_t buckets = std::size_t{1} << bits;
  std::sort(residuals.begin(), residuals.end());
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = residuals.size() * b / buckets;
    const std::size_t end = residuals.size() * (b + 1) / buckets;
    if (b > 0) limits.push_back(residuals[begin]);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += residuals[i];
    weights.push_back(end > begin ? static_cast<float>(sum / static_cast<double>(end - begin)) : 0.0F);
  }
}

}  // namespace

std::size_t centroids_for(std::uint64_t tokens) noexcept {
  const double wanted = 4 * std::sqrt(static_cast<double>(tokens));
  std::size_t count = 1;
  while (count < 32768 && static_cast<double>(count) * 1.41421356 < wanted) count *= 2;
  return count;
}

NearestCentroid::NearestCentroid(const Codec& codec) : lanes_(codec.dims()) {
  for (std::size_t c = 0; c < codec.centroids(); ++c) lanes_.add(codec.centroid(c));
}

NearestCentroid::NearestCentroid(std::span<const float> centroids, std::size_t dims) : lanes_(dims) {
  for (std::size_t at = 0; at < centroids.size(); at += dims) lanes_.add(centroids.subspan(at, dims));
}

void NearestCentroid::find(std::span<const float> vectors, std::span<std::uint16_t> codes) const {
  constexpr std::size_t kLanes = ByteLanes::kLanes;
  constexpr float kNone = -3e38F;
  const std::size_t dims = lanes_.dims();
  const std::size_t size = padded(dims);
  std::vector<std::int8_t> bytes(codes.size() * size);
  std::vector<ByteVector> rounded(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i)
    rounded[i] = to_bytes(vectors.subspan(i * dims, dims), bytes.data() + i * size);
  // Of each vector the best product in every lane, and the block it came from.
  std::vector<float> best(codes.size() * kLanes, kNone);
  std::vector<std::int32_t> from(codes.size() * kLanes, 0);
  std::int32_t products[kLanes];
  for (std::size_t block = 0; block < lanes_.blocks(); ++block) {
    const float* const scales = lanes_.scales(block);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      lanes_.products(block, rounded[i], products);
      float* const top = best.data() + i * kLanes;
      std::int32_t* const source = from.data() + i * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // A lane without a centroid has the scale 0 and must not win against negative products.
        const float score = scales[lane] > 0 ? static_cast<float>(products[lane]) * scales[lane] : kNone;
        source[lane] = score > top[lane] ? static_cast<std::int32_t>(block) : source[lane];
        top[lane] = score > top[lane] ? score : top[lane];
      }
    }
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::size_t code = 0;
    float top = kNone;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t candidate = static_cast<std::size_t>(from[i * kLanes + lane]) * kLanes + lane;
      const float score = best[i * kLanes + lane];
      if (score > top || (score == top && candidate < code)) {
        top = score;
        code = candidate;
      }
    }
    codes[i] = static_cast<std::uint16_t>(top == kNone ? 0 : code);
  }
}

Codec train_codec(const Sample& sample, const CodecOptions& options,
                  const std::function<void(std::uint64_t)>& advance) {
  if (options.bits != 1 && options.bits != 2 && options.bits != 4)
    fail(ErrorCode::usage, "residuals are kept in 1, 2 or 4 bits a dimension, not in {}", options.bits);
  if (sample.size() == 0) fail(ErrorCode::invalid_input, "there is no token to make an index of");
  const std::size_t count = fitting(options.centroids, sample.size());
  std::vector<float> centroids = first_centroids(sample, count, options.seed);
  std::vector<std::uint16_t> codes(sample.size());
  for (std::size_t round = 0; round < options.rounds; ++round) {
    stop_if_interrupted();
    assign(sample, NearestCentroid(centroids, sample.dims), options.threads, codes);
    move_centroids(sample, codes, options.threads, centroids);
    advance(1);
  }
  std::vector<std::uint16_t> halves(centroids.size());
  std::transform(centroids.begin(), centroids.end(), halves.begin(), dense::to_half);
  const Codec centres(sample.dims, options.bits, halves, std::vector<float>(std::size_t{1} << options.bits),
                      {});
  assign(sample, NearestCentroid(centres), options.threads, codes);
  // A stride through the sample that gives a few million numbers.
  const std::size_t stride = std::max<std::size_t>(1, sample.values.size() / kMostResiduals);
  std::vector<float> residuals;
  std::vector<float> wide(sample.dims);
  for (std::size_t i = 0; i < sample.size(); i += stride) {
    dense::widen(row_of(sample, i), wide);
    const auto centre = centres.centroid(codes[i]);
    for (std::size_t k = 0; k < sample.dims; ++k) residuals.push_back(wide[k] - centre[k]);
  }
  std::vector<float> weights;
  std::vector<float> limits;
  find_buckets(std::move(residuals), options.bits, weights, limits);
  return {sample.dims, options.bits, std::move(halves), std::move(weights), std::move(limits)};
}

}  // namespace mustcite::late
