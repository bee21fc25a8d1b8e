#include "engine/neural/max_sim.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/neural/losses.hpp"
#include "unit/neural/late_golden.hpp"

namespace mustcite::neural {
namespace {

using test::largest_difference;

/// Queries of 3, 1 and 5 vectors, documents of 4, 1, 6 and 2: scripts/make-late-fixtures.py.
TokenTable golden_table(const test::LateGolden& golden) {
  return {golden["rows"], {0, 3, 4, 9}, {9, 13, 14, 20, 22}};
}

at::Tensor pick(const at::Tensor& scores, const std::vector<std::int64_t>& places) {
  auto index = at::empty({static_cast<std::int64_t>(places.size())}, at::kLong);
  std::copy(places.begin(), places.end(), index.data_ptr<std::int64_t>());
  return scores.flatten().index_select(0, index);
}

TEST(MaxSim, ScoresEqualPyTorch) {
  const test::LateGolden golden;
  EXPECT_LT(largest_difference(interact(golden_table(golden), 1).scores, golden["scores"]), 1e-5);
}

TEST(MaxSim, GradientsOfNtXentEqualPyTorchOnAnyNumberOfThreads) {
  const test::LateGolden golden;
  const auto table = golden_table(golden);
  for (const std::size_t threads : {1U, 3U}) {
    const auto interaction = interact(table, threads);
    const auto scores = interaction.scores.clone().requires_grad_(true);
    const auto lengths = at::tensor({3.0F, 1.0F, 5.0F}).unsqueeze(1);
    const auto loss = nt_xent_of_scores(scores / (lengths * 0.1), golden["positive"].to(at::kBool),
                                        golden["ignored"].to(at::kBool));
    EXPECT_LT(largest_difference(loss.reshape({1}), golden["nt_xent.value"]), 1e-5);
    loss.backward();
    EXPECT_LT(largest_difference(interaction_gradient(table, interaction, scores.grad(), threads),
                                 golden["nt_xent.grad"]),
              1e-5);
  }
}

TEST(MaxSim, GradientsOfPairwiseSoftmaxEqualPyTorch) {
  const test::LateGolden golden;
  const auto table = golden_table(golden);
  const auto interaction = interact(table, 2);
  const auto scores = interaction.scores.clone().requires_grad_(true);
  const auto loss = pairwise_softmax(pick(scores, {0, 6, 11}), pick(scores, {1, 7, 8}));
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["pairwise.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(
      largest_difference(interaction_gradient(table, interaction, scores.grad(), 2), golden["pairwise.grad"]),
      1e-5);
}

TEST(MaxSim, ADocumentWithoutVectorsScoresNothingAndGetsNoGradient) {
  const TokenTable table{at::eye(3), {0, 2}, {2, 2, 3}};
  const auto interaction = interact(table, 1);
  EXPECT_EQ(interaction.scores[0][0].item<float>(), 0);
  EXPECT_TRUE(interaction_gradient(table, interaction, at::ones({1, 2}), 1).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace mustcite::neural
