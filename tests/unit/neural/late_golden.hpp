#pragma once

#include <cstring>
#include <string>

#include "unit/neural/golden.hpp"

namespace mustcite::test {

/// What PyTorch computed of late interaction: scripts/make-late-fixtures.py.
class LateGolden {
 public:
  LateGolden() : file_(model::TensorFile::open(fixture("late.safetensors"))) {}

  [[nodiscard]] at::Tensor operator[](const std::string& name) const {
    const auto* tensor = file_.find(name);
    if (tensor == nullptr) throw std::runtime_error("no golden tensor " + name);
    auto result = at::empty(tensor->shape, tensor->dtype == model::DType::u8 ? at::kByte : at::kFloat);
    std::memcpy(result.data_ptr(), tensor->bytes.data(), tensor->bytes.size());
    return result;
  }

 private:
  model::TensorFile file_;
};

}  // namespace mustcite::test
