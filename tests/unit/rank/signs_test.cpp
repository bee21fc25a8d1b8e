#include "engine/rank/signs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/rank/top.hpp"

namespace mustcite::rank {
namespace {

/// Unit-like vectors in clouds around a few centres, as texts of one field lie near each other.
QuantisedTable clouds(std::size_t rows, std::size_t dims) {
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> centres(50, std::vector<float>(dims));
  for (auto& centre : centres) {
    for (float& value : centre) value = normal(random);
  }
  QuantisedTable table(dims);
  std::vector<float> vector(dims);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < dims; ++k) vector[k] = centres[i % centres.size()][k] + 1.5F * normal(random);
    table.add(vector);
  }
  return table;
}

QuantisedVector row_of(const QuantisedRows& rows, std::size_t i) {
  const auto row = rows.row(i);
  QuantisedVector vector;
  vector.values.assign(row.begin(), row.end());
  vector.scale = rows.scales[i];
  return vector;
}

TEST(Signs, OneBitPerValueNotNegative) {
  QuantisedTable table(64);
  std::vector<float> vector(64, -1.0F);
  vector[0] = 1.0F;
  vector[5] = 0.0F;
  vector[63] = 0.5F;
  table.add(vector);
  const auto signs = signs_of(table.rows());
  ASSERT_EQ(signs.size(), 8U);
  EXPECT_EQ(signs[0], std::uint64_t{1} | std::uint64_t{1} << 5 | std::uint64_t{1} << 63);
  EXPECT_TRUE(std::all_of(signs.begin() + 1, signs.end(), [](std::uint64_t word) { return word == 0; }));
}

TEST(NearestBySigns, FindsNearlyAllOfTheNearest) {
  const QuantisedTable table = clouds(20'000, 256);
  const QuantisedRows rows = table.rows();
  const auto signs = signs_of(rows);
  constexpr std::size_t kDepth = 300;
  std::size_t same = 0;
  for (std::size_t q = 0; q < 20; ++q) {
    const QuantisedVector vector = row_of(rows, q * 997);
    const auto found = nearest_by_signs(rows, signs, vector, 19'000, kDepth);
    const auto exact = rows.nearest({&vector, 1}, 19'000, kDepth)[0];
    ASSERT_EQ(found.size(), kDepth);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), better));
    for (const auto& item : found) {
      EXPECT_EQ(item.score, rows.dot(item.doc.value, vector));
      same += std::any_of(exact.begin(), exact.end(), [&](const auto& other) { return other.doc == item.doc; });
    }
  }
  EXPECT_GT(static_cast<double>(same), 0.97 * 20 * kDepth);
}

TEST(NearestBySigns, IsExactWhereThePrefixIsShort) {
  const QuantisedTable table = clouds(3000, 64);
  const QuantisedRows rows = table.rows();
  const auto signs = signs_of(rows);
  const QuantisedVector vector = row_of(rows, 7);
  const std::vector<DocId> exclude{DocId{7}, DocId{57}};
  const auto found = nearest_by_signs(rows, signs, vector, 1900, 40, exclude);
  const auto exact = rows.nearest({&vector, 1}, 1900, 40, exclude)[0];
  ASSERT_EQ(found.size(), exact.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].doc, exact[i].doc);
}

TEST(NearestBySigns, LeavesOutExcludedRowsAndThoseBeyondThePrefix) {
  const QuantisedTable table = clouds(10'000, 64);
  const QuantisedRows rows = table.rows();
  const auto signs = signs_of(rows);
  const QuantisedVector vector = row_of(rows, 100);
  const auto found = nearest_by_signs(rows, signs, vector, 9000, 50, std::vector<DocId>{DocId{100}, DocId{150}});
  for (const auto& item : found) {
    EXPECT_LT(item.doc.value, 9000U);
    EXPECT_NE(item.doc.value, 100U);
    EXPECT_NE(item.doc.value, 150U);
  }
}

}  // namespace
}  // namespace mustcite::rank
