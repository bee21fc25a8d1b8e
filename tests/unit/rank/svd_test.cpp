#include "engine/rank/svd.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace mustcite::rank {
namespace {

/// 300 x 120, about 10 values a row, of falling strength so that the spectrum falls as that of text does.
SparseRows random_rows(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  SparseRows rows;
  rows.width = 120;
  for (int r = 0; r < 300; ++r) {
    for (std::uint32_t c = 0; c < rows.width; ++c) {
      if (random() % 12 != 0) continue;
      rows.columns.push_back(c);
      rows.values.push_back((normal(random) + 1) * (1.0F + 4.0F / static_cast<float>(c + 1)));
    }
    rows.begin.push_back(rows.columns.size());
  }
  return rows;
}

Eigen::MatrixXd dense(const SparseRows& rows) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.rows()), rows.width);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (std::uint64_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
      matrix(static_cast<Eigen::Index>(r), rows.columns[k]) = rows.values[k];
    }
  }
  return matrix;
}

TEST(TruncatedSvd, FindsTheLeadingSingularVectorsOfADenseSolver) {
  const SparseRows rows = random_rows(1);
  SvdOptions options;
  options.rank = 8;
  options.rounds = 12;
  const Svd svd = truncated_svd(rows, options);
  const Eigen::JacobiSVD<Eigen::MatrixXd> exact(dense(rows), Eigen::ComputeThinU | Eigen::ComputeThinV);
  ASSERT_EQ(svd.rank, 8U);
  for (Eigen::Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(svd.singular_values[static_cast<std::size_t>(i)], exact.singularValues()(i),
                2e-3 * exact.singularValues()(0));
  }
  // The spanned space: the projector of our vectors keeps the first exact ones whole.
  for (Eigen::Index i = 0; i < 4; ++i) {
    double length = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      double dot = 0;
      for (std::size_t c = 0; c < 120; ++c)
        dot += svd.right[c * 8 + j] * exact.matrixV()(static_cast<Eigen::Index>(c), i);
      length += dot * dot;
    }
    EXPECT_NEAR(length, 1.0, 1e-3) << i;
  }
}

TEST(TruncatedSvd, IsTheSameOnAnyNumberOfThreads) {
  const SparseRows rows = random_rows(2);
  SvdOptions options;
  options.rank = 100;
  options.threads = 1;
  const Svd one = truncated_svd(rows, options);
  options.threads = 3;
  const Svd three = truncated_svd(rows, options);
  EXPECT_EQ(one.right, three.right);
  EXPECT_EQ(one.singular_values, three.singular_values);
}

TEST(TruncatedSvd, GivesNoMoreThanThereIs) {
  SparseRows rows;  // rank 1: two equal rows
  rows.width = 5;
  rows.columns = {0, 3, 0, 3};
  rows.values = {1, 2, 1, 2};
  rows.begin = {0, 2, 4};
  const Svd svd = truncated_svd(rows, {});
  ASSERT_EQ(svd.rank, 1U);
  EXPECT_NEAR(svd.singular_values[0], std::sqrt(10.0), 1e-4);
  EXPECT_NEAR(svd.right[3], 2 / std::sqrt(5.0), 1e-4);
}

TEST(TruncatedSvd, OfNothingIsNothing) {
  EXPECT_EQ(truncated_svd(SparseRows{}, {}).rank, 0U);
}

}  // namespace
}  // namespace mustcite::rank
