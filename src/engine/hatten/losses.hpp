#pragma once

#include "engine/baseline/batches.hpp"
#include "engine/neural/torch.hpp"

namespace mustcite::hatten {

/// Triplet margin loss over all triplets of a batch. similarity [queries, documents], levels of the same
/// shape (numbers of `baseline::Level`). With s the similarity, each query, each positive p and each negative
/// n give
///
///   max(0, s(n) - s(p) + margin * steps),  steps: 1 for a hard negative, 3 for an easy one
///
/// (the further from right, the wider the gap). The mean over the triplets that are above 0; 0 without any.
[[nodiscard]] at::Tensor margin_loss(const at::Tensor& similarity, const at::Tensor& levels, double margin);

/// Cosines of rows: [queries, documents].
[[nodiscard]] at::Tensor cosines(const at::Tensor& queries, const at::Tensor& documents);

}  // namespace mustcite::hatten
