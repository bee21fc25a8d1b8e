#include "engine/neural/token_encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/neural/losses.hpp"
#include "engine/neural/max_sim.hpp"
#include "testing/child.hpp"
#include "unit/neural/late_golden.hpp"

// Everything that computes on LibTorch's threads runs in a child: they do not survive a fork.

namespace mustcite::neural {
namespace {

using mustcite::testing::in_child;
using test::largest_difference;
using Precision = dense::EncoderOptions::Precision;

/// Text 0 of the fixtures, seven tokens.
constexpr std::string_view kText = "a small model reads words";

/// The tiny model with the projection of the fixtures.
struct TinyLate {
  TinyLate() : weights(load_weights(test::tiny(model::Pooling::mean))) {
    weights.dense.push_back({{test::LateGolden()["network.projection"], {}}, model::Activation::identity});
    model.folder = test::tiny(model::Pooling::mean);
    model::DenseLayer layer;
    layer.in = 64;
    layer.out = 16;
    layer.bias = false;
    layer.activation = model::Activation::identity;
    model.folder.dense.push_back(layer);
    model.reading.query_length = model.reading.document_length = 60;
    model.reading.skip_punctuation = false;
  }

  [[nodiscard]] late::TokenVectors encode(const std::vector<std::string_view>& texts,
                                          Precision precision) const {
    dense::EncoderOptions options;
    options.precision = precision;
    options.threads = 2;
    return make_token_encoder(model, weights, options)->encode(texts, model::TextRole::query);
  }

  Weights weights;
  model::LateModel model;
};

/// 0 when every vector of the second text has at least this cosine with PyTorch's.
int nearness(Precision precision, double least) {
  const TinyLate tiny;
  // Texts of other lengths around it, so that places in a batch matter.
  const auto found = tiny.encode({"words", kText, "rank models and learn a small rank of models"}, precision);
  const auto wanted = test::LateGolden()["network.vectors"];
  if (found.texts() != 3 || found.count(1) != 7) return 1;
  for (std::int64_t t = 0; t < 7; ++t) {
    double cosine = 0;
    for (std::int64_t k = 0; k < 16; ++k)
      cosine += double{found.of(1)[static_cast<std::size_t>(t * 16 + k)]} * wanted[t][k].item<double>();
    if (!(cosine > least)) return 2;
  }
  return 0;
}

TEST(TokenEncoder, VectorsOfTokensEqualPyTorch) {
  EXPECT_EQ(in_child([] { return nearness(Precision::float32, 1 - 1e-5); }), 0);
}

TEST(TokenEncoder, InBfloat16TheyAreNearlyTheSame) {
  EXPECT_EQ(in_child([] { return nearness(Precision::automatic, 0.999); }), 0);
}

TEST(TokenEncoder, AnExpansionThatNobodySeesLeavesTheOtherVectorsAsTheyAre) {
  const auto code = in_child([] {
    TinyLate tiny;
    const auto plain = tiny.encode({kText}, Precision::float32);
    tiny.model.reading.expand_queries = true;
    tiny.model.reading.query_length = 12;
    const auto more = tiny.encode({kText}, Precision::float32);
    if (plain.count(0) != 7 || more.count(0) != 12) return 1;
    for (std::size_t i = 0; i < plain.values.size(); ++i) {
      if (std::abs(plain.values[i] - more.values[i]) > 1e-5) return 2;
    }
    tiny.model.reading.attend_to_expansion = true;
    const auto seen = tiny.encode({kText}, Precision::float32);
    double difference = 0;
    for (std::size_t i = 0; i < plain.values.size(); ++i)
      difference += std::abs(plain.values[i] - seen.values[i]);
    return difference > 0.01 ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

TEST(TokenEncoder, GradientsOfMaxSimThroughTheWholeNetworkEqualPyTorch) {
  const auto code = in_child([] {
    const test::Golden golden;
    const test::LateGolden late;
    const TinyLate tiny;
    Bert bert(tiny.model.folder, tiny.weights);
    for (auto& [name, tensor] : bert.weights().named()) tensor->requires_grad_(true);
    const auto all = golden.encodings();
    const std::vector<const model::Encoding*> texts{&all[0], &all[1], &all[3]};
    const auto states = bert.hidden_states(make_batch(texts, 0)).back();
    std::vector<at::Tensor> kept;
    std::vector<std::int64_t> first{0};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t t = 0; t < texts[i]->ids.size(); ++t) {
        if (i == 0 || t != 3)
          kept.push_back(states[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(t)]);
      }
      first.push_back(static_cast<std::int64_t>(kept.size()));
    }
    const auto x = apply(bert.weights().dense[0].linear, at::stack(kept), false);
    const TokenTable table{x / x.norm(2, {1}, true), {first[0], first[1]}, {first[1], first[2], first[3]}};
    if (largest_difference(table.vectors, late["network.vectors"]) > 1e-5) return 1;
    const auto interaction = interact(table, 1);
    const auto scores = interaction.scores.clone().requires_grad_(true);
    const auto loss = pairwise_softmax(scores[0].narrow(0, 0, 1), scores[0].narrow(0, 1, 1));
    if (largest_difference(loss.reshape({1}), late["network.loss"]) > 1e-5) return 2;
    loss.backward();
    table.vectors.backward(interaction_gradient(table, interaction, scores.grad(), 1));
    if (largest_difference(bert.weights().dense[0].linear.weight.grad(), late["network.grad.projection"]) >
        1e-5)
      return 3;
    for (auto& [name, tensor] : bert.weights().named()) {
      if (name != "embeddings.word_embeddings.weight" &&
          name != "encoder.layer.0.attention.self.query.weight" &&
          name != "encoder.layer.1.output.dense.bias")
        continue;
      if (largest_difference(tensor->grad(), late["network.grad." + name]) > 1e-5) return 4;
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace mustcite::neural
