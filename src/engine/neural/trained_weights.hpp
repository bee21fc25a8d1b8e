#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/neural/adamw.hpp"
#include "engine/neural/bert.hpp"

/// What learners of encoders share: which weights learn, how many there are, their checkpoints, whether a
/// loss is one.
namespace mustcite::neural {

/// The weights that learn, sharing their numbers: of the uppermost `trained_layers` layers and of all that
/// stands on top of them; 0: all.
[[nodiscard]] std::vector<Parameter> trained_parameters(Weights& weights, std::size_t trained_layers);

/// Numbers that learn.
[[nodiscard]] std::uint64_t numbers_of(const AdamW& optimiser);
/// All numbers of an encoder.
[[nodiscard]] std::uint64_t numbers_of(Weights weights);

/// The value of a loss. Throws invalid_input, naming the step, when it is no number.
[[nodiscard]] double value_of(const at::Tensor& loss, std::uint64_t step);

/// Weights and moments of a training, to the bit.
void save_checkpoint(const AdamW& optimiser, const std::filesystem::path& file);
/// Throws corrupt when the file is not of this model and these options.
void load_checkpoint(AdamW& optimiser, const std::filesystem::path& file);

}  // namespace mustcite::neural
