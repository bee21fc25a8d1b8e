#pragma once

#include "engine/neural/torch.hpp"
#include "engine/train/learner.hpp"

namespace mustcite::neural {

/// NT-Xent of a batch from its scores [queries, documents] (already over the temperature), with the batch's
/// positives, with what is no negative in it and, where the options ask for it, with its documents' chances.
[[nodiscard]] at::Tensor nt_xent_of_batch(const at::Tensor& scores, const train::Batch& batch,
                                          const train::LearnerOptions& options);

}  // namespace mustcite::neural
