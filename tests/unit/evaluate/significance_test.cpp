#include "engine/evaluate/significance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mustcite::evaluate {
namespace {

TEST(Holm, MatchesAHandCalculation) {
  // Sorted 0.01 0.02 0.03 0.04 → ×4 ×3 ×2 ×1 = 0.04 0.06 0.06 0.04, never falling: 0.04 0.06 0.06 0.06.
  const std::vector<double> p{0.03, 0.01, 0.04, 0.02};
  const auto corrected = holm(p);
  EXPECT_DOUBLE_EQ(corrected[0], 0.06);
  EXPECT_DOUBLE_EQ(corrected[1], 0.04);
  EXPECT_DOUBLE_EQ(corrected[2], 0.06);
  EXPECT_DOUBLE_EQ(corrected[3], 0.06);
}

TEST(Holm, NeverPassesOne) {
  const std::vector<double> p{0.9, 0.8};
  for (const double value : holm(p)) EXPECT_EQ(value, 1.0);
  EXPECT_TRUE(holm({}).empty());
}

TEST(SignFlip, IsExactForFewDifferences) {
  // 1+2+3+4 = 10: of the 16 sign choices only all plus and all minus reach |sum| 10.
  const std::vector<double> d{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(sign_flip_test({d, 4, 1}, 10000, 1, 1)[0], 2.0 / 16);
  // 4-1-2+0.5 = 1.5; all 16 sums by hand: ±7.5 ±6.5 ±5.5 ±4.5 ±3.5 ±2.5 ±1.5 ±0.5, so 14 of 16 reach 1.5.
  const std::vector<double> e{4, -1, -2, 0.5};
  EXPECT_DOUBLE_EQ(sign_flip_test({e, 4, 1}, 10000, 1, 1)[0], 14.0 / 16);
}

TEST(SignFlip, TiesOfDecimalFractionsCount) {
  // 0.1+0.2 and 0.3 differ in the last bit; |0.1+0.2-0.3| must count as 0 and its mirror as equal.
  const std::vector<double> d{0.1, 0.2, 0.3};
  // Sums: 0.6 twice in size, 0.4 twice, 0.2 twice, 0 twice. Observed 0.6 → 2/8.
  EXPECT_DOUBLE_EQ(sign_flip_test({d, 3, 1}, 10000, 1, 1)[0], 2.0 / 8);
  const std::vector<double> zero{0.1, 0.2, -0.3};
  EXPECT_DOUBLE_EQ(sign_flip_test({zero, 3, 1}, 10000, 1, 1)[0], 1.0);
}

TEST(SignFlip, NoDifferenceIsNoEvidence) {
  const std::vector<double> d(50, 0.0);
  EXPECT_EQ(sign_flip_test({d, 50, 1}, 1000, 1, 1)[0], 1.0);
}

TEST(SignFlip, DrawnPValuesComeNearTheExactOnes) {
  // 14 differences: 2^14 = 16384 choices. With 20,000 permutations exact, with 16,000 drawn.
  std::vector<double> d;
  for (int i = 1; i <= 14; ++i) d.push_back(i % 3 == 0 ? -0.1 * i : 0.13 * i);
  const double exact = sign_flip_test({d, 14, 1}, 20000, 1, 1)[0];
  const double drawn = sign_flip_test({d, 14, 1}, 16000, 1, 1)[0];
  // Five standard errors of a share of 16,000 draws.
  EXPECT_NEAR(drawn, exact, 5 * std::sqrt(exact * (1 - exact) / 16000));
  EXPECT_NE(drawn, exact);
}

std::vector<double> noise(std::size_t size, double mean) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(mean, 1.0);
  std::vector<double> values(size);
  for (auto& value : values) value = normal(random);
  return values;
}

TEST(SignFlip, SmallestPIsOneOverPermutationsPlusOne) {
  EXPECT_DOUBLE_EQ(sign_flip_test({noise(500, 3.0), 500, 1}, 999, 1, 2)[0], 1.0 / 1000);
}

TEST(Bootstrap, IntervalIsThatOfTheNormalApproximationForManyRows) {
  const auto values = noise(4000, 0.5);
  double mean = 0, square = 0;
  for (const double v : values) mean += v / 4000;
  for (const double v : values) square += (v - mean) * (v - mean) / 4000;
  const double half = 1.96 * std::sqrt(square / 4000);
  const auto interval = bootstrap({values, 4000, 1}, 10000, 0.95, 1, 2)[0];
  EXPECT_NEAR(interval.low, mean - half, 0.05 * half);
  EXPECT_NEAR(interval.high, mean + half, 0.05 * half);
}

TEST(Bootstrap, OfOneRowIsThatRow) {
  const std::vector<double> row{0.25, 0.75};
  const auto intervals = bootstrap({row, 1, 2}, 100, 0.95, 1, 1);
  EXPECT_EQ(intervals[0].low, 0.25);
  EXPECT_EQ(intervals[0].high, 0.25);
  EXPECT_EQ(intervals[1].high, 0.75);
}

TEST(Resampling, SameSeedSameNumbersOnAnyNumberOfThreads) {
  const auto values = noise(3000, 0.03);  // 1000 rows of 3
  const Matrix matrix{values, 1000, 3};
  const auto one = bootstrap(matrix, 500, 0.9, 7, 1);
  const auto four = bootstrap(matrix, 500, 0.9, 7, 4);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(one[c].low, four[c].low);
    EXPECT_EQ(one[c].high, four[c].high);
  }
  EXPECT_EQ(sign_flip_test(matrix, 2000, 7, 1), sign_flip_test(matrix, 2000, 7, 4));
  EXPECT_NE(sign_flip_test(matrix, 2000, 7, 1), sign_flip_test(matrix, 2000, 8, 1));
}

}  // namespace
}  // namespace mustcite::evaluate
