#include "engine/gnn/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/gnn/ar_gnn.hpp"
#include "engine/gnn/litfm.hpp"
#include "testing/error_code.hpp"

namespace mustcite::gnn {
namespace {

using graph::BibliographicGraph;
using graph::CitationGraph;
using graph::Edge;

/// Six documents, rows by age. Paper 5 cites 0 and 1 (2020), paper 4 cites 0 (2021). Document 3 has no
/// author, no venue and no keyword; the others share a venue.
struct Small {
  CitationGraph citations{6,
                          {DocId{5}, DocId{4}},
                          {{0, DocId{0}, 2020, 1, 0}, {0, DocId{1}, 2020, 1, 0}, {1, DocId{0}, 2021, 1, 0}}};
  BibliographicGraph graph{{{{"Ann A", "Bo B"}, "icml", {0, 1}},
                            {{"Bo B"}, "icml", {1}},
                            {{}, "icml", {}},
                            {{}, "", {}},
                            {{"Ann A"}, "icml", {0}},
                            {{"Cy C"}, "icml", {2}}},
                           citations,
                           3};
};

TEST(SamplePlaces, AreDifferentAscendingAndEveryPlaceIsDrawn) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const auto places = sample_places(20, 5, key);
    ASSERT_EQ(places.size(), 5U);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LT(places[i - 1], places[i]);
    seen.insert(places.begin(), places.end());
  }
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_EQ(sample_places(3, 5, 1), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(sample_places(4, 0, 1).size(), 4U);
  EXPECT_TRUE(sample_places(0, 5, 1).empty());
}

TEST(NeighbourSampler, FindsWhatAPaperIsAboutAndItsCitationsBothWays) {
  const Small small;
  const NeighbourSampler sampler(small.graph, {6, 3}, {0, 0, 0}, 1);
  const auto ann = *small.graph.author_node("ann a");
  const auto bo = *small.graph.author_node("Bo B");
  const auto icml = *small.graph.venue_node("icml");
  EXPECT_EQ(sampler.neighbours(0U), (std::vector<std::uint32_t>{ann, bo, icml, small.graph.keyword_node(0),
                                                                small.graph.keyword_node(1), 4, 5}));
  EXPECT_EQ(sampler.neighbours(icml), (std::vector<std::uint32_t>{0, 1, 2, 4, 5}));
  EXPECT_TRUE(sampler.neighbours(3U).empty());
}

TEST(NeighbourSampler, SeesNothingNewerThanItsDate) {
  const Small small;
  // Documents below row 5, citations before the last: paper 5 is not there yet, nor is what 4 cites.
  const NeighbourSampler sampler(small.graph, {5, 2}, {0, 0, 0}, 1);
  const auto neighbours = sampler.neighbours(0U);
  EXPECT_EQ(std::count(neighbours.begin(), neighbours.end(), 5U), 0);
  EXPECT_EQ(std::count(neighbours.begin(), neighbours.end(), 4U), 0);
  EXPECT_EQ(sampler.neighbours(*small.graph.venue_node("icml")), (std::vector<std::uint32_t>{0, 1, 2, 4}));
  const std::vector<DocId> newer{DocId{5}};
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(sampler.block(newer, {})); }), ErrorCode::invalid_input);
}

TEST(NeighbourSampler, ABlockHoldsTwoStepsAroundItsSeeds) {
  const Small small;
  const NeighbourSampler sampler(small.graph, {6, 3}, {0, 0, 0}, 1);
  const std::vector<DocId> papers{DocId{1}, DocId{3}};
  // A newcomer about the keyword of paper 5, and about one that no paper has.
  const std::vector<Newcomer> newcomers{{small.graph.keyword_node(2)}, {}};
  const auto block = sampler.block(papers, newcomers);
  EXPECT_EQ(block.papers, 2U);
  EXPECT_EQ(block.seeds, 4U);
  EXPECT_EQ(block.nodes[2], kNewcomer);
  EXPECT_EQ(block.second->rows(), 4U);
  EXPECT_EQ(block.first->rows(), block.inner);
  EXPECT_EQ(block.first->column_count(), block.nodes.size());
  // Paper 3 and the newcomer about nothing have themselves alone.
  EXPECT_EQ(block.degrees[1], 1.0F);
  EXPECT_EQ(block.degrees[3], 1.0F);
  EXPECT_EQ(block.degrees[2], 2.0F);
  for (std::uint32_t row = 0; row < block.first->rows(); ++row)
    EXPECT_EQ(block.first->columns()[block.first->begin()[row]], row) << "every node has itself first";
  // Nodes on the rim keep the degree that they have in a block of their own.
  for (std::size_t i = block.inner; i < block.nodes.size(); ++i)
    EXPECT_EQ(block.degrees[i], static_cast<float>(1 + sampler.neighbours(block.nodes[i]).size()));
}

TEST(NeighbourSampler, AVenueOf50000PapersIsCutToItsFanout) {
  constexpr std::uint32_t kPapers = 50001;
  std::vector<BibliographicGraph::Record> records(kPapers);
  for (std::uint32_t i = 0; i < kPapers; ++i) records[i] = {{}, "big", {}};
  // One paper is cited by all others.
  std::vector<DocId> citing;
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < kPapers; ++i) {
    citing.push_back(DocId{i});
    edges.push_back({i - 1, DocId{0}, 2020, 1, 0});
  }
  const CitationGraph citations(kPapers, citing, edges);
  const BibliographicGraph graph(records, citations, 0);
  const auto venue = *graph.venue_node("big");
  const baseline::AsOf all{kPapers, kPapers - 1};
  const NeighbourSampler sampler(graph, all, {16, 10, 8}, 3);
  EXPECT_EQ(graph.papers_of(venue, kPapers).size(), 50001U);
  EXPECT_EQ(sampler.neighbours(venue).size(), 8U);
  EXPECT_EQ(sampler.neighbours(0U).size(), 11U);  // the venue and ten of its citations
  EXPECT_EQ(sampler.neighbours(0U), sampler.neighbours(0U));
  EXPECT_NE(sampler.neighbours(0U), NeighbourSampler(graph, all, {16, 10, 8}, 4).neighbours(0U));
  const std::vector<DocId> papers{DocId{0}, DocId{7}};
  EXPECT_LT(sampler.block(papers, {}).nodes.size(), 60U);
  // All neighbours: the block holds the whole graph.
  EXPECT_EQ(NeighbourSampler(graph, all, {0, 0, 0}, 3).block(papers, {}).nodes.size(), kPapers + 1);
}

TEST(LitFmNeighbourhoods, OfAPaperCitedBy50000AreTheMeanOfAllOrOfSome) {
  constexpr std::uint32_t kPapers = 50001;
  std::vector<DocId> citing;
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < kPapers; ++i) {
    citing.push_back(DocId{i});
    edges.push_back({i - 1, DocId{0}, 2020, 1, 0});
  }
  const CitationGraph citations(kPapers, citing, edges);
  const baseline::AsOf all{kPapers, kPapers - 1};
  // Rows 1 to 50,000 hold 0 and 1 in turn; their mean is one half.
  const auto features = at::arange(std::int64_t{kPapers}, at::kFloat).remainder(2).unsqueeze(1);
  const std::vector<DocId> documents{DocId{0}, DocId{1}};
  const auto whole = neighbourhoods(citations, all, documents, features, 0, 1);
  EXPECT_NEAR(whole[0][0].item<double>(), 0.5, 1e-4);
  EXPECT_EQ(whole[1][0].item<double>(), 0);  // it cites paper 0 alone
  const auto some = neighbourhoods(citations, all, documents, features, 32, 1);
  EXPECT_GT(some[0][0].item<double>(), 0.2);
  EXPECT_LT(some[0][0].item<double>(), 0.8);
  EXPECT_EQ(some[0][0].item<double>() * 32, std::round(some[0][0].item<double>() * 32));
}

/// Vectors of all papers and newcomers by dense matrices over the whole graph: each node has an edge to
/// itself and to its neighbours, newcomers one-way (nobody takes messages from them).
at::Tensor dense_gcn(const ArGnnNetwork& network, const Small& small, const std::vector<Newcomer>& newcomers,
                     const at::Tensor& documents, const at::Tensor& own) {
  const auto nodes = static_cast<std::int64_t>(small.graph.nodes());
  const auto all = nodes + static_cast<std::int64_t>(newcomers.size());
  auto adjacency = at::eye(all);
  const auto join = [&](std::int64_t a, std::int64_t b) { adjacency[a][b] = adjacency[b][a] = 1; };
  for (std::uint32_t paper = 0; paper < small.graph.papers(); ++paper)
    for (const std::uint32_t node : small.graph.about(paper)) join(paper, node);
  join(5, 0), join(5, 1), join(4, 0);  // the citations
  for (std::size_t i = 0; i < newcomers.size(); ++i)
    for (const std::uint32_t node : newcomers[i]) adjacency[nodes + static_cast<std::int64_t>(i)][node] = 1;
  const auto scale = adjacency.sum({1}).rsqrt();
  const auto normalised = scale.unsqueeze(1) * adjacency * scale.unsqueeze(0);
  const auto& w = network.weights();
  const auto start = [&](const at::Tensor& x) { return x.matmul(w["papers.weight"]) + w["papers.bias"]; };
  std::vector<at::Tensor> rows{start(documents)};
  for (auto node = small.graph.papers(); node < small.graph.nodes(); ++node)
    rows.push_back(w["kinds"].narrow(0, static_cast<std::int64_t>(small.graph.kind(node)) - 1, 1));
  rows.push_back(start(own));
  auto x = at::relu(normalised.matmul(at::cat(rows).matmul(w["first.weight"])) + w["first.bias"]);
  x = normalised.matmul(x.matmul(w["second.weight"])) + w["second.bias"];
  const auto papers = static_cast<std::int64_t>(small.graph.papers());
  return at::cat({x.narrow(0, 0, papers), x.narrow(0, nodes, all - nodes)}) +
         at::cat({documents, own}).matmul(w["skip.weight"]);
}

TEST(ArGnnNetwork, WithAllNeighboursEqualsDenseMatricesOverTheWholeGraph) {
  const Small small;
  ArGnnOptions options;
  options.hidden = 7;
  options.size = 5;
  const ArGnnNetwork network(options, 4, 11);
  const NeighbourSampler sampler(small.graph, {6, 3}, {0, 0, 0}, 1);
  std::vector<DocId> papers;
  for (std::uint32_t i = 0; i < 6; ++i) papers.push_back(DocId{i});
  // A newcomer with a venue and keywords, and one of which nothing is known. Paper 3 has nothing either.
  const std::vector<Newcomer> newcomers{{*small.graph.venue_node("icml"), small.graph.keyword_node(1)}, {}};
  const auto documents = glorot(6, 4, 1);
  const auto own = glorot(2, 4, 2);
  const at::NoGradGuard without_gradients;
  const auto sampled = network.embed(sampler.block(papers, newcomers), documents, own);
  const auto dense = dense_gcn(network, small, newcomers, documents, own);
  EXPECT_TRUE(sampled.isfinite().all().item<bool>());
  EXPECT_LT((sampled - dense).abs().max().item<double>(), 1e-5);
}

TEST(NonEdges, AreDifferentPairsWithoutACitationEitherWay) {
  const Small small;
  const auto pairs = sample_non_edges(small.citations, 6, 3, 12, 5);
  ASSERT_EQ(pairs.size(), 12U);  // of 15 pairs three are citations
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& [a, b] : pairs) {
    EXPECT_NE(a, b);
    EXPECT_TRUE(seen.insert(std::minmax(a, b)).second);
    EXPECT_FALSE(std::min(a, b) == 0 && (std::max(a, b) == 4 || std::max(a, b) == 5));
    EXPECT_FALSE(std::min(a, b) == 1 && std::max(a, b) == 5);
  }
  EXPECT_TRUE(sample_non_edges(small.citations, 1, 3, 5, 5).empty());
  EXPECT_EQ(sample_non_edges(small.citations, 6, 3, 100, 5).size(), 12U);
}

}  // namespace
}  // namespace mustcite::gnn
