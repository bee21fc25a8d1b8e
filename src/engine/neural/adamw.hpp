#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/neural/torch.hpp"

namespace mustcite::neural {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
  std::size_t threads = 0;  ///< 0: all cores; the result does not depend on it
};

/// A weight that training changes, with its moments.
struct Parameter {
  std::string name;
  at::Tensor value;   ///< float32, requires a gradient
  at::Tensor first;   ///< moving mean of gradients
  at::Tensor second;  ///< moving mean of their squares
};

/// AdamW as PyTorch computes it. Weights of fewer than two dimensions (biases, norms) do not decay.
class AdamW {
 public:
  AdamW(std::vector<Parameter> parameters, const AdamWOptions& options);

  /// The L2 norm of all gradients together; scales them down to `most` when it is larger (0: never).
  double clip(double most);
  /// One step with the gradients at hand, which are forgotten afterwards.
  void step(double rate);
  void forget_gradients();

  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  void set_steps(std::int64_t steps) noexcept { steps_ = steps; }
  [[nodiscard]] std::vector<Parameter>& parameters() noexcept { return parameters_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }

 private:
  /// Some numbers of a weight.
  struct Part {
    std::size_t parameter = 0, begin = 0, count = 0;
  };
  /// Of each weight; null where there is none.
  [[nodiscard]] std::vector<const float*> gradients();

  std::vector<Parameter> parameters_;
  std::vector<Part> parts_;
  AdamWOptions options_;
  std::int64_t steps_ = 0;
};

}  // namespace mustcite::neural
