#include "engine/rank/features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace mustcite::rank {
namespace {

using ::testing::ElementsAre;

TEST(Places, FallWithTheScore) {
  const std::vector<float> scores{0.5F, 2.0F, -1.0F, 2.0F, 1.0F};
  EXPECT_THAT(places(scores), ElementsAre(4, 1, 5, 2, 3));
}

TEST(Places, ScoresAtTheMinimumShareTheLastPlace) {
  const std::vector<float> scores{0, 3, 0, 0};
  EXPECT_THAT(places(scores), ElementsAre(4, 1, 4, 4));
}

TEST(Places, EqualAStableSort) {
  std::mt19937_64 random(5);
  std::vector<float> scores;
  for (int i = 0; i < 5000; ++i)
    scores.push_back(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 7.0F);
  const float least = *std::min_element(scores.begin(), scores.end());
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const std::vector<std::uint32_t> found = places(scores);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t expected = scores[order[i]] == least ? 5000U : static_cast<std::uint32_t>(i + 1);
    ASSERT_EQ(found[order[i]], expected);
  }
}

TEST(Places, OfNothingAreNone) {
  EXPECT_TRUE(places({}).empty());
}

TEST(Scale, PutsTheBestAtOneAndTheThousandthAtZero) {
  std::vector<float> scores;
  for (int i = 0; i < 2000; ++i) scores.push_back(static_cast<float>(i));  // the thousandth best is 1000
  const Scale scale = Scale::of(scores);
  EXPECT_FLOAT_EQ(scale(1999), 1.0F);
  EXPECT_FLOAT_EQ(scale(1000), 0.0F);
  EXPECT_FLOAT_EQ(scale(0), -0.5F);
  const Scale few = Scale::of({3, 1, 0});
  EXPECT_FLOAT_EQ(few(3), 1.0F);
  EXPECT_FLOAT_EQ(few(0), 0.0F);
}

TEST(FeatureList, NamesAreUnique) {
  std::set<std::string> names;
  for (const FeatureInfo& feature : feature_list())
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
}

}  // namespace
}  // namespace mustcite::rank
