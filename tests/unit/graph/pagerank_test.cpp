#include "engine/graph/pagerank.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace mustcite::graph {
namespace {

using snapshot::kNoDoc;

struct Network {
  std::uint32_t documents = 0;
  std::vector<DocId> citing;
  std::vector<Edge> edges;
  [[nodiscard]] CitationGraph graph() const { return CitationGraph(documents, citing, edges); }
};

/// 40 documents; 25 citing papers, some of them documents; documents 35-39 stand alone.
Network random_network(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Network network;
  network.documents = 40;
  for (std::uint32_t c = 0; c < 25; ++c) network.citing.push_back(c % 2 == 0 ? DocId{c} : kNoDoc);
  for (std::uint32_t c = 0; c < 25; ++c) {
    std::vector<bool> taken(35, false);
    for (int k = 0; k < 5; ++k) {
      const auto doc = static_cast<std::uint32_t>(random() % 35);
      if (taken[doc] || (c % 2 == 0 && doc < c)) continue;  // no pair twice, in either direction
      taken[doc] = true;
      network.edges.push_back({c, DocId{doc}, static_cast<std::int16_t>(2000 + c), 1, 0});
    }
  }
  return network;
}

/// Solves (I - d P^T) p = (1 - d) t with every dead end going back to the seeds, densely.
Eigen::VectorXd solved(const Network& network, const std::vector<double>& start, double damping) {
  const int nodes = static_cast<int>(network.documents + network.citing.size());
  Eigen::MatrixXd adjacency = Eigen::MatrixXd::Zero(nodes, nodes);
  for (const Edge& edge : network.edges) {
    const DocId doc = network.citing[edge.citing];
    if (doc == edge.cited) continue;
    const int from = static_cast<int>(doc == kNoDoc ? network.documents + edge.citing : doc.value);
    adjacency(from, static_cast<int>(edge.cited.value)) += 1;
    adjacency(static_cast<int>(edge.cited.value), from) += 1;
  }
  Eigen::VectorXd t = Eigen::VectorXd::Zero(nodes);
  for (std::size_t i = 0; i < start.size(); ++i) t(static_cast<int>(i)) = start[i];
  Eigen::MatrixXd walk(nodes, nodes);
  for (int row = 0; row < nodes; ++row) {
    const double degree = adjacency.row(row).sum();
    walk.row(row) =
        degree > 0 ? Eigen::RowVectorXd(adjacency.row(row) / degree) : Eigen::RowVectorXd(t.transpose());
  }
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(nodes, nodes) - damping * walk.transpose();
  return system.partialPivLu().solve((1 - damping) * t);
}

TEST(PageRank, EqualsADenseSolve) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Network network = random_network(seed);
    const CitationGraph graph = network.graph();
    const std::vector<Weighted> seeds{{3, 1.0F}, {37, 1.0F}, {12, 2.0F}};
    std::vector<double> start(40, 0.0);
    start[3] = start[37] = 0.25;
    start[12] = 0.5;
    const PageRank rank = personalised_pagerank(graph, seeds, {graph.edges(), {}});
    const Eigen::VectorXd expected = solved(network, start, 0.85);
    for (std::uint32_t doc = 0; doc < 40; ++doc) EXPECT_NEAR(rank.scores[doc], expected(doc), 1e-7) << doc;
  }
}

TEST(PageRank, PushComesFromBelowAndNear) {
  const CitationGraph graph = random_network(7).graph();
  const std::vector<Weighted> seeds{{3, 1.0F}, {38, 1.0F}};
  const PageRank exact = personalised_pagerank(graph, seeds, {graph.edges(), {}});
  PushOptions options;
  options.epsilon = 1e-9;
  std::vector<double> pushed(40, 0.0);
  for (const Weighted& item : pushed_pagerank(graph, seeds, {graph.edges(), {}}, options))
    pushed[item.row] = item.weight;
  for (std::uint32_t doc = 0; doc < 40; ++doc) {
    EXPECT_LE(pushed[doc], exact.scores[doc] + 1e-6);
    EXPECT_NEAR(pushed[doc], exact.scores[doc], 1e-5);
  }
}

TEST(PageRank, TwoPapersByHand) {
  // Document 0 is cited by one paper that is no document. The walk goes to and fro: p0 = 0.15 + 0.85 p1,
  // p1 = 0.85 p0, so p0 = 0.15 / (1 - 0.7225) = 0.540540...
  const CitationGraph graph(2, {kNoDoc}, {{0, DocId{0}, 2020, 1, 0}});
  const std::vector<Weighted> seeds{{0, 5.0F}};
  const PageRank rank = personalised_pagerank(graph, seeds, {1, {}});
  EXPECT_NEAR(rank.scores[0], 0.15 / 0.2775, 1e-8);
  EXPECT_EQ(rank.scores[1], 0.0);
}

TEST(PageRank, APaperCitedBy50000ByHand) {
  // From the hub p = (1 - d) + d * (all others), each other one d * p / 50,000: p = 1 / (1 + d).
  constexpr std::uint32_t kOthers = 50000;
  Network network;
  network.documents = kOthers + 1;
  for (std::uint32_t i = 1; i <= kOthers; ++i) {
    network.citing.push_back(DocId{i});
    network.edges.push_back({i - 1, DocId{0}, 2020, 1, 0});
  }
  const auto graph = network.graph();
  const std::vector<Weighted> seeds{{0, 1}};
  const auto found = personalised_pagerank(graph, seeds, Horizon{kOthers, {}});
  EXPECT_NEAR(found.scores[0], 1 / 1.85, 1e-8);
  EXPECT_NEAR(found.scores[50000], 0.85 / 1.85 / kOthers, 1e-12);
  const auto pushed = pushed_pagerank(graph, seeds, Horizon{kOthers, {}});
  ASSERT_FALSE(pushed.empty());
  EXPECT_LE(pushed.front().weight, 1 / 1.85 + 1e-9);
}

TEST(PageRank, ASeedWithoutCitationsKeepsEverything) {
  const CitationGraph graph(2, {kNoDoc}, {{0, DocId{0}, 2020, 1, 0}});
  const std::vector<Weighted> seeds{{1, 1.0F}};
  EXPECT_NEAR(personalised_pagerank(graph, seeds, {1, {}}).scores[1], 1.0, 1e-9);
  const std::vector<Weighted> pushed = pushed_pagerank(graph, seeds, {1, {}});
  ASSERT_EQ(pushed.size(), 1U);
  EXPECT_NEAR(pushed[0].weight, 1.0, 1e-5);
}

TEST(PageRank, WithoutSeedsNothingIsFound) {
  const CitationGraph graph(2, {kNoDoc}, {{0, DocId{0}, 2020, 1, 0}});
  EXPECT_EQ(personalised_pagerank(graph, {}, {1, {}}).scores[0], 0.0);
  EXPECT_TRUE(pushed_pagerank(graph, {}, {1, {}}).empty());
}

TEST(PageRank, DoesNotSeeBeyondItsHorizon) {
  const CitationGraph graph = random_network(2).graph();
  const std::vector<Weighted> seeds{{3, 1.0F}};
  EXPECT_NEAR(personalised_pagerank(graph, seeds, {0, {}}).scores[3], 1.0, 1e-9);
}

TEST(PageRank, PushStopsAtItsBound) {
  const CitationGraph graph = random_network(4).graph();
  PushOptions options;
  options.epsilon = 0;
  options.max_edges = 50;
  const std::vector<Weighted> seeds{{3, 1.0F}};
  double total = 0;
  for (const Weighted& item : pushed_pagerank(graph, seeds, {graph.edges(), {}}, options))
    total += item.weight;
  EXPECT_LT(total, 1.0);
}

}  // namespace
}  // namespace mustcite::graph
