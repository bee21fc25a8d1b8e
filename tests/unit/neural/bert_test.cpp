#include "engine/neural/bert.hpp"

#include <gtest/gtest.h>

#include "engine/neural/losses.hpp"
#include "engine/neural/packed_bert.hpp"
#include "unit/neural/golden.hpp"

namespace mustcite::neural {
namespace {

using test::Golden;
using test::largest_difference;

at::Tensor without_padding(const at::Tensor& states, const at::Tensor& lengths) {
  const auto mask = at::arange(states.size(1)).unsqueeze(0).lt(lengths.unsqueeze(1)).unsqueeze(2);
  return states * mask.to(at::kFloat);
}

struct Computed {
  std::vector<at::Tensor> states;
  at::Tensor vectors;
};

Computed compute(const model::ModelFolder& folder, const Golden& golden) {
  const Bert bert(folder, load_weights(folder));
  const auto encodings = golden.encodings();
  const auto batch = make_batch(test::pointers(encodings), folder.config.pad_token);
  Computed computed{bert.hidden_states(batch), bert.vectors(batch)};
  for (auto& state : computed.states) state = without_padding(state, golden["lengths"]);
  return computed;
}

TEST(Bert, HiddenStatesOfEveryLayerEqualTransformers) {
  const Golden golden;
  const auto computed = compute(test::tiny(model::Pooling::mean), golden);
  ASSERT_EQ(computed.states.size(), 3U);
  for (std::size_t i = 0; i < computed.states.size(); ++i) {
    EXPECT_LT(largest_difference(computed.states[i], golden["state." + std::to_string(i)]), 1e-5)
        << "layer " << i;
  }
}

TEST(Bert, PooledVectorsEqualTransformers) {
  const Golden golden;
  EXPECT_LT(
      largest_difference(compute(test::tiny(model::Pooling::mean), golden).vectors, golden["pooled.mean"]),
      1e-5);
  EXPECT_LT(
      largest_difference(compute(test::tiny(model::Pooling::cls), golden).vectors, golden["pooled.cls"]),
      1e-5);
}

TEST(Bert, AnAdapterEqualsAdapterHub) {
  const Golden golden;
  model::FolderOptions options;
  options.adapter = test::fixture("tiny-adapter");
  const auto computed = compute(test::tiny(model::Pooling::cls, options), golden);
  EXPECT_LT(largest_difference(computed.states.back(), golden["adapter.last"]), 1e-5);
  // The adapter must matter, or the comparison says nothing.
  EXPECT_GT(largest_difference(golden["state.2"], golden["adapter.last"]), 0.1);
}

TEST(Bert, GradientsThroughTheWholeNetworkEqualPyTorch) {
  const Golden golden;
  model::FolderOptions options;
  options.normalise = true;
  const auto folder = test::tiny(model::Pooling::mean, options);
  Bert bert(folder, load_weights(folder));
  for (auto& [name, tensor] : bert.weights().named()) tensor->requires_grad_(true);
  const auto encodings = golden.encodings();
  const auto unit = bert.vectors(make_batch(test::pointers(encodings), folder.config.pad_token));
  const auto loss = triplet(unit.narrow(0, 0, 1), unit.narrow(0, 1, 1), unit.narrow(0, 3, 1), 1.0);
  EXPECT_LT(largest_difference(loss.reshape({1}), golden["network.loss"]), 1e-5);
  loss.backward();
  int compared = 0;
  for (auto& [name, tensor] : bert.weights().named()) {
    if (name != "embeddings.word_embeddings.weight" &&
        name != "encoder.layer.0.attention.self.query.weight" &&
        name != "encoder.layer.1.output.dense.bias" && name != "embeddings.LayerNorm.weight") {
      continue;
    }
    EXPECT_LT(largest_difference(tensor->grad(), golden["network.grad." + name]), 1e-5) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

TEST(Bert, ATextDoesNotDependOnItsBatch) {
  const Golden golden;
  const auto folder = test::tiny(model::Pooling::mean);
  const Bert bert(folder, load_weights(folder));
  const auto encodings = golden.encodings();
  const auto together = bert.vectors(make_batch(test::pointers(encodings), 0));
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    const model::Encoding* const alone[] = {&encodings[i]};
    EXPECT_LT(
        largest_difference(bert.vectors(make_batch(alone, 0))[0], together[static_cast<std::int64_t>(i)]),
        1e-5);
  }
}

TEST(Bert, BfloatProductsStayNearFloat32) {
  const Golden golden;
  const auto folder = test::tiny(model::Pooling::mean);
  const Bert bert(folder, load_weights(folder));
  const auto encodings = golden.encodings();
  const auto vectors =
      bert.vectors(make_batch(test::pointers(encodings), 0), {.mixed = true, .dropout = false});
  EXPECT_GT(at::cosine_similarity(vectors, golden["pooled.mean"]).min().item<double>(), 0.999);
}

/// The packed encoder on one thread, all texts in one chunk.
std::vector<std::vector<float>> packed(const model::ModelFolder& folder, const Golden& golden) {
  const PackedBert bert(folder, load_weights(folder));
  const auto encodings = golden.encodings();
  std::vector<std::vector<float>> rows(encodings.size(), std::vector<float>(bert.dimensions()));
  std::vector<float*> out;
  for (auto& row : rows) out.push_back(row.data());
  PackedBert::Workspace workspace;
  bert.encode(test::pointers(encodings), out, workspace);
  return rows;
}

double lowest_cosine(const std::vector<std::vector<float>>& rows, const at::Tensor& expected) {
  double lowest = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = at::tensor(rows[i]);
    lowest = std::min(lowest,
                      at::cosine_similarity(row, expected[static_cast<std::int64_t>(i)], 0).item<double>());
  }
  return lowest;
}

TEST(PackedBert, VectorsStayNearTransformersForEveryPooling) {
  if (!PackedBert::fits(test::tiny(model::Pooling::mean)))
    GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const Golden golden;
  EXPECT_GT(lowest_cosine(packed(test::tiny(model::Pooling::mean), golden), golden["pooled.mean"]), 0.999);
  EXPECT_GT(lowest_cosine(packed(test::tiny(model::Pooling::cls), golden), golden["pooled.cls"]), 0.999);
}

TEST(PackedBert, AdaptersStayNearAdapterHub) {
  if (!PackedBert::fits(test::tiny(model::Pooling::mean)))
    GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const Golden golden;
  model::FolderOptions options;
  options.adapter = test::fixture("tiny-adapter");
  const auto rows = packed(test::tiny(model::Pooling::cls, options), golden);
  EXPECT_GT(lowest_cosine(rows, golden["adapter.last"].select(1, 0)), 0.998);
}

}  // namespace
}  // namespace mustcite::neural
