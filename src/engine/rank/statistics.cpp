#include "engine/rank/statistics.hpp"

#include <algorithm>

namespace mustcite::rank {

Statistics statistics_of(const graph::CitationGraph& graph, const CitanceIndex& citances,
                         const Columns& columns, std::uint32_t documents, std::uint32_t evidence,
                         const std::optional<Date>& cutoff) {
  Statistics result;
  result.documents = documents;
  result.evidence = evidence;
  int newest = 0;
  result.venue_documents.assign(columns.venues(), 0.0F);
  for (std::uint32_t doc = 0; doc < documents; ++doc) {
    newest = std::max(newest, columns.year(DocId{doc}));
    result.venue_documents[columns.venue(DocId{doc})] += 1.0F;
  }
  result.cutoff_year = cutoff ? cutoff->year : 0;
  result.year = cutoff ? cutoff->year : newest + 1;
  const int last_citing = evidence > 0 ? graph.edge(evidence - 1).year : 0;
  result.evidence_year = std::min(result.year, last_citing + 1);
  result.cited.resize(documents);
  result.citance_length.assign(documents, 0.0F);
  result.venue_citations.assign(columns.venues(), 0.0F);
  const std::span<const float> lengths = citances.lengths();
  for (std::uint32_t e = 0; e < evidence; ++e) {
    const graph::Edge& edge = graph.edge(e);
    if (edge.cited.value >= documents || graph.is_self_citation(edge)) continue;
    CitedCounts& counts = result.cited[edge.cited.value];
    ++counts.citing;
    counts.must += edge.mentions >= 3 ? 1 : 0;
    counts.experiments += edge.exp_mentions > 0 ? 1 : 0;
    counts.recent += edge.year >= result.evidence_year - 2 ? 1 : 0;
    result.citance_length[edge.cited.value] += lengths[e];
    result.venue_citations[columns.venue(edge.cited)] += 1.0F;
  }
  double total = 0;
  std::size_t known = 0;
  for (const float length : result.citance_length) {
    total += length;
    known += length > 0 ? 1 : 0;
  }
  if (known > 0) result.mean_citance_length = static_cast<float>(total / static_cast<double>(known));
  return result;
}

}  // namespace mustcite::rank
