#include "engine/hatten/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/hatten/losses.hpp"
#include "testing/torch_values.hpp"

namespace mustcite::hatten {
namespace {

using test::apart;
using test::gradient_error;
using test::TorchValues;

TorchValues golden() {
  return TorchValues(MUSTCITE_SOURCE_DIR "/tests/unit/hatten/fixtures/golden.safetensors");
}

neural::Linear linear(const TorchValues& values, const std::string& name) {
  return {values.leaf(name + ".weight"), values.leaf(name + ".bias")};
}

AttentionLayer golden_layer(const TorchValues& values) {
  AttentionLayer layer;
  layer.query = linear(values, "layer.query");
  layer.key = linear(values, "layer.key");
  layer.value = linear(values, "layer.value");
  layer.output = linear(values, "layer.output");
  layer.attention_norm = {values.leaf("layer.attention_norm.weight"),
                          values.leaf("layer.attention_norm.bias")};
  layer.up = linear(values, "layer.up");
  layer.down = linear(values, "layer.down");
  layer.output_norm = {values.leaf("layer.output_norm.weight"), values.leaf("layer.output_norm.bias")};
  layer.heads = 4;
  return layer;
}

TEST(AttentionLayer, EqualsPyTorchsEncoderLayerWithItsGradients) {
  const auto values = golden();
  const auto layer = golden_layer(values);
  const auto x = values.leaf("layer.x");
  const auto mask = values["layer.mask"].to(at::kBool);
  const auto y = apply(layer, x, mask, 0);
  // PyTorch's layer says nothing of padding, nor do we.
  const auto tokens = mask.unsqueeze(2).to(at::kFloat);
  EXPECT_LT(apart(y * tokens, values["layer.y"] * tokens), 1e-5);
  (y * values["layer.of_y"]).sum().backward();
  EXPECT_LT(apart(x.grad(), values["layer.x_grad"]), 2e-5);
  EXPECT_LT(apart(layer.up.weight.grad(), values["layer.up_grad"]), 2e-5);
}

TEST(AttentionPooling, EqualsThePlainOrderOfSteps) {
  const auto values = golden();
  const AttentionPooling pooling{linear(values, "pooling.score"), linear(values, "pooling.value"),
                                 linear(values, "pooling.output")};
  const auto x = values.leaf("pooling.x");
  const auto y = apply(pooling, x, values["pooling.mask"].to(at::kBool));
  EXPECT_LT(apart(y, values["pooling.y"]), 1e-5);
  (y * values["pooling.of_y"]).sum().backward();
  EXPECT_LT(apart(x.grad(), values["pooling.x_grad"]), 1e-5);
  EXPECT_LT(apart(pooling.score.weight.grad(), values["pooling.score_grad"]), 1e-5);
  EXPECT_LT(apart(pooling.value.weight.grad(), values["pooling.value_grad"]), 1e-5);
}

TEST(AttentionPooling, GradientsEqualCentralDifferences) {
  neural::Parameters parameters(5);
  const auto pooling = make_attention_pooling(parameters, "pool", 8, 2);
  parameters.learn({});
  const auto x = at::randn({2, 3, 8});
  const auto mask = at::ones({2, 3}, at::kBool);
  const auto weight = at::randn({2, 8});
  const auto f = [&] { return (apply(pooling, x, mask) * weight).sum(); };
  for (const auto& parameter : parameters.optimiser().parameters()) {
    EXPECT_LT(gradient_error(f, parameter.value), 0.02) << parameter.name;
  }
}

TEST(AttentionPooling, ARowWithoutItemsGivesNumbers) {
  const auto values = golden();
  const AttentionPooling pooling{linear(values, "pooling.score"), linear(values, "pooling.value"),
                                 linear(values, "pooling.output")};
  const auto layer = golden_layer(values);
  const auto none = at::zeros({3, 5}, at::kBool);
  EXPECT_TRUE(apply(pooling, values["pooling.x"], none).isfinite().all().item<bool>());
  EXPECT_TRUE(apply(layer, values["layer.x"], none, 0).isfinite().all().item<bool>());
}

TEST(AttentionLayer, PaddingChangesNothing) {
  const auto values = golden();
  const auto layer = golden_layer(values);
  const auto x = values["layer.x"];
  const auto mask = values["layer.mask"].to(at::kBool);
  const auto y = apply(layer, x, mask, 0);
  const auto alone = apply(layer, x.narrow(0, 1, 1).narrow(1, 0, 2), at::ones({1, 2}, at::kBool), 0);
  EXPECT_LT(apart(y.narrow(0, 1, 1).narrow(1, 0, 2), alone), 1e-5);
}

TEST(Sinusoids, AreSinesAndCosinesOfFallingFrequency) {
  const auto table = sinusoids(4, 6);
  EXPECT_NEAR(table[0][0].item<double>(), 0, 1e-7);
  EXPECT_NEAR(table[0][1].item<double>(), 1, 1e-7);
  EXPECT_NEAR(table[3][0].item<double>(), std::sin(3.0), 1e-6);
  EXPECT_NEAR(table[3][3].item<double>(), std::cos(3.0 / std::pow(10000.0, 2.0 / 6)), 1e-6);
}

TEST(MarginLoss, EqualsTheSumTripletByTriplet) {
  const auto values = golden();
  const auto queries = values.leaf("margin.queries");
  const auto documents = values.leaf("margin.documents");
  const auto loss = margin_loss(cosines(queries, documents), values["margin.levels"], 0.1);
  EXPECT_LT(apart(loss.reshape({1}), values["margin.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(apart(queries.grad(), values["margin.queries_grad"]), 1e-5);
  EXPECT_LT(apart(documents.grad(), values["margin.documents_grad"]), 1e-5);
}

TEST(MarginLoss, AHandWorkedBatch) {
  // Positive 0.5; hard 0.6 (gap 0.1): 0.6 - 0.5 + 0.1 = 0.2; easy 0.3 (gap 0.3): 0.1; the ignored one is not
  // seen.
  const auto scores = at::tensor({0.5F, 0.6F, 0.3F, 0.9F}).reshape({1, 4});
  const auto levels = at::tensor({1, 2, 3, 0}, at::kLong).reshape({1, 4});
  EXPECT_NEAR(margin_loss(scores, levels, 0.1).item<double>(), 0.15, 1e-6);
}

TEST(MarginLoss, ABatchWithoutTripletsLosesNothing) {
  const auto scores = at::tensor({0.5F, 0.6F}).reshape({1, 2}).requires_grad_(true);
  const auto loss = margin_loss(scores, at::tensor({0, 2}, at::kLong).reshape({1, 2}), 0.1);
  EXPECT_EQ(loss.item<double>(), 0);
  loss.backward();
  EXPECT_TRUE(scores.grad().isfinite().all().item<bool>());
}

}  // namespace
}  // namespace mustcite::hatten
