// Personalised PageRank on the real citations against a walk written another way: over a list of links, in
// long double, with the degrees counted from that list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <tuple>

#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/graph/pagerank.hpp"

namespace mustcite::graph {
namespace {

namespace fs = std::filesystem;

struct RealGraph {
  std::uint32_t documents = 0;
  std::vector<DocId> citing;
  std::vector<Edge> edges;
};

fs::path citations_file() {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  const fs::path folder =
      chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR).parent_path() / "shared";
  return folder / "data" / "citations.train.jsonl.zst";
}

/// Every paper named is a document, but each fifth citing paper only cites. A paper lists itself, and two
/// thousand papers have no citation.
RealGraph read_graph() {
  std::vector<std::tuple<int, std::string, std::string>> rows;
  io::LineReader lines(citations_file());
  for (std::string_view line; lines.next(line);) {
    const Citation citation = citation_from_json(line);
    rows.emplace_back(citation.citing_year, citation.citing.str(), citation.cited.str());
  }
  std::sort(rows.begin(), rows.end());
  std::map<std::string, std::uint32_t> documents;
  std::map<std::string, std::uint32_t> citing_rows;
  RealGraph graph;
  const auto document = [&](const std::string& id) {
    return documents.emplace(id, static_cast<std::uint32_t>(documents.size())).first->second;
  };
  for (const auto& [year, citing, cited] : rows) {
    const auto [at, is_new] = citing_rows.emplace(citing, static_cast<std::uint32_t>(citing_rows.size()));
    if (is_new) {
      const bool only_cites = at->second % 5 == 0;
      graph.citing.push_back(only_cites ? snapshot::kNoDoc : DocId{document(citing)});
      if (!only_cites && at->second % 97 == 1)
        graph.edges.push_back({at->second, graph.citing.back(), static_cast<std::int16_t>(year), 1, 0});
    }
    graph.edges.push_back({at->second, DocId{document(cited)}, static_cast<std::int16_t>(year), 1, 0});
  }
  graph.documents = static_cast<std::uint32_t>(documents.size()) + 2000;
  return graph;
}

std::vector<long double> walked(const RealGraph& graph, const std::map<std::uint32_t, long double>& start,
                                long double damping) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  const std::size_t nodes = graph.documents + graph.citing.size();
  std::vector<long double> degree(nodes, 0);
  for (const Edge& edge : graph.edges) {
    const DocId doc = graph.citing[edge.citing];
    if (doc == edge.cited) continue;
    const std::uint32_t node = doc == snapshot::kNoDoc ? graph.documents + edge.citing : doc.value;
    links.emplace_back(node, edge.cited.value);
    ++degree[node];
    ++degree[edge.cited.value];
  }
  std::vector<long double> now(nodes, 0);
  for (const auto& [node, weight] : start) now[node] = weight;
  for (int round = 0; round < 300; ++round) {
    std::vector<long double> next(nodes, 0);
    long double stuck = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      if (degree[node] == 0) stuck += now[node];
    }
    for (const auto& [a, b] : links) {
      next[b] += damping * now[a] / degree[a];
      next[a] += damping * now[b] / degree[b];
    }
    for (const auto& [node, weight] : start) next[node] += weight * (1 - damping + damping * stuck);
    now.swap(next);
  }
  return now;
}

TEST(PageRankOnRealCitations, EqualsAnIndependentWalk) {
  if (!fs::exists(citations_file())) GTEST_SKIP() << "skipped: no ../shared";
  const RealGraph real = read_graph();
  const CitationGraph graph(real.documents, real.citing, real.edges);
  ASSERT_GT(graph.edges(), 29000U);
  std::size_t listing_themselves = 0;
  for (const Edge& edge : real.edges) listing_themselves += graph.is_self_citation(edge) ? 1 : 0;
  ASSERT_GT(listing_themselves, 10U);
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 3; ++trial) {
    // Seven seeds of odd weights, the last of them without any citation.
    std::vector<Weighted> seeds;
    float total = 0;
    for (int i = 0; i < 7; ++i) {
      const auto row = static_cast<std::uint32_t>(random() % (real.documents - 2000));
      seeds.push_back({i == 6 ? real.documents - 1 : row, static_cast<float>(1 + random() % 3)});
      total += seeds.back().weight;
    }
    std::map<std::uint32_t, long double> start;
    for (const Weighted& seed : seeds) start[seed.row] += static_cast<long double>(seed.weight) / total;
    const PageRank rank = personalised_pagerank(graph, seeds, {graph.edges(), {}});
    const auto expected = walked(real, start, 0.85L);
    double worst = 0;
    for (std::uint32_t doc = 0; doc < real.documents; ++doc)
      worst = std::max(worst, std::abs(rank.scores[doc] - static_cast<double>(expected[doc])));
    EXPECT_LT(worst, 1e-8);
    RecordProperty("worst_difference", fmt::format("{:.2e}", worst));
  }
}

}  // namespace
}  // namespace mustcite::graph
