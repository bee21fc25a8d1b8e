#pragma once

#include <cstdint>
#include <vector>

#include "engine/neural/torch.hpp"

namespace mustcite::neural {

/// Token vectors of queries and documents one below the other, [vectors, dimensions], and where each text
/// begins.
struct TokenTable {
  at::Tensor vectors;
  std::vector<std::int64_t> queries;    ///< first vector of each query, and the end of the last one
  std::vector<std::int64_t> documents;  ///< the same of the documents

  [[nodiscard]] std::size_t query_count() const noexcept { return queries.size() - 1; }
  [[nodiscard]] std::size_t document_count() const noexcept { return documents.size() - 1; }
};

/// Late interaction of every query with every document.
struct Interaction {
  at::Tensor scores;  ///< [queries, documents]: MaxSim
  /// Of each vector of the queries and each document the vector of the document that was nearest; the first
  /// of equals.
  std::vector<std::int32_t> nearest;
};

/// The sum over a query's vectors of the largest product with one of the document's; 0 for a document without
/// vectors. No gradients flow through it: `interaction_gradient` gives them.
[[nodiscard]] Interaction interact(const TokenTable& table, std::size_t threads);

/// The gradient of a loss by the vectors, [vectors, dimensions], from its gradient by the scores. Sums run in
/// a fixed order: the same on any number of threads.
[[nodiscard]] at::Tensor interaction_gradient(const TokenTable& table, const Interaction& interaction,
                                              const at::Tensor& of_scores, std::size_t threads);

}  // namespace mustcite::neural
