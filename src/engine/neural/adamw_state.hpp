#pragma once

#include <filesystem>
#include <string>

#include "engine/model/tensor_file.hpp"
#include "engine/neural/adamw.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::neural {

/// How a file that does not fit is refused.
struct Refusal {
  std::filesystem::path file;
  /// With a place `{}` for the file and one for the reason.
  const char* message = nullptr;

  /// Throws corrupt.
  [[noreturn]] void operator()(const std::string& why) const;
};

/// Copies a float32 tensor of a file into one of the same shape.
void restore(const model::TensorFile& state, const std::string& name, const at::Tensor& into,
             const Refusal& refuse);

/// Weights, moments and steps, to the bit. Several optimisers share a file by prefixes of their own.
void add_state(TensorList& list, const AdamW& adamw, const std::string& prefix = {});
/// What `add_state` wrote, from the refusal's file.
void load_state(AdamW& adamw, const Refusal& refuse, const std::string& prefix = {});

}  // namespace mustcite::neural
