#include "engine/gnn/trained_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/base/error.hpp"
#include "engine/model/tensor_file.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  fail(ErrorCode::corrupt, "cannot use the weights in {}: {}; train the model anew", file.string(), why);
}

void restore(const model::TensorFile& state, const fs::path& file, const std::string& name,
             const at::Tensor& into) {
  const auto* tensor = state.find(name);
  if (tensor == nullptr) refuse(file, "it has no " + name);
  if (tensor->dtype != model::DType::f32 || at::IntArrayRef(tensor->shape) != into.sizes())
    refuse(file, name + " is of another shape");
  std::memcpy(into.data_ptr<float>(), tensor->bytes.data(), tensor->bytes.size());
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
  for (const auto& parameter : adamw_.parameters()) {
    list.add("weight/" + parameter.name, parameter.value);
    list.add("first/" + parameter.name, parameter.first);
    list.add("second/" + parameter.name, parameter.second);
  }
  list.add("steps", at::full({1}, adamw_.steps(), at::kLong));
  list.write(file, {{"format", "pt"}});
}

void TrainedWeights::load_state(const fs::path& file) {
  const auto state = model::TensorFile::open(file);
  const auto* steps = state.find("steps");
  if (steps == nullptr || steps->dtype != model::DType::i64 || steps->elements() != 1)
    refuse(file, "it has no steps");
  const at::NoGradGuard without_gradients;
  for (const auto& parameter : adamw_.parameters()) {
    restore(state, file, "weight/" + parameter.name, parameter.value);
    restore(state, file, "first/" + parameter.name, parameter.first);
    restore(state, file, "second/" + parameter.name, parameter.second);
  }
  std::int64_t count = 0;
  std::memcpy(&count, steps->bytes.data(), sizeof count);
  adamw_.set_steps(count);
}

void TrainedWeights::write(const fs::path& file) const {
  neural::TensorList list;
  for (const auto& parameter : adamw_.parameters()) list.add(parameter.name, parameter.value);
  list.write(file, {{"format", "pt"}});
}

void TrainedWeights::read(const fs::path& file) {
  const auto state = model::TensorFile::open(file);
  const at::NoGradGuard without_gradients;
  for (const auto& parameter : adamw_.parameters()) restore(state, file, parameter.name, parameter.value);
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
