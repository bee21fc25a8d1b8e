#include "engine/neural/batch_loss.hpp"

#include <algorithm>

#include "engine/neural/losses.hpp"

namespace mustcite::neural {
namespace {

at::Tensor flags(const std::vector<std::uint8_t>& values, const at::Tensor& like) {
  auto tensor = at::empty(like.sizes(), at::kBool);
  std::copy(values.begin(), values.end(), tensor.data_ptr<bool>());
  return tensor;
}

}  // namespace

at::Tensor nt_xent_of_batch(const at::Tensor& scores, const train::Batch& batch,
                            const train::LearnerOptions& options) {
  at::Tensor offsets;
  if (options.frequency > 0) {
    offsets = at::empty({scores.size(1)});
    std::copy(batch.log_chances.begin(), batch.log_chances.end(), offsets.data_ptr<float>());
    offsets *= options.frequency;
  }
  return nt_xent_of_scores(scores, flags(batch.positive, scores), flags(batch.ignored, scores), offsets);
}

}  // namespace mustcite::neural
