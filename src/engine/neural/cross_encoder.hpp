#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/neural/bert.hpp"

/// Training of models that read two texts at once. Their scores are vectors of one number: see
/// engine/model/cross_encoder.hpp.
namespace mustcite::neural {

/// Scores [pairs] in groups, the cited document of each group first.
///
/// Mean over all pairs of the cross-entropy of sigmoid(score) against cited or not:
/// log(1 + exp(score)) - score * cited.
[[nodiscard]] at::Tensor pair_logistic(const at::Tensor& scores, std::span<const std::uint32_t> group_sizes);

/// Mean over groups of -log softmax of the cited document's score among the group's.
[[nodiscard]] at::Tensor pair_softmax(const at::Tensor& scores, std::span<const std::uint32_t> group_sizes);

/// Writes the model into `folder` (which exists) as transformers' BertForSequenceClassification, with the
/// base's vocabulary. Heads without a pooler are ours alone: config.json names them.
void write_cross_encoder(const model::ModelFolder& base, const Weights& weights,
                         const std::filesystem::path& folder);

}  // namespace mustcite::neural
