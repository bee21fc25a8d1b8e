#include "engine/neural/trained_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "engine/neural/adamw_state.hpp"

namespace mustcite::neural {
namespace {

bool trained(const std::string& name, std::size_t layers, std::size_t trained_layers) {
  if (trained_layers == 0 || name.starts_with("dense.")) return true;
  for (std::size_t i = layers - std::min(layers, trained_layers); i < layers; ++i) {
    if (name.starts_with("encoder.layer." + std::to_string(i) + ".")) return true;
    if (name.starts_with("adapter.layer." + std::to_string(i) + ".")) return true;
  }
  return false;
}

}  // namespace

std::vector<Parameter> trained_parameters(Weights& weights, std::size_t trained_layers) {
  std::vector<Parameter> parameters;
  for (auto& [name, tensor] : weights.named()) {
    if (trained(name, weights.layers.size(), trained_layers)) parameters.push_back({name, *tensor, {}, {}});
  }
  return parameters;
}

std::uint64_t numbers_of(const AdamW& optimiser) {
  std::uint64_t count = 0;
  for (const auto& parameter : optimiser.parameters())
    count += static_cast<std::uint64_t>(parameter.value.numel());
  return count;
}

std::uint64_t numbers_of(Weights weights) {
  std::uint64_t count = 0;
  for (const auto& [name, tensor] : weights.named()) count += static_cast<std::uint64_t>(tensor->numel());
  return count;
}

double value_of(const at::Tensor& loss, std::uint64_t step) {
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    fail(ErrorCode::invalid_input, "training came to a loss of {} at step {}: lower the learning rate", value,
         step);
  }
  return value;
}

void save_checkpoint(const AdamW& optimiser, const std::filesystem::path& file) {
  TensorList list;
  add_state(list, optimiser);
  list.write(file, {{"format", "pt"}});
}

void load_checkpoint(AdamW& optimiser, const std::filesystem::path& file) {
  load_state(optimiser, {file, "cannot go on from the checkpoint {}: {}; remove it to start anew"});
}

}  // namespace mustcite::neural
