#pragma once

#include <span>
#include <vector>

#include "engine/baseline/ranker.hpp"
#include "engine/baseline/world.hpp"
#include "engine/neural/torch.hpp"

namespace mustcite::gnn {

/// Text vectors of documents [0, documents): [documents, dimensions].
[[nodiscard]] at::Tensor document_features(const baseline::TextVectors& vectors, std::uint32_t documents);
/// Those of training queries.
[[nodiscard]] at::Tensor query_features(const baseline::Data& data,
                                        std::span<const baseline::Example> examples);
/// Those of requests.
[[nodiscard]] at::Tensor query_features(const baseline::TextVectors& vectors,
                                        std::span<const baseline::Request> requests);
/// The features that a trained model was made with. Throws corrupt when the index has others now.
[[nodiscard]] std::unique_ptr<baseline::TextVectors> features_of(const baseline::Card& card,
                                                                 const baseline::World& world);

/// Queries of one date that are learnt from together: places in the examples.
using Batch = std::vector<std::size_t>;
/// The examples in batches of at most `size` (0: all of a year), none of two years, in an order that seed and
/// epoch decide.
[[nodiscard]] std::vector<Batch> batches_by_year(std::span<const baseline::Example> examples,
                                                 std::size_t size, std::uint64_t seed, std::uint64_t epoch);

/// The documents of a batch, and which belong to which query.
struct BatchDocuments {
  std::vector<DocId> documents;  ///< different ones, in the order drawn
  /// [queries, documents] row-major: the grade of a positive, else 0.
  std::vector<float> related;
  /// 1 where the document is older than the query and not cited by it, else 0.
  std::vector<float> unrelated;
};
/// The training examples, each with up to a hundred papers that bm25 ranks high and that it does not cite.
[[nodiscard]] std::vector<baseline::Example> with_hard_negatives(const baseline::Data& data);

/// Draws up to `positives` of each query's positives and `negatives` random older documents (hard ones first,
/// where the example has such: then `hard` of them).
struct DrawOptions {
  std::size_t positives = 6;
  std::size_t negatives = 4;
  std::size_t hard = 0;
};
[[nodiscard]] BatchDocuments draw_documents(std::span<const baseline::Example> examples, const Batch& batch,
                                            const DrawOptions& options, std::uint64_t key);

/// The matrix as a tensor [rows, columns].
[[nodiscard]] at::Tensor matrix(const std::vector<float>& values, std::size_t rows);

}  // namespace mustcite::gnn
