#include "core/learn/trees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/base/hash.hpp"
#include "core/learn/boost.hpp"
#include "mustcite/error.hpp"

namespace mustcite::learn {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Random rows of 12 columns, a fifth of the values missing; the label depends on three of them.
Examples random_examples(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::bernoulli_distribution missing(0.2);
  Examples examples;
  examples.columns = 12;
  for (std::size_t r = 0; r < rows; ++r) {
    float values[12];
    for (float& value : values) value = normal(random);
    const float z = values[0] + values[3] * values[7] - (values[5] > 0 ? 1.0F : 0.0F);
    examples.labels.push_back(z > 0 ? 1.0F : 0.0F);
    for (const float value : values) examples.values.push_back(missing(random) ? kMissing : value);
  }
  return examples;
}

Booster trained(const std::string& objective, const Examples& examples) {
  BoostOptions options;
  options.params = {{"objective", objective}, {"max_depth", "6"}, {"eta", "0.2"}, {"subsample", "0.8"}};
  options.rounds = 40;
  return Booster::train(examples, options);
}

void expect_same(const Booster& booster, const Examples& examples) {
  const Trees trees = booster.trees();
  const std::vector<float> expected = booster.margins(examples);
  std::vector<float> fast(examples.rows());
  trees.margins(examples.values, examples.columns, fast);
  for (std::size_t r = 0; r < examples.rows(); ++r) {
    const std::span<const float> row(examples.values.data() + r * examples.columns, examples.columns);
    ASSERT_NEAR(trees.margin(row), expected[r], 1e-6) << "row " << r;
    ASSERT_EQ(trees.margin(row), fast[r]) << "row " << r;
  }
}

TEST(Trees, AnswerAsXgboostDoesWithMissingValues) {
  const Examples train = random_examples(3000, 1);
  expect_same(trained("binary:logistic", train), random_examples(1003, 2));
}

TEST(Trees, AnswerAsXgboostDoesForRanking) {
  Examples train = random_examples(3000, 3);
  train.groups.assign(30, 100);
  expect_same(trained("rank:ndcg", train), random_examples(517, 4));
}

TEST(Trees, KeepTheirAnswersThroughTheirBytes) {
  const Examples train = random_examples(1000, 5);
  const Trees trees = trained("binary:logistic", train).trees();
  const Trees again = Trees::from_bytes(trees.to_bytes());
  EXPECT_EQ(again.trees(), 40U);
  EXPECT_EQ(again.link(), Trees::Link::logistic);
  for (std::size_t r = 0; r < 100; ++r) {
    const std::span<const float> row(train.values.data() + r * 12, 12);
    EXPECT_EQ(trees.predict(row), again.predict(row));
  }
}

TEST(Trees, ContributionsAndBiasAddUpToTheMargin) {
  const Examples train = random_examples(1000, 6);
  const Trees trees = trained("binary:logistic", train).trees();
  std::vector<float> parts(trees.features());
  for (std::size_t r = 0; r < 50; ++r) {
    const std::span<const float> row(train.values.data() + r * 12, 12);
    float sum = trees.contributions(row, parts);
    for (const float part : parts) sum += part;
    EXPECT_NEAR(sum, trees.margin(row), 1e-4);
  }
}

TEST(Trees, RefuseDamagedBytes) {
  const std::string bytes = trained("binary:logistic", random_examples(200, 7)).trees().to_bytes();
  EXPECT_THROW(Trees::from_bytes(""), Error);
  EXPECT_THROW(Trees::from_bytes(bytes.substr(0, bytes.size() - 1)), Error);
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_THROW(Trees::from_bytes(damaged), Error) << "byte " << at;
  }
}

TEST(Trees, RefuseACycleEvenWithARightChecksum) {
  // One tree of three nodes, the root at offset 36 (32 of header, 4 of roots), its child at offset 36 + 12.
  Examples examples;
  examples.columns = 1;
  examples.values = {0, 1, 0, 1};
  examples.labels = {0, 1, 0, 1};
  BoostOptions options;
  options.params = {{"objective", "binary:logistic"}, {"max_depth", "1"}, {"min_child_weight", "0"}};
  options.rounds = 1;
  std::string bytes = Booster::train(examples, options).trees().to_bytes();
  ASSERT_EQ(bytes.size(), 32U + 4U + 3 * 16U + 8U);
  const std::uint32_t outside = 7;
  bytes.replace(36 + 12, 4, reinterpret_cast<const char*>(&outside), 4);
  const std::string body = bytes.substr(0, bytes.size() - 8);
  const std::uint64_t sum = checksum64(std::as_bytes(std::span(body)));
  bytes.replace(bytes.size() - 8, 8, reinterpret_cast<const char*>(&sum), 8);
  EXPECT_THROW(Trees::from_bytes(bytes), Error);
}

TEST(Trees, RefuseJsonThatIsNoModel) {
  EXPECT_THROW(Trees::from_xgboost_json("{"), Error);
  EXPECT_THROW(Trees::from_xgboost_json("{\"learner\": {}}"), Error);
}

TEST(Booster, GivesEqualTreesForEqualInput) {
  const Examples train = random_examples(800, 8);
  EXPECT_EQ(trained("binary:logistic", train).to_json(), trained("binary:logistic", train).to_json());
}

TEST(Booster, RefusesExamplesThatDoNotFitTogether) {
  Examples examples = random_examples(10, 9);
  examples.values.pop_back();
  EXPECT_THROW(Booster::train(examples, {}), Error);
  EXPECT_THROW(Booster::train(Examples{}, {}), Error);
}

TEST(Booster, RefusesAnUnknownObjective) {
  BoostOptions options;
  options.params = {{"objective", "no:such"}};
  EXPECT_THROW(Booster::train(random_examples(10, 10), options), Error);
}

}  // namespace
}  // namespace mustcite::learn
