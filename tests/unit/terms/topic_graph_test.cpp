#include "engine/terms/topic_graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::terms {
namespace {

TopicGraph graph_of_triples(const std::vector<Triple>& triples, std::size_t degree = 0) {
  return TopicGraph(6, {"IsA", "RelatedTo"}, {false, true}, triples, degree);
}

TEST(TopicGraph, WalksTriplesBothWaysAndTellsTheDirection) {
  const auto graph = graph_of_triples({{0, 0, 1, 2}, {1, 0, 2, 1}});
  ASSERT_EQ(graph.neighbours(0).size(), 2U);
  EXPECT_EQ(graph.relation(graph.neighbours(0)[0].relation), "IsA");
  ASSERT_EQ(graph.neighbours(1).size(), 1U);
  EXPECT_EQ(graph.relation(graph.neighbours(1)[0].relation), "~IsA");
  EXPECT_EQ(graph.relation(graph.neighbours(2)[0].relation), "RelatedTo");
  EXPECT_TRUE(graph.neighbours(5).empty());
  EXPECT_EQ(graph.relations(), 4U);
}

TEST(TopicGraph, KeepsTheHeaviestOfRepeatedTriplesAndNoLoop) {
  const auto graph = graph_of_triples({{0, 0, 1, 1}, {0, 0, 1, 3}, {0, 2, 2, 9}});
  ASSERT_EQ(graph.edges(), 2U);
  EXPECT_EQ(graph.neighbours(0)[0].weight, 3);
}

TEST(TopicGraph, AnEdgeStaysWhileOneEndKeepsIt) {
  // 0 has three neighbours and keeps one; 3 keeps its only one, which is 0.
  const auto graph = graph_of_triples({{1, 0, 1, 5}, {1, 0, 2, 4}, {1, 0, 3, 1}, {1, 1, 2, 6}}, 1);
  std::vector<std::uint32_t> around;
  for (const auto& edge : graph.neighbours(0)) around.push_back(edge.to);
  EXPECT_EQ(around, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(graph.neighbours(3).size(), 1U);
}

TEST(TopicGraph, RefusesWhatItCannotHold) {
  EXPECT_THROW(graph_of_triples({{0, 0, 6, 1}}), Error);
  EXPECT_THROW(graph_of_triples({{2, 0, 1, 1}}), Error);
  EXPECT_THROW(graph_of_triples({{0, 0, 1, 0}}), Error);
  EXPECT_THROW(graph_of_triples({{0, 0, 1, std::nanf("")}}), Error);
}

TEST(BestPaths, TakeTheFewestHopsThenTheStrongest) {
  // 0-1-3 and 0-2-3: the way by 2 is stronger (1 * 2/4 against 1/4 * 1); 4 lies behind 3; 5 is not reached.
  const auto graph = graph_of_triples({{1, 0, 1, 1}, {1, 0, 2, 4}, {1, 1, 3, 1}, {1, 2, 3, 2}, {1, 3, 4, 1}});
  const auto paths = best_paths(graph, 0, 2);
  ASSERT_EQ(paths.size(), 4U);
  EXPECT_EQ(paths[0].topic, 0U);
  EXPECT_EQ(paths[1].topic, 1U);
  EXPECT_EQ(paths[2].topic, 2U);
  EXPECT_EQ(paths[3].topic, 3U);
  EXPECT_EQ(paths[paths[3].parent].topic, 2U);
  EXPECT_FLOAT_EQ(paths[3].strength, 0.5F);
  EXPECT_EQ(paths[3].hops, 2U);
  EXPECT_EQ(best_paths(graph, 0, 3).size(), 5U);
  EXPECT_EQ(best_paths(graph, 5, 3).size(), 1U);
  EXPECT_EQ(best_paths(graph, 0, 0).size(), 1U);
}

TEST(Cooccurrence, WeighsByNormalisedMutualInformationAsOfARow) {
  // Ten documents: topics 0 and 1 together in 5, 0 alone in 1, 2 alone in 4. The last two rows are not seen.
  std::vector<std::vector<TopicMention>> rows;
  for (int i = 0; i < 5; ++i) rows.push_back({{0, 1}, {1, 1}});
  rows.push_back({{0, 1}});
  for (int i = 0; i < 4; ++i) rows.push_back({{2, 1}});
  for (int i = 0; i < 2; ++i) rows.push_back({{0, 1}, {2, 1}});
  const TopicTable table(3, rows);
  Cooccurrence options;
  options.min_documents = 2;
  const auto graph = cooccurrence_graph(table, 10, options);
  ASSERT_EQ(graph.edges(), 2U);
  ASSERT_EQ(graph.neighbours(0).size(), 1U);
  // ln(0.5 / (0.6 * 0.5)) / -ln 0.5 = 0.7370
  EXPECT_NEAR(graph.neighbours(0)[0].weight, 0.7370, 1e-4);
  EXPECT_EQ(graph.neighbours(0)[0].to, 1U);
  options.min_documents = 6;
  EXPECT_EQ(cooccurrence_graph(table, 10, options).edges(), 0U);
  EXPECT_EQ(cooccurrence_graph(TopicTable(3, {}), 0, options).edges(), 0U);
}

}  // namespace
}  // namespace mustcite::terms
