#pragma once

#include <span>
#include <vector>

#include "engine/baseline/world.hpp"
#include "engine/neural/torch.hpp"

namespace mustcite::topics {

/// Papers and what stands around them in the citation network.
struct NeighbourSample {
  std::vector<DocId> papers;           ///< those that have a neighbour
  std::vector<DocId> members;          ///< of each paper itself and its neighbours, one after another
  std::vector<std::int64_t> paper_of;  ///< of each member, its place in `papers`
};

/// At most `most` cited and citing papers of each, drawn by the seed from those as of the date.
/// Self-citations and citing papers that are no documents are no neighbours.
[[nodiscard]] NeighbourSample sample_neighbours(const graph::CitationGraph& graph,
                                                std::span<const DocId> papers, const baseline::AsOf& as_of,
                                                std::size_t most, std::uint64_t seed);

/// The mean over each paper's members: x [members, width] to [papers, width].
[[nodiscard]] at::Tensor mean_of(const at::Tensor& x, const NeighbourSample& sample);

/// Text vectors of rows [0, documents), [documents, features].
[[nodiscard]] at::Tensor document_features(const baseline::TextVectors& vectors, std::uint32_t documents);
[[nodiscard]] at::Tensor text_features(const baseline::TextVectors& vectors,
                                       std::span<const dense::TextParts> texts);

}  // namespace mustcite::topics
