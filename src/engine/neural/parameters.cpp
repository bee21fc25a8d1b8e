#include "engine/neural/parameters.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "engine/neural/adamw_state.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;

Refusal refusal(const fs::path& file) {
  return {file, "cannot take the weights of {}: {}; remove it and train again"};
}

}  // namespace

Parameters::Parameters(std::uint64_t seed) {
  at::manual_seed(seed);
}

at::Tensor Parameters::add(const std::string& name, at::Tensor value) {
  trained_.emplace_back(name, value);
  return value;
}

at::Tensor Parameters::uniform(const std::string& name, std::int64_t out, std::int64_t in) {
  const double bound = std::sqrt(6.0 / static_cast<double>(in + out));
  return add(name, at::empty({out, in}).uniform_(-bound, bound));
}

at::Tensor Parameters::normal(const std::string& name, at::IntArrayRef shape, double deviation) {
  return add(name, at::randn(shape).mul_(deviation));
}

at::Tensor Parameters::constant(const std::string& name, at::IntArrayRef shape, double value) {
  return add(name, at::full(shape, value, at::kFloat));
}

Linear Parameters::linear(const std::string& name, std::int64_t in, std::int64_t out) {
  auto weight = uniform(name + ".weight", out, in);
  return {weight, constant(name + ".bias", {out}, 0)};
}

Linear Parameters::matrix(const std::string& name, std::int64_t in, std::int64_t out) {
  return {uniform(name + ".weight", out, in), {}};
}

Norm Parameters::norm(const std::string& name, std::int64_t width) {
  auto weight = constant(name + ".weight", {width}, 1);
  return {weight, constant(name + ".bias", {width}, 0)};
}

void Parameters::adopt(const std::string& name, const at::Tensor& value) {
  trained_.emplace_back(name, value);
}

at::Tensor Parameters::fixed(const std::string& name, at::Tensor value) {
  fixed_.emplace_back(name, value.to(at::kFloat).contiguous());
  return fixed_.back().second;
}

std::uint64_t Parameters::size() const {
  std::uint64_t count = 0;
  for (const auto& [name, value] : trained_) count += static_cast<std::uint64_t>(value.numel());
  for (const auto& [name, value] : fixed_) count += static_cast<std::uint64_t>(value.numel());
  return count;
}

void Parameters::learn(const AdamWOptions& options) {
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : trained_) parameters.push_back({name, value, {}, {}});
  optimiser_.emplace(std::move(parameters), options);
}

AdamW& Parameters::optimiser() {
  if (!optimiser_) fail(ErrorCode::internal, "a network is to learn that was opened to answer");
  return *optimiser_;
}

void Parameters::add_state(TensorList& list, const std::string& prefix) const {
  if (!optimiser_) fail(ErrorCode::internal, "a network that does not learn has no state to save");
  neural::add_state(list, *optimiser_, prefix);
}

void Parameters::save_state(const fs::path& file) const {
  TensorList list;
  add_state(list);
  list.write(file, {{"format", "pt"}});
}

void Parameters::load_state(const fs::path& file, const std::string& prefix) {
  neural::load_state(optimiser(), refusal(file), prefix);
}

void Parameters::save_weights(const fs::path& file) const {
  TensorList list;
  for (const auto& [name, value] : trained_) list.add(name, value.detach());
  for (const auto& [name, value] : fixed_) list.add(name, value);
  list.write(file, {{"format", "pt"}});
}

void Parameters::load_weights(const fs::path& file) {
  const auto weights = model::TensorFile::open(file);
  const at::NoGradGuard without_gradients;
  for (const auto& [name, value] : trained_) restore(weights, name, value, refusal(file));
  for (const auto& [name, value] : fixed_) restore(weights, name, value, refusal(file));
}

}  // namespace mustcite::neural
