#include "engine/gnn/trained_weights.hpp"

#include <cmath>
#include <random>

#include "engine/neural/adamw_state.hpp"

namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;

neural::Refusal refusal(const fs::path& file) {
  return {file, "cannot use the weights in {}: {}; train the model anew"};
}

}  // namespace

std::uint64_t TrainedWeights::count() const {
  std::uint64_t count = 0;
  for (const auto& parameter : adamw_.parameters())
    count += static_cast<std::uint64_t>(parameter.value.numel());
  return count;
}

void TrainedWeights::step(double rate, double clip) {
  adamw_.clip(clip);
  adamw_.step(rate);
}

void TrainedWeights::save_state(const fs::path& file) const {
  neural::TensorList list;
  neural::add_state(list, adamw_);
  list.write(file, {{"format", "pt"}});
}

void TrainedWeights::load_state(const fs::path& file) {
  neural::load_state(adamw_, refusal(file));
}

void TrainedWeights::write(const fs::path& file) const {
  neural::TensorList list;
  for (const auto& parameter : adamw_.parameters()) list.add(parameter.name, parameter.value);
  list.write(file, {{"format", "pt"}});
}

void TrainedWeights::read(const fs::path& file) {
  const auto state = model::TensorFile::open(file);
  const at::NoGradGuard without_gradients;
  for (const auto& parameter : adamw_.parameters())
    neural::restore(state, parameter.name, parameter.value, refusal(file));
}

at::Tensor glorot(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  auto weights = at::empty({rows, columns}, at::kFloat);
  float* to = weights.data_ptr<float>();
  for (std::int64_t i = 0; i < rows * columns; ++i)
    to[i] = static_cast<float>(bound * (2 * static_cast<double>(random() >> 11) * 0x1.0p-53 - 1));
  return weights;
}

}  // namespace mustcite::gnn
