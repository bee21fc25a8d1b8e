#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "engine/model/tensor_file.hpp"
#include "engine/neural/torch.hpp"

namespace mustcite::test {

/// Tensors of a fixture that PyTorch made.
class TorchValues {
 public:
  explicit TorchValues(const std::filesystem::path& file) : file_(model::TensorFile::open(file)) {}

  [[nodiscard]] at::Tensor operator[](const std::string& name) const {
    const auto* tensor = file_.find(name);
    if (tensor == nullptr) throw std::runtime_error("no golden tensor " + name);
    const auto type = tensor->dtype == model::DType::i64  ? at::kLong
                      : tensor->dtype == model::DType::u8 ? at::kByte
                                                          : at::kFloat;
    auto result = at::empty(tensor->shape, type);
    std::memcpy(result.data_ptr(), tensor->bytes.data(), tensor->bytes.size());
    return result;
  }
  /// A copy that gradients are gathered for.
  [[nodiscard]] at::Tensor leaf(const std::string& name) const { return (*this)[name].requires_grad_(true); }

 private:
  model::TensorFile file_;
};

inline double apart(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return 1e9;
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs().max().item<double>();
}

/// The largest difference between a gradient by central differences and the one at hand, over at most `most`
/// entries of `values`, which `f` depends on. Relative to the largest gradient.
inline double gradient_error(const std::function<at::Tensor()>& f, const at::Tensor& values,
                             std::int64_t most = 20, double width = 1e-2) {
  values.mutable_grad() = at::Tensor();
  f().backward();
  const auto gradient = values.grad().clone().flatten();
  const auto largest = gradient.abs().max().item<double>();
  const at::NoGradGuard without_gradients;
  auto flat = values.data().flatten();  // shares the numbers: leaves are contiguous
  double worst = 0;
  for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(1, flat.numel() / most)) {
    const float before = flat[i].item<float>();
    flat[i] = before + width;
    const double high = f().item<double>();
    flat[i] = before - width;
    const double low = f().item<double>();
    flat[i] = before;
    worst = std::max(worst, std::abs((high - low) / (2 * width) - gradient[i].item<double>()));
  }
  // A bias that softmax cancels has no gradient: what float32 leaves of it is compared with a fixed size.
  return worst / std::max(largest, 0.05);
}

}  // namespace mustcite::test
