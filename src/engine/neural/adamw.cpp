#include "engine/neural/adamw.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"
#include "engine/neural/adamw_loops.hpp"

namespace mustcite::neural {
namespace {

/// Numbers that a thread takes at a time.
constexpr std::size_t kPart = std::size_t{1} << 18;

}  // namespace

AdamW::AdamW(std::vector<Parameter> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& parameter = parameters_[i];
    parameter.value.requires_grad_(true);
    parameter.first = at::zeros_like(parameter.value, at::TensorOptions().requires_grad(false));
    parameter.second = at::zeros_like(parameter.value, at::TensorOptions().requires_grad(false));
    const auto count = static_cast<std::size_t>(parameter.value.numel());
    for (std::size_t begin = 0; begin < count; begin += kPart)
      parts_.push_back({i, begin, std::min(kPart, count - begin)});
  }
}

std::vector<const float*> AdamW::gradients() {
  std::vector<const float*> all;
  for (auto& parameter : parameters_) {
    auto& gradient = parameter.value.mutable_grad();
    if (gradient.defined()) gradient = gradient.contiguous();
    all.push_back(gradient.defined() ? gradient.data_ptr<float>() : nullptr);
  }
  return all;
}

double AdamW::clip(double most) {
  const at::NoGradGuard without_gradients;
  const auto all = gradients();
  std::vector<double> squares(parts_.size());
  parallel_for(parts_.size(), options_.threads, [&](std::size_t i, std::size_t) {
    const Part& part = parts_[i];
    const float* gradient = all[part.parameter];
    squares[i] = gradient == nullptr ? 0 : sum_of_squares(gradient + part.begin, part.count);
  });
  double sum = 0;
  for (const double one : squares) sum += one;
  const double length = std::sqrt(sum);
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
  AdamWFactors factors;
  factors.beta1 = static_cast<float>(options_.beta1);
  factors.beta2 = static_cast<float>(options_.beta2);
  factors.rate = static_cast<float>(rate / correction1);
  factors.spread = static_cast<float>(1 / std::sqrt(correction2));
  factors.eps = static_cast<float>(options_.eps);
  const auto all = gradients();
  parallel_for(parts_.size(), options_.threads, [&](std::size_t i, std::size_t) {
    const Part& part = parts_[i];
    Parameter& parameter = parameters_[part.parameter];
    const float* gradient = all[part.parameter];
    if (gradient == nullptr) return;
    AdamWFactors own = factors;
    if (parameter.value.dim() > 1) own.keep = static_cast<float>(1 - rate * options_.weight_decay);
    adamw_step(own, part.count, gradient + part.begin, parameter.value.data_ptr<float>() + part.begin,
               parameter.first.data_ptr<float>() + part.begin,
               parameter.second.data_ptr<float>() + part.begin);
  });
  forget_gradients();
}

void AdamW::forget_gradients() {
  for (auto& parameter : parameters_) parameter.value.mutable_grad() = at::Tensor();
}

}  // namespace mustcite::neural
