#include "engine/late/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "engine/dense/fixed_dot.hpp"
#include "engine/dense/half.hpp"
#include "engine/late/train_codec.hpp"
#include "testing/error_code.hpp"
#include "unit/late/random_documents.hpp"

namespace mustcite::late {
namespace {

Sample sample_of(std::size_t dims, std::size_t tokens, std::uint64_t seed) {
  test::RandomDocuments documents(dims, 20, seed);
  const auto values = documents.next(tokens);
  Sample sample;
  sample.dims = dims;
  std::transform(values.begin(), values.end(), std::back_inserter(sample.values), dense::to_half);
  return sample;
}

CodecOptions options_of(std::size_t bits, std::size_t centroids, std::size_t threads = 1) {
  CodecOptions options;
  options.bits = bits;
  options.centroids = centroids;
  options.threads = threads;
  return options;
}

double mean_cosine(const Codec& codec, const Sample& sample) {
  const NearestCentroid nearest(codec);
  double sum = 0;
  std::vector<float> vector(sample.dims);
  std::vector<float> again(sample.dims);
  std::vector<std::uint8_t> residual(codec.residual_bytes());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    dense::widen(std::span<const std::uint16_t>(sample.values).subspan(i * sample.dims, sample.dims), vector);
    std::uint16_t code = 0;
    nearest.find(vector, {&code, 1});
    codec.compress(vector, code, residual);
    codec.decompress(code, residual, again);
    EXPECT_NEAR(dense::fixed_dot(again, again), 1, 1e-5);
    sum += dense::fixed_dot(vector, again);
  }
  return sum / static_cast<double>(sample.size());
}

TEST(Codec, HandWorkedNumbersComeBack) {
  // One centroid at (0.6, 0.8) in halves; borders of two bits at -0.1, 0, 0.1 with values -0.2, -0.05, 0.05,
  // 0.2.
  const std::vector<std::uint16_t> centroid{dense::to_half(0.6F), dense::to_half(0.8F)};
  const Codec codec(2, 2, centroid, {-0.2F, -0.05F, 0.05F, 0.2F}, {-0.1F, 0.0F, 0.1F});
  std::uint8_t residual = 0;
  codec.compress(std::vector<float>{0.65F, 0.5F}, 0, {&residual, 1});
  EXPECT_EQ(residual, 0b0010);  // 0.05 lies between 0 and 0.1: number 2; -0.3 is below all: number 0
  std::vector<float> again(2);
  codec.decompress(0, {&residual, 1}, again);
  // (0.65, 0.6) made unit length: 0.8846 long.
  EXPECT_NEAR(again[0], 0.65 / 0.8846, 1e-3);
  EXPECT_NEAR(again[1], 0.6 / 0.8846, 1e-3);
}

/// Cosines that the bits alone give of a Gaussian residual, without any help of a centroid: one bit sqrt(2 /
/// pi), four and sixteen even quantiles with their means 0.93 and 0.98.
constexpr std::array<double, 3> kOfBits{0.79, 0.92, 0.98};
constexpr std::array<std::size_t, 3> kBits{1, 2, 4};

TEST(Codec, MoreBitsComeNearer) {
  const auto sample = sample_of(48, 3000, 5);
  double before = 0;
  for (std::size_t i = 0; i < kBits.size(); ++i) {
    const double cosine = mean_cosine(train_codec(sample, options_of(kBits[i], 16), [](auto) {}), sample);
    EXPECT_GT(cosine, kOfBits[i]);
    EXPECT_GT(cosine, before);
    before = cosine;
  }
}

TEST(Codec, DimensionsThatFillNoByteWork) {
  const auto sample = sample_of(13, 500, 6);
  for (std::size_t i = 0; i < kBits.size(); ++i) {
    const auto codec = train_codec(sample, options_of(kBits[i], 8), [](auto) {});
    EXPECT_EQ(codec.residual_bytes(), (13 * kBits[i] + 7) / 8);
    EXPECT_GT(mean_cosine(codec, sample), kOfBits[i]);
  }
}

TEST(TrainCodec, IsTheSameOnAnyNumberOfThreads) {
  const auto sample = sample_of(32, 2000, 7);
  const auto one = train_codec(sample, options_of(2, 64, 1), [](auto) {});
  const auto three = train_codec(sample, options_of(2, 64, 3), [](auto) {});
  EXPECT_EQ(one.halves(), three.halves());
  EXPECT_EQ(one.weights(), three.weights());
  EXPECT_EQ(one.limits(), three.limits());
}

TEST(TrainCodec, BordersSplitTheResidualsEvenly) {
  const auto sample = sample_of(32, 2000, 8);
  const auto codec = train_codec(sample, options_of(2, 16), [](auto) {});
  const NearestCentroid nearest(codec);
  std::vector<std::size_t> counts(4, 0);
  std::vector<float> vector(32);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    dense::widen(std::span<const std::uint16_t>(sample.values).subspan(i * 32, 32), vector);
    std::uint16_t code = 0;
    nearest.find(vector, {&code, 1});
    std::vector<std::uint8_t> residual(8);
    codec.compress(vector, code, residual);
    for (std::size_t k = 0; k < 32; ++k) ++counts[residual[k / 4] >> (k % 4 * 2) & 3];
  }
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count) / (2000 * 32), 0.25, 0.01);
}

TEST(TrainCodec, AFewTokensGetFewCentroids) {
  const auto sample = sample_of(8, 9, 9);
  EXPECT_EQ(train_codec(sample, options_of(2, 1024), [](auto) {}).centroids(), 2U);
  const auto one = sample_of(8, 1, 9);
  EXPECT_EQ(train_codec(one, options_of(2, 1024), [](auto) {}).centroids(), 1U);
}

TEST(TrainCodec, RefusesBitsThatFillNoByteAndAnEmptySample) {
  const auto sample = sample_of(8, 9, 9);
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(train_codec(sample, options_of(3, 8), [](auto) {})); }),
            ErrorCode::usage);
  EXPECT_EQ(testing::code_of([&] {
              static_cast<void>(train_codec({8, {}}, options_of(2, 8), [](auto) {}));
            }),
            ErrorCode::invalid_input);
}

TEST(NearestCentroid, EqualsTheLargestProductOfAllButNearTies) {
  const auto sample = sample_of(64, 1000, 10);
  const auto codec = train_codec(sample, options_of(2, 100), [](auto) {});
  ASSERT_EQ(codec.centroids(), 64U);
  const NearestCentroid nearest(codec);
  std::vector<float> vector(64);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    dense::widen(std::span<const std::uint16_t>(sample.values).subspan(i * 64, 64), vector);
    std::uint16_t code = 0;
    nearest.find(vector, {&code, 1});
    float best = -2;
    for (std::size_t c = 0; c < codec.centroids(); ++c)
      best = std::max(best, dense::fixed_dot(vector, codec.centroid(c)));
    EXPECT_GT(dense::fixed_dot(vector, codec.centroid(code)), best - 0.02F);
  }
}

}  // namespace
}  // namespace mustcite::late
