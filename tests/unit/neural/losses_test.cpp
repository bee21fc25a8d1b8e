#include "engine/neural/losses.hpp"

#include <gtest/gtest.h>

#include "engine/neural/adamw.hpp"
#include "unit/neural/golden.hpp"

namespace mustcite::neural {
namespace {

using test::Golden;
using test::largest_difference;

at::Tensor leaf(const at::Tensor& values) {
  return values.clone().requires_grad_(true);
}

TEST(NtXent, ValueAndGradientsEqualPyTorch) {
  const Golden golden;
  const auto queries = leaf(golden["nt_xent.queries"]);
  const auto documents = leaf(golden["nt_xent.documents"]);
  const auto loss =
      nt_xent_of_scores(cosines(queries, documents) / 0.1, golden["nt_xent.positive"].to(at::kBool),
                        golden["nt_xent.ignored"].to(at::kBool));
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["nt_xent.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(largest_difference(queries.grad(), golden["nt_xent.queries_grad"]), 1e-5);
  EXPECT_LT(largest_difference(documents.grad(), golden["nt_xent.documents_grad"]), 1e-5);
}

TEST(NtXent, AQueryWithoutNegativesOrWithoutTargetsLosesNothing) {
  const auto scores = at::tensor({1.0F, 2.0F, 3.0F, 4.0F}).reshape({2, 2}).requires_grad_(true);
  const auto positive = at::tensor({1, 1, 0, 0}, at::kInt).reshape({2, 2}).to(at::kBool);
  const auto none = at::zeros({2, 2}, at::kBool);
  const auto loss = nt_xent_of_scores(scores, positive, none);
  EXPECT_EQ(loss.item<float>(), 0);
  loss.backward();
  EXPECT_TRUE(scores.grad().isfinite().all().item<bool>());
}

TEST(NtXent, EqualsTheLogOfAHandWorkedShare) {
  // exp(1) / (exp(1) + exp(0) + exp(2)) = 0.2447: -ln = 1.4076.
  const auto scores = at::tensor({1.0F, 0.0F, 2.0F}).reshape({1, 3});
  const auto positive = at::tensor({1, 0, 0}, at::kInt).reshape({1, 3}).to(at::kBool);
  EXPECT_NEAR(nt_xent_of_scores(scores, positive, at::zeros({1, 3}, at::kBool)).item<double>(), 1.4076, 1e-4);
  // Without the third, which is known to be relevant: -ln(e / (e + 1)) = 0.3133.
  const auto known = at::tensor({0, 0, 1}, at::kInt).reshape({1, 3}).to(at::kBool);
  EXPECT_NEAR(nt_xent_of_scores(scores, positive, known).item<double>(), 0.3133, 1e-4);
}

TEST(NtXent, ARareNegativeStandsForManyThatAreNotInTheBatch) {
  // Chances 1/2 and 1/4: exp(1) / (exp(1) + 2 exp(0) + 4 exp(2)) = 0.07931: -ln = 2.5344. The positive's own
  // chance changes nothing.
  const auto scores = at::tensor({1.0F, 0.0F, 2.0F}).reshape({1, 3});
  const auto positive = at::tensor({1, 0, 0}, at::kInt).reshape({1, 3}).to(at::kBool);
  const auto offsets = at::log(at::tensor({0.001F, 0.5F, 0.25F}));
  const auto loss = nt_xent_of_scores(scores, positive, at::zeros({1, 3}, at::kBool), offsets);
  EXPECT_NEAR(loss.item<double>(), 2.5344, 1e-4);
}

TEST(Triplet, ValueAndGradientsEqualPyTorch) {
  const Golden golden;
  const auto query = leaf(golden["triplet.query"]);
  const auto positive = leaf(golden["triplet.first"]);
  const auto negative = leaf(golden["triplet.negative"]);
  const auto loss = triplet(query, positive, negative, 1.0);
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["triplet.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(largest_difference(query.grad(), golden["triplet.query_grad"]), 1e-5);
  EXPECT_LT(largest_difference(positive.grad(), golden["triplet.first_grad"]), 1e-5);
  EXPECT_LT(largest_difference(negative.grad(), golden["triplet.negative_grad"]), 1e-5);
}

TEST(Quadruplet, EqualsTheWorkedValue) {
  const auto one = [](float value) { return at::full({1}, value); };
  // 0 + 0.3 + 0.8 + 0 with margin 0.5.
  const QuadrupletDistances distances{one(1.0F), one(2.0F), one(2.2F), one(1.5F), one(1.2F), one(3.0F)};
  EXPECT_NEAR(quadruplet_of_distances(distances, 0.5).item<double>(), 1.1, 1e-6);
}

TEST(Quadruplet, ValueAndGradientsEqualPyTorch) {
  const Golden golden;
  std::vector<at::Tensor> v;
  const std::vector<std::string> names{"query", "first", "second", "negative"};
  for (const auto& name : names) v.push_back(leaf(golden["quadruplet." + name]));
  const auto loss = quadruplet(v[0], v[1], v[2], v[3], 0.5);
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["quadruplet.value"]), 1e-5);
  loss.backward();
  for (std::size_t i = 0; i < v.size(); ++i) {
    EXPECT_LT(largest_difference(v[i].grad(), golden["quadruplet." + names[i] + "_grad"]), 1e-5) << names[i];
  }
}

TEST(PairwiseSoftmax, ValueAndGradientsEqualPyTorch) {
  const Golden golden;
  const auto positive = leaf(golden["pairwise.positive"]);
  const auto negative = leaf(golden["pairwise.negative"]);
  const auto loss = pairwise_softmax(positive, negative);
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["pairwise.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(largest_difference(positive.grad(), golden["pairwise.positive_grad"]), 1e-5);
  EXPECT_LT(largest_difference(negative.grad(), golden["pairwise.negative_grad"]), 1e-5);
}

TEST(AdamW, ThreeClippedStepsEqualPyTorch) {
  const Golden golden;
  std::vector<Parameter> parameters{{"weight", golden["adamw.weight"], {}, {}},
                                    {"bias", golden["adamw.bias"], {}, {}}};
  AdamW optimiser(parameters, {0.9, 0.99, 1e-8, 0.1});
  for (int step = 0; step < 3; ++step) {
    auto& all = optimiser.parameters();
    all[0].value.mutable_grad() = golden["adamw.weight_grad." + std::to_string(step)];
    all[1].value.mutable_grad() = golden["adamw.bias_grad." + std::to_string(step)];
    optimiser.clip(2.0);
    optimiser.step(0.01);
  }
  EXPECT_LT(largest_difference(optimiser.parameters()[0].value, golden["adamw.weight_after"]), 1e-5);
  EXPECT_LT(largest_difference(optimiser.parameters()[1].value, golden["adamw.bias_after"]), 1e-5);
}

}  // namespace
}  // namespace mustcite::neural
