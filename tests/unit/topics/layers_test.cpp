#include "engine/topics/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/topics/network.hpp"
#include "testing/torch_values.hpp"

namespace mustcite::topics {
namespace {

using terms::TopicGraph;
using terms::Triple;
using test::apart;
using test::gradient_error;
using test::TorchValues;

TorchValues golden() {
  return TorchValues(MUSTCITE_SOURCE_DIR "/tests/unit/topics/fixtures/golden.safetensors");
}

TopicGraph small_graph() {
  // 0 - 1 - 2 - 3, 1 - 4, and 5 alone.
  const std::vector<Triple> triples{{0, 0, 1, 1}, {0, 1, 2, 0.5}, {0, 2, 3, 2}, {0, 1, 4, 1}};
  return TopicGraph(6, {"named-with"}, {true}, triples);
}

TEST(Gru, EqualsPyTorchsCellWithItsGradients) {
  const auto values = golden();
  const Gru gru{{values.leaf("gru.input.weight"), values.leaf("gru.input.bias")},
                {values.leaf("gru.hidden.weight"), values.leaf("gru.hidden.bias")}};
  const auto x = values.leaf("gru.x");
  const auto h = values.leaf("gru.h");
  const auto y = step(gru, x, h);
  EXPECT_LT(apart(y, values["gru.y"]), 1e-6);
  (y * values["gru.of_y"]).sum().backward();
  EXPECT_LT(apart(x.grad(), values["gru.x_grad"]), 1e-6);
  EXPECT_LT(apart(h.grad(), values["gru.h_grad"]), 1e-6);
  EXPECT_LT(apart(gru.input.weight.grad(), values["gru.input_grad"]), 1e-5);
}

/// (A + I) scaled by its row sums, as a dense matrix.
at::Tensor dense(const TopicGraph& graph) {
  auto a = at::eye(graph.topics());
  for (std::uint32_t i = 0; i < graph.topics(); ++i) {
    for (const auto& edge : graph.neighbours(i)) a[i][edge.to] = edge.weight;
  }
  const auto scale = a.sum(1).rsqrt();
  return scale.unsqueeze(1) * a * scale.unsqueeze(0);
}

TEST(GraphConvolution, EqualsTheDenseMatrix) {
  const auto graph = small_graph();
  const auto x = at::randn({6, 4}).requires_grad_(true);
  const auto edges = normalised_edges(graph);
  EXPECT_LT(apart(propagate(edges, x), at::matmul(dense(graph), x)), 1e-6);
  const auto weight = at::randn({6, 4});
  (propagate(edges, x) * weight).sum().backward();
  EXPECT_LT(apart(x.grad(), at::matmul(dense(graph).t(), weight)), 1e-5);
}

TEST(GraphConvolution, OfTwoRelationsBetweenTopicsTheHeavierCounts) {
  const std::vector<Triple> triples{{0, 0, 1, 1}, {1, 0, 1, 3}};
  const TopicGraph graph(2, {"a", "b"}, {false, false}, triples);
  // Row sums are 4 each: 3 / 4 and 1 / 4.
  const auto y = propagate(normalised_edges(graph), at::eye(2));
  EXPECT_LT(apart(y, at::tensor({0.25F, 0.75F, 0.75F, 0.25F}).reshape({2, 2})), 1e-6);
}

/// Walks each path alone.
at::Tensor state_of(const Gru& gru, const std::vector<std::pair<std::int64_t, std::int64_t>>& path,
                    const at::Tensor& topics, const at::Tensor& relations) {
  auto h = at::zeros({1, gru.hidden.weight.size(1)});
  for (const auto& [topic, relation] : path) {
    h = step(gru, (topics[topic] + relations[relation]).unsqueeze(0), h);
  }
  return h[0];
}

TEST(PathStates, EqualEachPathWalkedAlone) {
  neural::Parameters parameters(3);
  const auto gru = make_gru(parameters, "gru", 5, 5);
  const auto topics = at::randn({6, 5});
  const auto relations = at::randn({3, 5});
  const auto graph = small_graph();
  const std::vector<std::uint32_t> sources{0, 5};
  const std::vector<std::uint32_t> targets{0, 3, 4, 5};
  const auto plan = plan_paths(graph, sources, targets, 3);
  const auto states = path_states(gru, plan, topics, relations);
  ASSERT_EQ(plan.ends.size(), 4U);  // 0-0, 0-4, 0-3, 5-5
  const std::int64_t none = 2;      // behind both directions of the one relation
  for (std::size_t i = 0; i < plan.ends.size(); ++i) {
    const auto& end = plan.ends[i];
    std::vector<std::pair<std::int64_t, std::int64_t>> path;
    if (end.source == 1) {
      EXPECT_EQ(end.topic, 5U);
      path = {{5, none}};
    } else if (end.topic == 0) {
      path = {{0, none}};
    } else if (end.topic == 4) {
      path = {{0, none}, {1, 0}, {4, 0}};
    } else {
      path = {{0, none}, {1, 0}, {2, 0}, {3, 0}};
    }
    EXPECT_LT(apart(states[static_cast<std::int64_t>(i)], state_of(gru, path, topics, relations)), 1e-6);
  }
}

TEST(PathStates, OnlyWhatLeadsToATargetIsComputed) {
  const auto graph = small_graph();
  const std::vector<std::uint32_t> sources{0};
  const std::vector<std::uint32_t> targets{4};
  EXPECT_EQ(plan_paths(graph, sources, targets, 3).states(), 3U);
  EXPECT_EQ(plan_paths(graph, sources, {}, 3).ends.size(), 5U);
  EXPECT_EQ(plan_paths(graph, sources, targets, 1).ends.size(), 0U);
  EXPECT_EQ(plan_paths(graph, {}, targets, 3).states(), 0U);
}

TEST(Reason, SumsValuesOverPairsOfTopicsByTheirWeights) {
  const auto graph = small_graph();
  const std::vector<std::uint32_t> sources{0, 3};
  const std::vector<std::uint32_t> targets{1, 5};
  const auto plan = plan_paths(graph, sources, targets, 2);
  // Paths: 0-1 and 3-2-1; 5 is not reached. Ends come by hops.
  ASSERT_EQ(plan.ends.size(), 2U);
  const auto values = at::tensor({2.0F, 3.0F});
  const auto queries = at::tensor({0.25F, 0.75F}).reshape({1, 2});
  const auto documents = at::tensor({0.5F, 0.5F, 0.0F, 1.0F}).reshape({2, 2});
  const auto r = reason(queries, documents, plan, targets, values);
  EXPECT_NEAR(r[0][0].item<double>(), 0.25 * 0.5 * 2 + 0.75 * 0.5 * 3, 1e-6);
  EXPECT_EQ(r[0][1].item<double>(), 0);
}

TEST(CitedLoss, EqualsPyTorchsOverTheCountedPairs) {
  const auto values = golden();
  const auto logits = values.leaf("bce.logits");
  const auto loss =
      cited_loss(logits, values["bce.cited"].to(at::kBool), values["bce.counted"].to(at::kBool));
  EXPECT_LT(apart(loss.reshape({1}), values["bce.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(apart(logits.grad(), values["bce.logits_grad"]), 1e-6);
}

TEST(AlignmentLoss, EqualsPyTorchsCrossEntropiesBothWays) {
  const auto values = golden();
  const auto content = values.leaf("align.content");
  const auto structure = values.leaf("align.structure");
  const auto loss = alignment_loss(content, structure, 0.2);
  EXPECT_LT(apart(loss.reshape({1}), values["align.value"]), 1e-5);
  loss.backward();
  EXPECT_LT(apart(content.grad(), values["align.content_grad"]), 1e-5);
  EXPECT_LT(apart(structure.grad(), values["align.structure_grad"]), 1e-5);
}

TEST(KtrNetwork, GradientsEqualCentralDifferencesInEveryWeight) {
  Shape shape;
  shape.features = 6;
  shape.width = 5;
  shape.topic_width = 4;
  shape.topics = 6;
  shape.relations = 2;
  const auto names = at::randn({6, 6});
  Network network(shape, 2, names);
  network.parameters().learn({});
  const auto graph = small_graph();
  const auto edges = normalised_edges(graph);
  const std::vector<std::uint32_t> sources{0, 2};
  const std::vector<std::uint32_t> targets{1, 3, 4};
  const auto plan = plan_paths(graph, sources, targets, 3);
  const auto x = at::randn({2, 6});
  const auto y = at::randn({3, 6});
  const auto cited = at::tensor({1, 0, 0, 0, 0, 1}, at::kLong).reshape({2, 3}).to(at::kBool);
  const auto of_queries = at::rand({2, 2});
  const auto of_documents = at::rand({3, 3});
  const auto f = [&] {
    const auto values = network.path_values(plan, network.topics(edges));
    const auto paths = reason(of_queries, of_documents, plan, targets, values);
    const auto cosines = at::matmul(network.papers(x), network.papers(y).t());
    const auto aligned = alignment_loss(network.placed(y), network.structure(network.content(y)), 0.5);
    return cited_loss(network.logits(cosines, paths), cited, at::ones_like(cited)) + aligned;
  };
  for (const auto& parameter : network.parameters().optimiser().parameters()) {
    EXPECT_LT(gradient_error(f, parameter.value, 10, 3e-3), 0.05) << parameter.name;
  }
}

}  // namespace
}  // namespace mustcite::topics
