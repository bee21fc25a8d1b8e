#include "engine/neural/packed_training.hpp"

#include <gtest/gtest.h>

#include <random>

#include "engine/neural/packed_bert.hpp"
#include "unit/neural/golden.hpp"

// The pass by hand against LibTorch's operators in float32 on the tiny random BERT. Products round to
// bfloat16, whose eight bits leave about 0.4 % on each number: gradients are compared as wholes, with room
// for ten such steps one after the other.

namespace mustcite::neural {
namespace {

bool tiles() {
  return PackedBert::fits(test::tiny(model::Pooling::mean));
}

std::vector<model::Encoding> texts_of(const std::vector<std::size_t>& lengths) {
  std::mt19937 random(7);
  std::vector<model::Encoding> texts;
  for (const std::size_t length : lengths) {
    model::Encoding text;
    for (std::size_t t = 0; t < length; ++t) {
      text.ids.push_back(static_cast<std::int32_t>(random() % 27));
      text.types.push_back(t * 2 > length ? 1 : 0);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

using Gradients = std::map<std::string, at::Tensor>;

struct Computed {
  at::Tensor states;
  Gradients gradients;
};

/// A fixed random number for each of the states: what the loss weighs them with.
at::Tensor weighting_of(const at::Tensor& states) {
  return at::randn(states.sizes(), at::detail::createCPUGenerator(3), at::kFloat);
}

Gradients take_gradients(Bert& bert) {
  Gradients gradients;
  for (auto& [name, tensor] : bert.weights().named()) {
    gradients[name] = tensor->grad();
    tensor->mutable_grad() = at::Tensor();
  }
  return gradients;
}

/// States, and gradients of a fixed random weighting of them. Weights whose name `trains` says yes to.
Computed compute(Bert& bert, const std::vector<model::Encoding>& texts, const TokenStatesOptions& options,
                 const std::function<bool(const std::string&)>& trains = {}) {
  for (auto& [name, tensor] : bert.weights().named()) {
    *tensor = tensor->detach();
    tensor->requires_grad_(!trains || trains(name));
  }
  Computed computed;
  const auto pointers = test::pointers(texts);
  computed.states = TokenStates(bert, options)(pointers);
  (computed.states * weighting_of(computed.states)).sum().backward();
  computed.gradients = take_gradients(bert);
  return computed;
}

/// The same by LibTorch with its own products in bfloat16; the texts one by one, so that nothing is padded.
Gradients by_operators_in_bfloat16(Bert& bert, const std::vector<model::Encoding>& texts) {
  std::vector<at::Tensor> states;
  for (const auto& text : texts) {
    const model::Encoding* const one[] = {&text};
    states.push_back(bert.hidden_states(make_batch(one, 0), {.mixed = true, .dropout = false}).back()[0]);
  }
  const auto all = at::cat(states);
  (all * weighting_of(all)).sum().backward();
  return take_gradients(bert);
}

double relative_difference(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

void expect_near_operators(const model::ModelFolder& folder, const std::vector<std::size_t>& lengths) {
  Bert bert(folder, load_weights(folder));
  const auto texts = texts_of(lengths);
  const auto by_hand = compute(bert, texts, {.mixed = true, .dropout = false, .threads = 2});
  const auto expected = compute(bert, texts, {.mixed = false, .dropout = false, .threads = 2});
  const auto rounded = by_operators_in_bfloat16(bert, texts);
  EXPECT_LT(relative_difference(by_hand.states, expected.states), 0.02);
  // A key's bias moves all scores of a query alike: its gradient is nothing but rounding, and is measured
  // against that of the query's.
  for (const auto& [name, gradient] : expected.gradients) {
    if (name.ends_with("key.bias")) continue;
    EXPECT_LT(relative_difference(by_hand.gradients.at(name), gradient),
              0.01 + 2 * relative_difference(rounded.at(name), gradient))
        << name;
  }
}

TEST(PackedTraining, GradientsOfEveryWeightAreNearThoseOfFloat32) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  expect_near_operators(test::tiny(model::Pooling::mean), {17, 5, 40, 33, 64, 12});
}

TEST(PackedTraining, TextsOfOneTokenAndOfTheGreatestLengthGoTogether) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  expect_near_operators(test::tiny(model::Pooling::mean), {1, 64, 1, 2, 63, 32, 31, 1});
}

TEST(PackedTraining, ManyTextsFillSeveralChunksAndGroups) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 90; ++i) lengths.push_back(20 + (i * 7) % 45);
  expect_near_operators(test::tiny(model::Pooling::mean), lengths);
}

TEST(PackedTraining, HeadsOf64NumbersAndOtherActivationsAreNearFloat32) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  auto folder = test::tiny(model::Pooling::mean);
  folder.config.heads = 1;
  expect_near_operators(folder, {17, 5, 40, 33});
  for (const auto activation : {model::Activation::gelu_tanh, model::Activation::relu}) {
    folder.config.activation = activation;
    expect_near_operators(folder, {17, 5, 40, 33});
  }
}

TEST(PackedTraining, TheSlopeAlongARandomDirectionIsThatOfSmallSteps) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const auto folder = test::tiny(model::Pooling::mean);
  Bert bert(folder, load_weights(folder));
  const auto texts = texts_of({30, 9, 21});
  const auto pointers = test::pointers(texts);
  const auto by_hand = compute(bert, texts, {.mixed = true, .dropout = false, .threads = 1});
  const auto weighting = weighting_of(by_hand.states);
  const at::NoGradGuard without_gradients;
  // Along the gradient itself, where the slope is its squared length.
  double squares = 0;
  for (const auto& [name, gradient] : by_hand.gradients) squares += gradient.square().sum().item<double>();
  const double step = 1e-3 / std::sqrt(squares);
  const auto value_at = [&](double times) {
    for (auto& [name, tensor] : bert.weights().named())
      tensor->add_(by_hand.gradients.at(name), times * step);
    const auto states = TokenStates(bert, {.mixed = false, .dropout = false, .threads = 1})(pointers);
    for (auto& [name, tensor] : bert.weights().named())
      tensor->sub_(by_hand.gradients.at(name), times * step);
    return (states * weighting).sum(at::kDouble).item<double>();
  };
  const double slope = (value_at(1) - value_at(-1)) / (2 * step);
  EXPECT_NEAR(slope / squares, 1, 0.02);
}

TEST(PackedTraining, FrozenLayersGetNoGradientAndChangeNoOther) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const auto folder = test::tiny(model::Pooling::mean);
  Bert bert(folder, load_weights(folder));
  const auto texts = texts_of({17, 5, 40, 33});
  const TokenStatesOptions options{.mixed = true, .dropout = false, .threads = 2};
  const auto all = compute(bert, texts, options);
  const auto upper = compute(bert, texts, options,
                             [](const std::string& name) { return name.starts_with("encoder.layer.1."); });
  EXPECT_TRUE(at::equal(all.states, upper.states));
  for (const auto& [name, gradient] : upper.gradients) {
    if (name.starts_with("encoder.layer.1.")) {
      EXPECT_TRUE(at::equal(gradient, all.gradients.at(name))) << name;
    } else {
      EXPECT_FALSE(gradient.defined()) << name;
    }
  }
}

TEST(PackedTraining, OneNumberOfThreadsGivesTheSameBitsAndOthersTheSameStates) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const auto folder = test::tiny(model::Pooling::mean);
  Bert bert(folder, load_weights(folder));
  const auto texts = texts_of({17, 5, 40, 33, 64, 12, 1});
  const auto first = compute(bert, texts, {.mixed = true, .dropout = false, .threads = 3});
  const auto second = compute(bert, texts, {.mixed = true, .dropout = false, .threads = 3});
  const auto alone = compute(bert, texts, {.mixed = true, .dropout = false, .threads = 1});
  EXPECT_TRUE(at::equal(first.states, alone.states));
  for (const auto& [name, gradient] : first.gradients) {
    EXPECT_TRUE(at::equal(gradient, second.gradients.at(name))) << name;
    if (name.ends_with("key.bias")) continue;
    EXPECT_LT(relative_difference(gradient, alone.gradients.at(name)), 1e-4) << name;
  }
}

TEST(PackedTraining, MemoryOfAnEarlierPassDoesNotShowInTheNext) {
  if (!tiles()) GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const auto folder = test::tiny(model::Pooling::mean);
  Bert bert(folder, load_weights(folder));
  for (auto& [name, tensor] : bert.weights().named()) tensor->requires_grad_(true);
  const TokenStates states(bert, {.mixed = true, .dropout = false, .threads = 2});
  const auto gradient_after = [&](const std::vector<std::size_t>& lengths) {
    const auto texts = texts_of(lengths);
    states(test::pointers(texts)).square().sum().backward();
    auto gradient = bert.weights().layers[0].up.weight.grad();
    for (auto& [name, tensor] : bert.weights().named()) tensor->mutable_grad() = at::Tensor();
    return gradient;
  };
  const auto fresh = gradient_after({9, 31});
  gradient_after({64, 64, 64, 64, 64, 64, 64, 64, 3});
  EXPECT_TRUE(at::equal(gradient_after({9, 31}), fresh));
}

TEST(PackedTraining, DropoutAndFloat32AreLeftToOperators) {
  const auto folder = test::tiny(model::Pooling::mean);
  const Bert bert(folder, load_weights(folder));
  EXPECT_FALSE(TokenStates(bert, {.mixed = true, .dropout = true, .threads = 1}).packed());
  EXPECT_FALSE(TokenStates(bert, {.mixed = false, .dropout = false, .threads = 1}).packed());
  EXPECT_EQ(TokenStates(bert, {.mixed = true, .dropout = false, .threads = 1}).packed(),
            PackedBert::fits(folder));
}

TEST(PackedTraining, VectorsOfOperatorsEqualTransformersForEveryPooling) {
  const test::Golden golden;
  const auto encodings = golden.encodings();
  for (const auto& [pooling, name] :
       {std::pair{model::Pooling::mean, "pooled.mean"}, std::pair{model::Pooling::cls, "pooled.cls"}}) {
    const auto folder = test::tiny(pooling);
    const Bert bert(folder, load_weights(folder));
    const TokenStates states(bert, {.mixed = false, .dropout = false, .threads = 1});
    EXPECT_LT(test::largest_difference(states.vectors(test::pointers(encodings)), golden[name]), 1e-5);
  }
}

}  // namespace
}  // namespace mustcite::neural
