#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/neural/adamw.hpp"

namespace mustcite::gnn {

/// Named weights with the moments of their training.
class TrainedWeights {
 public:
  TrainedWeights() : adamw_({}, {}) {}
  TrainedWeights(std::vector<neural::Parameter> parameters, const neural::AdamWOptions& options)
      : adamw_(std::move(parameters), options) {
    for (const auto& parameter : adamw_.parameters()) by_name_[parameter.name] = parameter.value;
  }

  [[nodiscard]] const at::Tensor& operator[](const std::string& name) const { return by_name_.at(name); }
  [[nodiscard]] std::uint64_t count() const;
  /// One step with the gradients at hand, of length `clip` at most.
  void step(double rate, double clip = 1);

  /// Weights, moments and steps, to the bit.
  void save_state(const std::filesystem::path& file) const;
  /// Throws corrupt when the file holds other weights.
  void load_state(const std::filesystem::path& file);
  /// The weights alone, as safetensors.
  void write(const std::filesystem::path& file) const;
  /// What `write` wrote. Throws corrupt when the file holds other weights.
  void read(const std::filesystem::path& file);

 private:
  neural::AdamW adamw_;
  std::map<std::string, at::Tensor> by_name_;
};

/// Random numbers of a seed alone, whatever was drawn before: weights as Glorot draws them.
[[nodiscard]] at::Tensor glorot(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

}  // namespace mustcite::gnn
