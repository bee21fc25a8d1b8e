#include "engine/gnn/epoch.hpp"

#include "core/base/threads.hpp"

namespace mustcite::gnn {

double one_epoch(std::span<const baseline::Example> examples, const baseline::Recipe::Training& training,
                 std::size_t number, TrainedWeights& weights,
                 const std::function<at::Tensor(const Batch&, std::uint64_t)>& loss_of, Progress& progress) {
  double total = 0;
  std::size_t count = 0;
  for (const auto& batch : batches_by_year(examples, training.batch, training.seed, number)) {
    stop_if_interrupted();
    const std::uint64_t key = (training.seed * 1000003 + number) * 1000003 + count++;
    const auto loss = loss_of(batch, key);
    total += loss.item<double>();
    loss.backward();
    weights.step(training.rate);
    progress.advance(batch.size());
  }
  return total / static_cast<double>(count);
}

}  // namespace mustcite::gnn
