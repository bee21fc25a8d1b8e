#include "core/learn/crf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/learn/crf_train.hpp"
#include "testing/error_code.hpp"

namespace mustcite::learn {
namespace {

using mustcite::testing::code_of;

constexpr std::size_t kLabels = 3;

/// A model with weights drawn at random, and a sequence over its features.
CrfModel random_model(std::mt19937& random, std::size_t features) {
  std::uniform_real_distribution<float> weight(-2, 2);
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < features; ++i) keys.push_back(static_cast<std::uint32_t>(10 * i + 7));
  std::vector<float> weights(features * kLabels), transitions(kLabels * kLabels), first(kLabels);
  for (auto* list : {&weights, &transitions, &first}) {
    for (auto& value : *list) value = weight(random);
  }
  return CrfModel({"a", "b", "c"}, keys, weights, transitions, first);
}

CrfSequence random_sequence(std::mt19937& random, std::size_t size, std::size_t features) {
  CrfSequence sequence;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < 4; ++k)
      sequence.features.push_back(static_cast<std::uint32_t>(10 * (random() % features) + 7));
    sequence.features.push_back(5);  // a feature that no model knows
    sequence.begins.push_back(static_cast<std::uint32_t>(sequence.features.size()));
  }
  return sequence;
}

/// Calls `visit` with every labelling of `size` positions.
template <typename Visit>
void each_labelling(std::size_t size, const Visit& visit) {
  std::vector<std::uint8_t> labels(size, 0);
  for (;;) {
    visit(labels);
    std::size_t at = 0;
    while (at < size && ++labels[at] == kLabels) labels[at++] = 0;
    if (at == size) return;
  }
}

TEST(Crf, DecodesTheBestOfAllLabellings) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    const CrfModel model = random_model(random, 12);
    const CrfSequence sequence = random_sequence(random, 6, 12);
    double best = -1e9;
    each_labelling(6, [&](const auto& labels) { best = std::max(best, model.score(sequence, labels)); });
    EXPECT_NEAR(model.score(sequence, model.decode(sequence)), best, 1e-4);
  }
}

TEST(Crf, MarginalsAreThoseOfTheSumOverAllLabellings) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const CrfModel model = random_model(random, 12);
    const CrfSequence sequence = random_sequence(random, 5, 12);
    double total = 0;
    std::vector<double> sums(5 * kLabels, 0);
    each_labelling(5, [&](const auto& labels) {
      const double weight = std::exp(model.score(sequence, labels));
      total += weight;
      for (std::size_t i = 0; i < 5; ++i) sums[i * kLabels + labels[i]] += weight;
    });
    const auto marginals = model.marginals(sequence);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(marginals[i], sums[i] / total, 1e-4);
    const CrfLabels both = model.label(sequence);
    EXPECT_EQ(both.labels, model.decode(sequence));
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_FLOAT_EQ(both.probabilities[i], marginals[i * kLabels + both.labels[i]]);
  }
}

TEST(Crf, AnEmptySequenceHasNoLabels) {
  std::mt19937 random(3);
  const CrfModel model = random_model(random, 3);
  EXPECT_TRUE(model.decode({}).empty());
  EXPECT_TRUE(model.label({}).probabilities.empty());
}

TEST(Crf, KeepsItsAnswersOverBytesAndRefusesDamagedOnes) {
  std::mt19937 random(4);
  const CrfModel model = random_model(random, 30);
  const std::string bytes = model.to_bytes();
  const CrfModel again = CrfModel::from_bytes(bytes);
  EXPECT_EQ(again.to_bytes(), bytes);
  EXPECT_EQ(again.labels(), model.labels());
  const CrfSequence sequence = random_sequence(random, 20, 30);
  EXPECT_EQ(again.marginals(sequence), model.marginals(sequence));
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, bytes.size() - 1})
    EXPECT_EQ(
        code_of([&] { static_cast<void>(CrfModel::from_bytes(std::string_view(bytes).substr(0, size))); }),
        ErrorCode::corrupt)
        << size;
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_EQ(code_of([&] { static_cast<void>(CrfModel::from_bytes(damaged)); }), ErrorCode::corrupt) << at;
  }
}

TEST(Crf, RefusesWeightsThatDoNotFit) {
  EXPECT_EQ(code_of([] { CrfModel({"a"}, {1, 2}, {1.0F}, {0.0F}, {0.0F}); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([] { CrfModel({"a"}, {2, 1}, {1.0F, 1.0F}, {0.0F}, {0.0F}); }), ErrorCode::invalid_input);
}

/// Sequences of one position with the feature 1: three of four times label 0, else label 1.
std::vector<CrfSequence> three_of_four() {
  std::vector<CrfSequence> sequences;
  for (int i = 0; i < 400; ++i) {
    CrfSequence sequence;
    sequence.features = {1};
    sequence.begins = {0, 1};
    sequence.labels = {static_cast<std::uint8_t>(i % 4 == 0 ? 1 : 0)};
    sequences.push_back(sequence);
  }
  return sequences;
}

TEST(CrfTraining, LearnsTheShareOfALabelAsItsProbability) {
  CrfOptions options;
  options.regularisation = 1e-3;
  options.rounds = 60;
  options.averaged = 30;
  const auto sequences = three_of_four();
  const CrfModel model = train_crf(sequences, {"x", "y"}, options);
  EXPECT_NEAR(model.marginals(sequences[1])[0], 0.75, 0.02);
}

TEST(CrfTraining, LearnsWhatOnlyTheNeighbourTells) {
  // The second label repeats the first one, and its own feature says nothing.
  std::vector<CrfSequence> sequences;
  for (std::uint32_t i = 0; i < 200; ++i) {
    CrfSequence sequence;
    const auto label = static_cast<std::uint8_t>(i % 2);
    sequence.features = {10U + label, 3};
    sequence.begins = {0, 1, 2};
    sequence.labels = {label, label};
    sequences.push_back(sequence);
  }
  const CrfModel model = train_crf(sequences, {"x", "y"}, {});
  EXPECT_EQ(model.decode(sequences[0]), sequences[0].labels);
  EXPECT_EQ(model.decode(sequences[1]), sequences[1].labels);
}

TEST(CrfTraining, GivesTheSameModelAgainAndAnotherForAnotherSeed) {
  const auto sequences = three_of_four();
  CrfOptions options;
  const std::string bytes = train_crf(sequences, {"x", "y"}, options).to_bytes();
  EXPECT_EQ(train_crf(sequences, {"x", "y"}, options).to_bytes(), bytes);
  options.seed = 2;
  EXPECT_NE(train_crf(sequences, {"x", "y"}, options).to_bytes(), bytes);
}

TEST(CrfTraining, LeavesRareFeaturesOut) {
  auto sequences = three_of_four();
  sequences[0].features.push_back(99);
  sequences[0].begins.back() = 2;
  EXPECT_EQ(train_crf(sequences, {"x", "y"}, {}).features(), 1u);
}

TEST(CrfTraining, RefusesSequencesWithoutLabels) {
  auto sequences = three_of_four();
  sequences[5].labels.clear();
  EXPECT_EQ(code_of([&] {
              static_cast<void>(train_crf(sequences, {"x", "y"}, {}));
            }),
            ErrorCode::invalid_input);
  sequences = three_of_four();
  EXPECT_EQ(code_of([&] { static_cast<void>(train_crf(sequences, {"x"}, {})); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { static_cast<void>(train_crf({}, {"x"}, {})); }), ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::learn
