#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/neural/adamw.hpp"
#include "engine/neural/bert.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::neural {

/// The weights of a network that starts from nothing, under their names: how they are drawn, their optimiser,
/// their files. Tensors given out share their numbers with it. Not thread-safe.
class Parameters {
 public:
  /// Draws with LibTorch's default generator, which it seeds.
  explicit Parameters(std::uint64_t seed);

  /// Glorot's uniform: within sqrt(6 / (in + out)).
  at::Tensor uniform(const std::string& name, std::int64_t out, std::int64_t in);
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation);
  at::Tensor constant(const std::string& name, at::IntArrayRef shape, double value);
  /// NAME.weight and NAME.bias (zeros).
  Linear linear(const std::string& name, std::int64_t in, std::int64_t out);
  /// A linear layer without a bias.
  Linear matrix(const std::string& name, std::int64_t in, std::int64_t out);
  Norm norm(const std::string& name, std::int64_t width);
  /// A weight that something else holds and that learns with these.
  void adopt(const std::string& name, const at::Tensor& value);
  /// Numbers that are kept with the weights and never trained.
  at::Tensor fixed(const std::string& name, at::Tensor value);

  /// Trained and fixed numbers.
  [[nodiscard]] std::uint64_t size() const;

  /// The weights learn from now on.
  void learn(const AdamWOptions& options);
  /// Only after `learn`.
  [[nodiscard]] AdamW& optimiser();

  /// Trained weights with their moments, to the bit; fixed numbers are left out. Several networks share a
  /// file by prefixes of their own.
  void add_state(TensorList& list, const std::string& prefix = {}) const;
  void save_state(const std::filesystem::path& file) const;
  /// Throws corrupt when the file is not of this network.
  void load_state(const std::filesystem::path& file, const std::string& prefix = {});
  /// All numbers without moments, as `.safetensors`.
  void save_weights(const std::filesystem::path& file) const;
  /// Throws corrupt when a weight is missing or of another shape.
  void load_weights(const std::filesystem::path& file);

 private:
  at::Tensor add(const std::string& name, at::Tensor value);

  std::vector<std::pair<std::string, at::Tensor>> trained_;
  std::vector<std::pair<std::string, at::Tensor>> fixed_;
  std::optional<AdamW> optimiser_;
};

}  // namespace mustcite::neural
