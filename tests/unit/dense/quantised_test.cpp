#include "engine/dense/quantised.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/index/top.hpp"

namespace mustcite::dense {
namespace {

std::vector<float> random_vector(std::mt19937_64& random, std::size_t size) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(size);
  for (float& value : vector) value = normal(random);
  return vector;
}

TEST(Quantised, KeepsValuesWithinHalfAStep) {
  std::mt19937_64 random(1);
  const std::vector<float> vector = random_vector(random, 100);
  const QuantisedVector small = quantised(vector);
  ASSERT_EQ(small.values.size(), 128U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(static_cast<float>(small.values[i]) * small.scale, vector[i], small.scale * 0.501F);
  }
  EXPECT_EQ(small.values[127], 0);
}

TEST(Quantised, ZerosStayZeros) {
  const std::vector<float> zeros(64, 0.0F);
  EXPECT_EQ(quantised(zeros).scale, 0.0F);
}

TEST(IntegerDots, EqualThePlainTwin) {
  std::mt19937_64 random(2);
  for (const std::size_t dims : {64U, 256U, 768U, 1024U, 1088U}) {
    QuantisedTable table(dims);
    for (int i = 0; i < 37; ++i) table.add(random_vector(random, dims));
    const QuantisedVector vector = quantised(random_vector(random, dims));
    const QuantisedRows rows = table.rows();
    std::vector<std::int32_t> fast(37), plain(37);
    integer_dots(rows.values, rows.sums, vector.values, fast);
    integer_dots_plain(rows.values, vector.values, plain);
    EXPECT_EQ(fast, plain) << dims;
  }
}

TEST(IntegerDots, HoldAtTheLimits) {
  QuantisedTable table(64);
  table.add(std::vector<float>(64, -1.0F));
  const QuantisedVector vector = quantised(std::vector<float>(64, -1.0F));
  EXPECT_NEAR(table.rows().dot(0, vector), 64.0F, 1e-3F);
}

TEST(QuantisedRows, NearestEqualsSortingEverything) {
  std::mt19937_64 random(3);
  QuantisedTable table(64);
  for (int i = 0; i < 1000; ++i) table.add(random_vector(random, 64));
  const QuantisedRows rows = table.rows();
  const std::vector<QuantisedVector> vectors{quantised(random_vector(random, 64)),
                                             quantised(random_vector(random, 64))};
  const std::vector<DocId> exclude{DocId{5}, DocId{300}, DocId{899}};
  const auto found = rows.nearest(vectors, 900, 20, exclude);
  ASSERT_EQ(found.size(), 2U);
  for (std::size_t v = 0; v < 2; ++v) {
    std::vector<index::Scored> all;
    for (std::uint32_t i = 0; i < 900; ++i) {
      if (!index::contains(exclude, DocId{i})) all.push_back({DocId{i}, rows.dot(i, vectors[v])});
    }
    std::sort(all.begin(), all.end(), index::better);
    ASSERT_EQ(found[v].size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(found[v][i].doc, all[i].doc);
      EXPECT_EQ(found[v][i].score, all[i].score);
    }
  }
}

TEST(TopK, KeepsTheEarlierRowAtEqualScores) {
  index::TopK top(3);
  for (std::uint32_t row = 0; row < 100; ++row) top.offer(row, row == 50 ? 2.0F : 1.0F);
  const std::vector<index::Scored> best = top.take();
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].doc, DocId{50});
  EXPECT_EQ(best[1].doc, DocId{0});
  EXPECT_EQ(best[2].doc, DocId{1});
}

TEST(TopK, OfDepthZeroIsEmpty) {
  index::TopK top(0);
  top.offer(1, 1.0F);
  EXPECT_TRUE(top.take().empty());
}

}  // namespace
}  // namespace mustcite::dense
