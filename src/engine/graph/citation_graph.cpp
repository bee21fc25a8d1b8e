#include "engine/graph/citation_graph.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace mustcite::graph {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

std::int16_t count_of(const std::optional<int>& value) {
  return value ? static_cast<std::int16_t>(std::clamp(*value, 0, 30000)) : std::int16_t{-1};
}

/// Sums weights by row: small lists are sorted and merged, so nothing of the graph's size is touched.
std::vector<Weighted> merged(std::vector<Weighted> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Weighted& a, const Weighted& b) { return a.row < b.row; });
  std::vector<Weighted> result;
  for (const Weighted& part : parts) {
    if (!result.empty() && result.back().row == part.row) {
      result.back().weight += part.weight;
    } else {
      result.push_back(part);
    }
  }
  return result;
}

}  // namespace

CitationGraph::CitationGraph(const snapshot::Snapshot& snapshot) : begin_(snapshot.size() + 1, 0) {
  citing_docs_.reserve(snapshot.citing_size());
  for (std::uint32_t row = 0; row < snapshot.citing_size(); ++row)
    citing_docs_.push_back(snapshot.citing(row).doc);
  edges_.reserve(snapshot.evidence_size());
  for (std::uint32_t row = 0; row < snapshot.evidence_size(); ++row) {
    const snapshot::EvidenceView view = snapshot.evidence(row);
    edges_.push_back({view.citing_paper, view.cited, static_cast<std::int16_t>(view.citing_year),
                      count_of(view.mentions), count_of(view.exp_mentions)});
  }
  index();
}

CitationGraph::CitationGraph(std::uint32_t documents, std::vector<DocId> citing_docs, std::vector<Edge> edges)
    : citing_docs_(std::move(citing_docs)), edges_(std::move(edges)), begin_(documents + 1, 0) {
  index();
}

void CitationGraph::index() {
  const std::uint32_t size = documents();
  references_.assign(citing_docs_.size(), Range{});
  citing_of_.assign(size, kNone);
  for (std::uint32_t row = 0; row < citing_docs_.size(); ++row) {
    if (citing_docs_[row].value < size) citing_of_[citing_docs_[row].value] = row;
  }
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    const Edge& edge = edges_[e];
    if (edge.citing >= citing_docs_.size() || edge.cited.value >= size ||
        (e > 0 && edge.year < edges_[e - 1].year)) {
      fail(ErrorCode::invalid_input, "reading citations: edge {} is out of range or out of order", e);
    }
    Range& range = references_[edge.citing];
    if (range.last == 0) range.first = e;
    if (range.last != 0 && range.last != e) {
      fail(ErrorCode::invalid_input, "reading citations: the references of citing paper {} lie apart",
           edge.citing);
    }
    range.last = e + 1;
    if (!is_self_citation(edge)) ++begin_[edge.cited.value + 1];
  }
  for (std::uint32_t doc = 0; doc < size; ++doc) begin_[doc + 1] += begin_[doc];
  in_edges_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    if (!is_self_citation(edges_[e])) in_edges_[next[edges_[e].cited.value]++] = e;
  }
}

std::span<const std::uint32_t> CitationGraph::cited_by(DocId doc, std::uint32_t horizon) const {
  const std::uint32_t* const first = in_edges_.data() + begin_[doc.value];
  const std::uint32_t* const last = in_edges_.data() + begin_[doc.value + 1];
  return {first, std::lower_bound(first, last, horizon)};
}

CitationGraph::Range CitationGraph::references(std::uint32_t citing, std::uint32_t horizon) const {
  const Range range = references_[citing];
  return {std::min(range.first, horizon), std::min(range.last, horizon)};
}

std::optional<std::uint32_t> CitationGraph::citing_of(DocId doc) const {
  if (doc.value >= citing_of_.size() || citing_of_[doc.value] == kNone) return std::nullopt;
  return citing_of_[doc.value];
}

std::vector<Weighted> coupled(const CitationGraph& graph, std::span<const Weighted> cited,
                              const Horizon& horizon) {
  std::vector<Weighted> parts;
  for (const Weighted& seed : cited) {
    for (const std::uint32_t e : graph.cited_by(DocId{seed.row}, horizon.edges)) {
      const std::uint32_t citing = graph.edge(e).citing;
      if (!horizon.hides(citing)) parts.push_back({citing, seed.weight});
    }
  }
  return merged(std::move(parts));
}

std::vector<Weighted> cocited(const CitationGraph& graph, std::span<const Weighted> seeds,
                              const Horizon& horizon) {
  std::vector<Weighted> own(seeds.begin(), seeds.end());
  std::sort(own.begin(), own.end(), [](const Weighted& a, const Weighted& b) { return a.row < b.row; });
  const auto weight_of = [&](std::uint32_t doc) {
    const auto at = std::lower_bound(own.begin(), own.end(), doc,
                                     [](const Weighted& seed, std::uint32_t row) { return seed.row < row; });
    return at != own.end() && at->row == doc ? at->weight : 0.0F;
  };
  std::vector<Weighted> parts;
  for (const Weighted& citing : coupled(graph, seeds, horizon)) {
    const CitationGraph::Range range = graph.references(citing.row, horizon.edges);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const std::uint32_t doc = graph.edge(e).cited.value;
      const float others = citing.weight - weight_of(doc);  // a document is not co-cited with itself
      if (others > 0 && !graph.is_self_citation(graph.edge(e))) parts.push_back({doc, others});
    }
  }
  return merged(std::move(parts));
}

}  // namespace mustcite::graph
