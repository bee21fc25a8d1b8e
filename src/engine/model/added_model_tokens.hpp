#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/model/model_folder.hpp"

namespace mustcite::model {

/// Writes a copy of a model that knows more special tokens ("[TS]"): each is added to the vocabulary and gets
/// a row of the word embeddings, drawn from a normal distribution with the deviation that the config names
/// (`initializer_range`, 0.02 without one), by the seed. Tokens that the model knows already are left alone.
/// The folder is published with one rename; the same model, tokens and seed give the same bytes.
/// Throws invalid_input for a model with an adapter, and where vocabulary and config disagree.
void add_model_tokens(const ModelFolder& base, std::span<const std::string> tokens, std::uint64_t seed,
                      const std::filesystem::path& out);

/// Whether the model's vocabulary lacks one of them.
[[nodiscard]] bool lacks_tokens(const ModelFolder& base, std::span<const std::string> tokens);

}  // namespace mustcite::model
