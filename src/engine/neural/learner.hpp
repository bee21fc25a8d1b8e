#pragma once

#include <memory>

#include "engine/model/model_folder.hpp"
#include "engine/train/learner.hpp"

namespace mustcite::neural {

[[nodiscard]] std::unique_ptr<train::Learner> make_learner(const model::ModelFolder& folder,
                                                           const train::LearnerOptions& options);

}  // namespace mustcite::neural
