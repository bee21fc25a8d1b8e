#include "core/learn/logistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mustcite/error.hpp"

namespace mustcite::learn {
namespace {

TEST(Logistic, FitsTwoGroupsExactlyWithoutPenalty) {
  // At 0 one of four is positive, at 1 three of four: the log odds are -ln 3 and ln 3.
  const std::vector<float> rows{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<float> labels{1, 0, 0, 0, 1, 1, 1, 0};
  LogisticOptions options;
  options.regularisation = 1e-9;
  options.tolerance = 1e-14;
  const LinearModel model = fit_logistic(rows, labels, {}, options);
  EXPECT_NEAR(model.intercept, -std::log(3.0), 1e-4);
  EXPECT_NEAR(model.weights[0], 2 * std::log(3.0), 1e-4);
}

TEST(Logistic, WeightsCountLikeRepetitions) {
  const std::vector<float> rows{0, 0, 1, 1};
  const std::vector<float> labels{0, 1, 0, 1};
  const std::vector<float> weights{3, 1, 1, 3};
  const std::vector<float> rows_again{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<float> labels_again{0, 0, 0, 1, 0, 1, 1, 1};
  LogisticOptions options;
  options.regularisation = 1e-9;
  options.tolerance = 1e-14;
  const LinearModel a = fit_logistic(rows, labels, weights, options);
  const LinearModel b = fit_logistic(rows_again, labels_again, {}, options);
  EXPECT_NEAR(a.weights[0], b.weights[0], 1e-4);
  EXPECT_NEAR(a.intercept, b.intercept, 1e-4);
}

TEST(Logistic, GradientIsZeroAtTheSolution) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> rows, labels;
  for (int i = 0; i < 500; ++i) {
    const float a = normal(random), b = 10 + 3 * normal(random);
    rows.insert(rows.end(), {a, b});
    labels.push_back(a - 0.2F * (b - 10) + normal(random) > 0 ? 1.0F : 0.0F);
  }
  LogisticOptions options;
  options.regularisation = 1e-9;
  options.tolerance = 1e-14;
  const LinearModel model = fit_logistic(rows, labels, {}, options);
  double gradient[3] = {0, 0, 0};
  for (std::size_t i = 0; i < 500; ++i) {
    const std::span<const float> row(rows.data() + 2 * i, 2);
    const double error = 1 / (1 + std::exp(-double{model.score(row)})) - labels[i];
    gradient[0] += error;
    gradient[1] += error * row[0];
    gradient[2] += error * row[1];
  }
  for (const double value : gradient) EXPECT_NEAR(value, 0, 2e-2);
}

TEST(Logistic, ConstantColumnsGetNoWeight) {
  const std::vector<float> rows{7, 0, 7, 1, 7, 0, 7, 1};
  const std::vector<float> labels{0, 1, 1, 1};
  const LinearModel model = fit_logistic(rows, labels, {});
  EXPECT_NEAR(model.weights[0], 0, 1e-12);
  EXPECT_GT(model.weights[1], 0);
}

TEST(Logistic, StaysFiniteWhenTheGroupsAreSplit) {
  const std::vector<float> rows{0, 1, 2, 3};
  const std::vector<float> labels{0, 0, 1, 1};
  EXPECT_TRUE(std::isfinite(fit_logistic(rows, labels, {}).weights[0]));
}

TEST(Logistic, RefusesWhatDoesNotFit) {
  const std::vector<float> rows{0, 1, 2};
  const std::vector<float> two{0, 1};
  const std::vector<float> three{0, 1, 0};
  EXPECT_THROW(fit_logistic(rows, two, {}), Error);
  EXPECT_THROW(fit_logistic({}, {}, {}), Error);
  EXPECT_THROW(fit_logistic(rows, three, two), Error);
  const std::vector<float> bad{0, std::numeric_limits<float>::quiet_NaN(), 2};
  EXPECT_THROW(fit_logistic(bad, three, {}), Error);
}

}  // namespace
}  // namespace mustcite::learn
