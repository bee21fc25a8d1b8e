#include "engine/neural/adamw_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace mustcite::neural {

void Refusal::operator()(const std::string& why) const {
  fail(ErrorCode::corrupt, "{}", fmt::format(fmt::runtime(message), file.string(), why));
}

void restore(const model::TensorFile& state, const std::string& name, const at::Tensor& into,
             const Refusal& refuse) {
  const auto* tensor = state.find(name);
  if (tensor == nullptr) refuse("it has no " + name);
  if (tensor->dtype != model::DType::f32 || at::IntArrayRef(tensor->shape) != into.sizes()) {
    refuse(name + " is of another shape");
  }
  std::copy_n(tensor->bytes.data(), tensor->bytes.size(),
              reinterpret_cast<std::byte*>(into.data_ptr<float>()));
}

void add_state(TensorList& list, const AdamW& adamw, const std::string& prefix) {
  for (const auto& parameter : adamw.parameters()) {
    list.add(prefix + "weight/" + parameter.name, parameter.value);
    list.add(prefix + "first/" + parameter.name, parameter.first);
    list.add(prefix + "second/" + parameter.name, parameter.second);
  }
  list.add(prefix + "steps", at::full({1}, adamw.steps(), at::kLong));
}

void load_state(AdamW& adamw, const Refusal& refuse, const std::string& prefix) {
  const auto state = model::TensorFile::open(refuse.file);
  const auto* steps = state.find(prefix + "steps");
  if (steps == nullptr || steps->dtype != model::DType::i64 || steps->elements() != 1)
    refuse("it has no " + prefix + "steps");
  const at::NoGradGuard without_gradients;
  for (const auto& parameter : adamw.parameters()) {
    restore(state, prefix + "weight/" + parameter.name, parameter.value, refuse);
    restore(state, prefix + "first/" + parameter.name, parameter.first, refuse);
    restore(state, prefix + "second/" + parameter.name, parameter.second, refuse);
  }
  std::int64_t count = 0;
  std::copy_n(steps->bytes.data(), sizeof count, reinterpret_cast<std::byte*>(&count));
  adamw.set_steps(count);
}

}  // namespace mustcite::neural
