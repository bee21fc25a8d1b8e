#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/ids.hpp"
#include "engine/graph/citation_graph.hpp"
#include "engine/rank/citance_index.hpp"
#include "engine/rank/columns.hpp"

namespace mustcite::rank {

/// How often a document is cited.
struct CitedCounts {
  std::uint32_t citing = 0;       ///< papers that cite it
  std::uint32_t must = 0;         ///< three mentions or more
  std::uint32_t experiments = 0;  ///< mentioned in their experiments
  std::uint32_t recent = 0;       ///< in the two newest years
};

/// Counts over documents [0, documents) and evidence [0, evidence): what is known at a date.
struct Statistics {
  std::uint32_t documents = 0;
  std::uint32_t evidence = 0;
  int cutoff_year = 0;  ///< as asked; 0: none
  int year = 0;  ///< age is counted from here: the cutoff's year, else the year after the newest document
  int evidence_year = 0;               ///< citations of this year less two and later are recent
  std::vector<CitedCounts> cited;      ///< per document
  std::vector<float> citance_length;   ///< per document: weighted terms said about it
  float mean_citance_length = 1;       ///< over documents about which something is said
  std::vector<float> venue_documents;  ///< per venue: documents
  std::vector<float> venue_citations;  ///< per venue: citations of its documents
};

[[nodiscard]] Statistics statistics_of(const graph::CitationGraph& graph, const CitanceIndex& citances,
                                       const Columns& columns, std::uint32_t documents,
                                       std::uint32_t evidence, const std::optional<Date>& cutoff);

}  // namespace mustcite::rank
