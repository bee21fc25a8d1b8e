#include "core/learn/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mustcite/error.hpp"

namespace mustcite::learn {
namespace {

TEST(Calibration, PoolsAdjacentViolators) {
  // Labels by score: 0 1 0 1 1. The pair (1, 0) falls: pooled to 1/2 at score (2 + 3) / 2. The last two stay
  // 1 and are one block, at 4.5.
  const std::vector<float> scores{1, 2, 3, 4, 5};
  const std::vector<float> labels{0, 1, 0, 1, 1};
  const Calibration curve = Calibration::isotonic(scores, labels);
  ASSERT_EQ(curve.points().size(), 3U);
  EXPECT_FLOAT_EQ(curve(1), 0.0F);
  EXPECT_FLOAT_EQ(curve(2.5F), 0.5F);
  EXPECT_FLOAT_EQ(curve(4.5F), 1.0F);
  EXPECT_FLOAT_EQ(curve(3.5F), 0.75F);  // half way between 0.5 and 1
  EXPECT_FLOAT_EQ(curve(-10), 0.0F);
  EXPECT_FLOAT_EQ(curve(10), 1.0F);
}

TEST(Calibration, EqualScoresGetOneProbability) {
  const std::vector<float> scores{1, 1, 1, 1};
  const std::vector<float> labels{0, 1, 0, 0};
  const Calibration curve = Calibration::isotonic(scores, labels);
  ASSERT_EQ(curve.points().size(), 1U);
  EXPECT_FLOAT_EQ(curve(1), 0.25F);
}

TEST(Calibration, BlocksHoldAtLeastTheAskedNumber) {
  std::vector<float> scores, labels;
  for (int i = 0; i < 100; ++i) {
    scores.push_back(static_cast<float>(i));
    labels.push_back(i == 99 ? 1.0F : 0.0F);
  }
  EXPECT_FLOAT_EQ(Calibration::isotonic(scores, labels, 50)(99), 0.02F);  // 1 of the upper 50
  EXPECT_FLOAT_EQ(Calibration::isotonic(scores, labels, 1)(99), 1.0F);
}

TEST(Calibration, RefusesCurvesThatFall) {
  EXPECT_THROW(Calibration({{0, 0.5F}, {1, 0.4F}}), Error);
  EXPECT_THROW(Calibration({{1, 0.1F}, {1, 0.4F}}), Error);
  EXPECT_THROW(Calibration({{1, 1.5F}}), Error);
  EXPECT_THROW(Calibration::isotonic({}, {}), Error);
}

TEST(Calibration, WithoutACurveNothingIsKnown) {
  EXPECT_TRUE(std::isnan(Calibration()(1)));
}

TEST(Platt, FitsTwoGroupsExactly) {
  // Two distinct scores and two parameters: the fit reproduces the mean target of each group. n1 = 4, n0 = 4,
  // so the targets are 5/6 and 1/6. At score 0: one of four, (5/6 + 3/6) / 4 = 1/3; at score 1: three of
  // four, 2/3.
  const std::vector<float> scores{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<float> labels{1, 0, 0, 0, 1, 1, 1, 0};
  const Platt fit = Platt::fit(scores, labels);
  EXPECT_NEAR(fit(0), 1.0 / 3, 1e-6);
  EXPECT_NEAR(fit(1), 2.0 / 3, 1e-6);
  EXPECT_NEAR(fit.offset, std::log(2.0), 1e-5);
  EXPECT_NEAR(fit.slope, -2 * std::log(2.0), 1e-5);
}

TEST(Platt, StaysFiniteForPerfectlySplitScores) {
  const std::vector<float> scores{-1000, -900, 900, 1000};
  const std::vector<float> labels{0, 0, 1, 1};
  const Platt fit = Platt::fit(scores, labels);
  EXPECT_LT(fit(-1000), 0.5);
  EXPECT_GT(fit(1000), 0.5);
  EXPECT_TRUE(std::isfinite(fit.slope));
}

TEST(CalibrationError, ComparesProbabilityWithShareInEachBin) {
  // Two bins of two: |0.1 - 0| and |0.8 - 0.5|, mean 0.2.
  const std::vector<float> probabilities{0.1F, 0.1F, 0.8F, 0.8F};
  const std::vector<float> labels{0, 0, 1, 0};
  EXPECT_NEAR(calibration_error(probabilities, labels, 2), 0.2, 1e-6);
}

TEST(CutForPrecision, TakesTheLowestCutThatIsPreciseEnough) {
  // From the top: 0.9 (1), 0.8 (0), 0.7 (1), 0.7 (0), 0.2 (0): shares 1, 1/2, then 2/4 for both at 0.7, then
  // 2/5.
  const std::vector<float> probabilities{0.2F, 0.9F, 0.7F, 0.8F, 0.7F};
  const std::vector<float> labels{0, 1, 1, 0, 0};
  const PrecisionCut half = cut_for_precision(probabilities, labels, 0.5);
  EXPECT_FLOAT_EQ(static_cast<float>(half.at), 0.7F);
  EXPECT_DOUBLE_EQ(half.precision, 0.5);
  EXPECT_DOUBLE_EQ(half.recall, 1.0);
  EXPECT_EQ(half.taken, 4U);
  const PrecisionCut sure = cut_for_precision(probabilities, labels, 0.9);
  EXPECT_FLOAT_EQ(static_cast<float>(sure.at), 0.9F);
  EXPECT_DOUBLE_EQ(sure.recall, 0.5);
}

TEST(CutForPrecision, FindsNoneWhereNothingIsPreciseEnough) {
  const std::vector<float> probabilities{0.9F, 0.1F};
  const std::vector<float> labels{0, 1};
  EXPECT_EQ(cut_for_precision(probabilities, labels, 0.9).at, 2.0);
  EXPECT_THROW(static_cast<void>(cut_for_precision({}, {}, 0.5)), Error);
}

}  // namespace
}  // namespace mustcite::learn
