#include "engine/late/byte_lanes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace mustcite::late {
namespace {

std::vector<float> random_vector(std::mt19937_64& random, std::size_t dims) {
  std::normal_distribution<float> normal;
  std::vector<float> values(dims);
  for (float& value : values) value = normal(random);
  return values;
}

TEST(ByteLanes, GivesTheIntegersOfItsPlainTwin) {
  std::mt19937_64 random(3);
  for (const std::size_t dims : {1U, 4U, 7U, 96U, 128U, 384U}) {
    ByteLanes lanes(dims);
    for (int i = 0; i < 150; ++i) lanes.add(random_vector(random, dims));
    ASSERT_EQ(lanes.blocks(), 3U);
    std::vector<std::int8_t> bytes(padded(dims));
    for (int round = 0; round < 5; ++round) {
      const ByteVector vector = to_bytes(random_vector(random, dims), bytes.data());
      for (std::size_t block = 0; block < lanes.blocks(); ++block) {
        std::array<std::int32_t, ByteLanes::kLanes> fast;
        std::array<std::int32_t, ByteLanes::kLanes> plain;
        lanes.products(block, vector, fast.data());
        lanes.products_plain(block, vector, plain.data());
        EXPECT_EQ(fast, plain) << dims;
      }
    }
  }
}

TEST(ByteLanes, ProductsWithScalesAreNearTheTrueOnes) {
  std::mt19937_64 random(4);
  constexpr std::size_t kDims = 128;
  ByteLanes lanes(kDims);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 64; ++i) {
    rows.push_back(random_vector(random, kDims));
    lanes.add(rows.back());
  }
  const auto query = random_vector(random, kDims);
  std::vector<std::int8_t> bytes(padded(kDims));
  const ByteVector vector = to_bytes(query, bytes.data());
  std::array<std::int32_t, ByteLanes::kLanes> products;
  lanes.products(0, vector, products.data());
  for (std::size_t i = 0; i < 64; ++i) {
    double wanted = 0;
    for (std::size_t k = 0; k < kDims; ++k) wanted += double{rows[i][k]} * query[k];
    EXPECT_NEAR(static_cast<float>(products[i]) * lanes.scales(0)[i] * vector.scale, wanted, 0.5);
  }
}

TEST(ToBytes, ZerosAndNumbersThatAreNoneBecomeNothing) {
  std::array<std::int8_t, 4> bytes{};
  EXPECT_EQ(to_bytes(std::vector<float>{0, 0, 0}, bytes.data()).scale, 0);
  EXPECT_EQ(to_bytes(std::vector<float>{1, INFINITY, 0}, bytes.data()).scale, 0);
  const auto largest = to_bytes(std::vector<float>{-2, 1, 0}, bytes.data());
  EXPECT_EQ(bytes, (std::array<std::int8_t, 4>{-127, 64, 0, 0}));
  EXPECT_EQ(largest.sum, -63);
  EXPECT_FLOAT_EQ(largest.scale, 2.0F / 127.0F);
}

}  // namespace
}  // namespace mustcite::late
