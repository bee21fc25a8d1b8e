#include "engine/graph/citation_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mustcite/error.hpp"

namespace mustcite::graph {
namespace {

using snapshot::kNoDoc;
using testing::ElementsAre;

/// Six documents 0-5. Citing papers: A (document 4, 2019) cites 0 1 2; B (no document, 2020) cites 1 2;
/// C (document 5, 2021) cites 2 3 and itself.
CitationGraph small() {
  return CitationGraph(6, {DocId{4}, kNoDoc, DocId{5}},
                       {{0, DocId{0}, 2019, 3, 1},
                        {0, DocId{1}, 2019, 1, 0},
                        {0, DocId{2}, 2019, -1, -1},
                        {1, DocId{1}, 2020, 2, 0},
                        {1, DocId{2}, 2020, 5, 2},
                        {2, DocId{2}, 2021, 1, 0},
                        {2, DocId{3}, 2021, 1, 0},
                        {2, DocId{5}, 2021, 1, 0}});
}

std::vector<std::pair<std::uint32_t, float>> pairs(const std::vector<Weighted>& list) {
  std::vector<std::pair<std::uint32_t, float>> result;
  for (const Weighted& item : list) result.emplace_back(item.row, item.weight);
  return result;
}

std::vector<std::uint32_t> list(std::span<const std::uint32_t> values) {
  return {values.begin(), values.end()};
}

TEST(CitationGraph, ListsAreBoundedByTheHorizon) {
  const CitationGraph graph = small();
  EXPECT_THAT(list(graph.cited_by(DocId{2}, 8)), ElementsAre(2, 4, 5));
  EXPECT_THAT(list(graph.cited_by(DocId{2}, 5)), ElementsAre(2, 4));
  EXPECT_TRUE(graph.cited_by(DocId{2}, 0).empty());
  EXPECT_EQ(graph.references(1, 8).first, 3U);
  EXPECT_EQ(graph.references(1, 8).last, 5U);
  EXPECT_EQ(graph.references(1, 3).first, graph.references(1, 3).last);
}

TEST(CitationGraph, KnowsWhichDocumentsCite) {
  const CitationGraph graph = small();
  EXPECT_EQ(graph.citing_of(DocId{5}), std::optional<std::uint32_t>{2});
  EXPECT_FALSE(graph.citing_of(DocId{0}).has_value());
  EXPECT_EQ(graph.document_of(1), kNoDoc);
}

TEST(CitationGraph, LeavesSelfCitationsOut) {
  EXPECT_TRUE(small().cited_by(DocId{5}, 8).empty());
}

TEST(CitationGraph, RefusesReferencesThatLieApart) {
  EXPECT_THROW(
      CitationGraph(3, {kNoDoc, kNoDoc},
                    {{0, DocId{0}, 2019, 1, 0}, {1, DocId{1}, 2019, 1, 0}, {0, DocId{2}, 2019, 1, 0}}),
      Error);
}

TEST(CitationGraph, RefusesYearsThatFall) {
  EXPECT_THROW(CitationGraph(2, {kNoDoc, kNoDoc}, {{0, DocId{0}, 2020, 1, 0}, {1, DocId{1}, 2019, 1, 0}}),
               Error);
}

TEST(Cocited, CountsCitingPapersShared) {
  // Seed 1 (weight 1): A cites it with 0 and 2, B with 2. So 0 gets 1, 2 gets 2; the seed nothing of its own.
  const CitationGraph graph = small();
  const std::vector<Weighted> seeds{{1, 1.0F}};
  using Pair = std::pair<std::uint32_t, float>;
  EXPECT_THAT(pairs(cocited(graph, seeds, {8, {}})), ElementsAre(Pair{0, 1.0F}, Pair{2, 2.0F}));
}

TEST(Cocited, SeedsGetWhatTheyShareWithOtherSeeds) {
  // Seeds 1 (weight 1) and 2 (weight 0.5). A: both, 1.5; B: both, 1.5; C: 2 alone, 0.5.
  // 0: 1.5. 1: (1.5 - 1) twice = 1. 2: (1.5 - 0.5) twice = 2, nothing from C. 3: 0.5.
  const std::vector<Weighted> seeds{{1, 1.0F}, {2, 0.5F}};
  using Pair = std::pair<std::uint32_t, float>;
  EXPECT_THAT(pairs(cocited(small(), seeds, {8, {}})),
              ElementsAre(Pair{0, 1.5F}, Pair{1, 1.0F}, Pair{2, 2.0F}, Pair{3, 0.5F}));
}

TEST(Cocited, HidesTheQuerysOwnPaperAndTheFuture) {
  const std::vector<Weighted> seeds{{1, 1.0F}};
  using Pair = std::pair<std::uint32_t, float>;
  EXPECT_THAT(pairs(cocited(small(), seeds, {8, {0}})), ElementsAre(Pair{2, 1.0F}));
  EXPECT_THAT(pairs(cocited(small(), seeds, {3, {}})), ElementsAre(Pair{0, 1.0F}, Pair{2, 1.0F}));
}

TEST(Coupled, CountsSharedReferences) {
  const std::vector<Weighted> cited{{1, 1.0F}, {2, 1.0F}};
  using Pair = std::pair<std::uint32_t, float>;
  EXPECT_THAT(pairs(coupled(small(), cited, {8, {}})),
              ElementsAre(Pair{0, 2.0F}, Pair{1, 2.0F}, Pair{2, 1.0F}));
}

}  // namespace
}  // namespace mustcite::graph
