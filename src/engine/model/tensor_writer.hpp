#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "engine/model/tensor_file.hpp"

namespace mustcite::model {

/// Writes the tensors, in the order given, as a `.safetensors` file, atomically. `metadata` goes into the
/// header's
/// `__metadata__`. The same tensors give the same bytes. Throws exhausted or unavailable when the disk says
/// no.
void write_safetensors(const std::filesystem::path& path, std::span<const Tensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace mustcite::model
