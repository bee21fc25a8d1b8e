#include "engine/topics/citations.hpp"

#include <algorithm>

#include "engine/baseline/batches.hpp"

namespace mustcite::topics {

NeighbourSample sample_neighbours(const graph::CitationGraph& graph, std::span<const DocId> papers,
                                  const baseline::AsOf& as_of, std::size_t most, std::uint64_t seed) {
  NeighbourSample sample;
  for (const DocId paper : papers) {
    std::vector<DocId> around;
    const auto add = [&](DocId doc) {
      if (doc != paper && doc != snapshot::kNoDoc && doc.value < as_of.documents) around.push_back(doc);
    };
    for (const std::uint32_t edge : graph.cited_by(paper, as_of.edges)) {
      add(graph.document_of(graph.edge(edge).citing));
    }
    if (const auto citing = graph.citing_of(paper)) {
      const auto range = graph.references(*citing, as_of.edges);
      for (std::uint32_t edge = range.first; edge < range.last; ++edge) add(graph.edge(edge).cited);
    }
    if (around.empty()) continue;
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    baseline::Draws draws(seed, paper.value);
    draws.shuffle(around);
    if (around.size() > most) around.resize(most);
    const auto place = static_cast<std::int64_t>(sample.papers.size());
    sample.papers.push_back(paper);
    around.push_back(paper);
    sample.members.insert(sample.members.end(), around.begin(), around.end());
    sample.paper_of.insert(sample.paper_of.end(), around.size(), place);
  }
  return sample;
}

at::Tensor mean_of(const at::Tensor& x, const NeighbourSample& sample) {
  const auto places = at::tensor(sample.paper_of, at::kLong);
  const auto papers = static_cast<std::int64_t>(sample.papers.size());
  const auto sums = at::zeros({papers, x.size(1)}).index_add(0, places, x);
  const auto counts = at::zeros({papers}).index_add(0, places, at::ones({x.size(0)}));
  return sums / counts.unsqueeze(1);
}

at::Tensor document_features(const baseline::TextVectors& vectors, std::uint32_t documents) {
  auto features =
      at::empty({static_cast<std::int64_t>(documents), static_cast<std::int64_t>(vectors.dimensions())});
  vectors.read(0, {features.data_ptr<float>(), static_cast<std::size_t>(features.numel())});
  return features;
}

at::Tensor text_features(const baseline::TextVectors& vectors, std::span<const dense::TextParts> texts) {
  auto features =
      at::empty({static_cast<std::int64_t>(texts.size()), static_cast<std::int64_t>(vectors.dimensions())});
  vectors.encode(texts, {features.data_ptr<float>(), static_cast<std::size_t>(features.numel())});
  return features;
}

}  // namespace mustcite::topics
