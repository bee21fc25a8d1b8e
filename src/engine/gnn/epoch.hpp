#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/progress.hpp"
#include "engine/baseline/recipe.hpp"
#include "engine/gnn/features.hpp"
#include "engine/gnn/trained_weights.hpp"

namespace mustcite::gnn {

/// A step for every batch of `batches_by_year`. `loss_of` is given a number of its own for each step, which
/// seeds what it draws. Returns the mean loss. Throws when interrupted.
double one_epoch(std::span<const baseline::Example> examples, const baseline::Recipe::Training& training,
                 std::size_t number, TrainedWeights& weights,
                 const std::function<at::Tensor(const Batch&, std::uint64_t)>& loss_of, Progress& progress);

}  // namespace mustcite::gnn
