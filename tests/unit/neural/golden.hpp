#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/model/model_folder.hpp"
#include "engine/model/tokenizer.hpp"
#include "engine/neural/torch.hpp"
#include "testing/torch_values.hpp"

/// What PyTorch computed: scripts/make-neural-fixtures.py.
namespace mustcite::test {

inline std::string fixture(const std::string& name) {
  return MUSTCITE_SOURCE_DIR "/tests/unit/neural/fixtures/" + name;
}

class Golden : public TorchValues {
 public:
  explicit Golden(const std::string& name = "golden.safetensors") : TorchValues(fixture(name)) {}

  /// The texts of the golden batch as encodings.
  [[nodiscard]] std::vector<model::Encoding> encodings() const {
    const auto ids = (*this)["ids"];
    const auto types = (*this)["types"];
    const auto lengths = (*this)["lengths"];
    std::vector<model::Encoding> all(static_cast<std::size_t>(ids.size(0)));
    for (std::int64_t i = 0; i < ids.size(0); ++i) {
      for (std::int64_t t = 0; t < lengths[i].item<std::int64_t>(); ++t) {
        all[static_cast<std::size_t>(i)].ids.push_back(ids[i][t].item<std::int32_t>());
        all[static_cast<std::size_t>(i)].types.push_back(types[i][t].item<std::int32_t>());
      }
    }
    return all;
  }
};

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs().max().item<double>();
}

inline std::vector<const model::Encoding*> pointers(const std::vector<model::Encoding>& encodings) {
  std::vector<const model::Encoding*> all;
  for (const auto& one : encodings) all.push_back(&one);
  return all;
}

inline model::ModelFolder tiny(model::Pooling pooling, const model::FolderOptions& more = {}) {
  model::FolderOptions options = more;
  options.pooling = pooling;
  return model::resolve_model(fixture("tiny-bert"), options);
}

}  // namespace mustcite::test
