#pragma once

#include <filesystem>
#include <memory>

#include "engine/model/late_model.hpp"
#include "engine/neural/bert.hpp"
#include "engine/train/learner.hpp"

namespace mustcite::neural {

/// A learner of late interaction: MaxSim over token vectors in the losses, the projection trained with the
/// encoder. `options.late` is there. A model without a projection gets one: the directions in which the first
/// texts' states are longest, so that it begins near to the model without any.
[[nodiscard]] std::unique_ptr<train::Learner> make_late_learner(const model::ModelFolder& folder,
                                                                const train::LearnerOptions& options);

/// Writes a late-interaction model as PyLate saves it: the encoder's folder, `1_Dense` with the projection,
/// and how texts are read. `folder` exists.
void write_late_model(const model::LateModel& model, const Weights& weights,
                      const std::filesystem::path& folder);

}  // namespace mustcite::neural
