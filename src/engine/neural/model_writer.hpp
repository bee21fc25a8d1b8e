#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/model/tensor_file.hpp"
#include "engine/neural/bert.hpp"

namespace mustcite::neural {

/// Tensors on their way into a file; keeps them alive until then.
class TensorList {
 public:
  void add(const std::string& name, const at::Tensor& tensor);
  void write(const std::filesystem::path& file, const std::map<std::string, std::string>& metadata) const;

 private:
  std::deque<at::Tensor> kept_;
  std::vector<model::Tensor> tensors_;
};

/// Writes the model into `folder` (which exists) as Hugging Face folders are: the base's config, vocabulary
/// and sentence-transformers files as they are, the weights given as `model.safetensors`.
void write_model(const model::ModelFolder& base, const Weights& weights, const std::filesystem::path& folder);

}  // namespace mustcite::neural
