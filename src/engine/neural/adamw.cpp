#include "engine/neural/adamw.hpp"

#include <cmath>

namespace mustcite::neural {

AdamW::AdamW(std::vector<Parameter> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (auto& parameter : parameters_) {
    parameter.value.requires_grad_(true);
    parameter.first = at::zeros_like(parameter.value, at::TensorOptions().requires_grad(false));
    parameter.second = at::zeros_like(parameter.value, at::TensorOptions().requires_grad(false));
  }
}

double AdamW::clip(double most) {
  const at::NoGradGuard without_gradients;
  double squares = 0;
  for (const auto& parameter : parameters_) {
    const auto& gradient = parameter.value.grad();
    if (gradient.defined()) squares += gradient.square().sum(at::kDouble).item<double>();
  }
  const double length = std::sqrt(squares);
  if (most > 0 && length > most) {
    for (const auto& parameter : parameters_) {
      if (parameter.value.grad().defined()) parameter.value.grad().mul_(most / (length + 1e-6));
    }
  }
  return length;
}

void AdamW::step(double rate) {
  const at::NoGradGuard without_gradients;
  ++steps_;
  const double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(steps_));
  for (auto& parameter : parameters_) {
    const auto gradient = parameter.value.grad();
    if (!gradient.defined()) continue;
    if (options_.weight_decay > 0 && parameter.value.dim() > 1)
      parameter.value.mul_(1 - rate * options_.weight_decay);
    parameter.first.mul_(options_.beta1).add_(gradient, 1 - options_.beta1);
    parameter.second.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const auto spread = (parameter.second.sqrt() / std::sqrt(correction2)).add_(options_.eps);
    parameter.value.addcdiv_(parameter.first, spread, -rate / correction1);
  }
  forget_gradients();
}

void AdamW::forget_gradients() {
  for (auto& parameter : parameters_) parameter.value.mutable_grad() = at::Tensor();
}

}  // namespace mustcite::neural
