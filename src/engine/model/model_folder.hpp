#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model_config.hpp"

namespace mustcite::model {

/// How the states of a text's tokens become one vector.
enum class Pooling {
  cls,   ///< the state of the first token
  mean,  ///< the mean over all tokens, [CLS] and [SEP] included
  max    ///< the maximum of each dimension over all tokens
};

[[nodiscard]] std::string_view name_of(Pooling pooling) noexcept;
/// "cls", "mean" or "max". Throws invalid_input.
[[nodiscard]] Pooling parse_pooling(std::string_view name, std::string_view where);

/// A linear layer after pooling (sentence-transformers' Dense): activation(weight * x + bias).
struct DenseLayer {
  std::filesystem::path folder;  ///< where its weights lie
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool bias = true;
  Activation activation = Activation::tanh;
  std::string tensor = "linear";  ///< its weights are `<tensor>.weight` and `<tensor>.bias` there
  /// The layer lies in no file: it is drawn by this seed.
  std::optional<std::uint64_t> fresh;
};

/// A bottleneck adapter after the feed-forward part of every layer (AdapterHub's arrangement, which SPECTER2
/// uses). With x what entered the feed-forward part, f what its second matrix gives, and norm the layer's own
/// output norm:
///
///   h      = norm(f + x) when `original_norm_before`, else f
///   r      = f when `residual_before_norm`, else h
///   a      = scaling * up(activation(down(h))) + r
///   output = norm(a + x) when `original_norm_after`, else a
struct Adapter {
  std::filesystem::path folder;
  std::string name;  ///< as in the names of its tensors, e.g. "[PRX]"
  std::int64_t bottleneck = 0;
  Activation activation = Activation::relu;
  double scaling = 1;
  bool original_norm_before = true;
  bool original_norm_after = true;
  bool residual_before_norm = true;
};

/// The file with the adapter's weights: `pytorch_adapter.bin`, or what `weights_of` finds. Throws not_found.
[[nodiscard]] std::filesystem::path adapter_weights(const Adapter& adapter);

/// A model folder as the ecosystem ships it, resolved: what is computed, in which order, from which files.
struct ModelFolder {
  std::filesystem::path folder;       ///< as given
  std::filesystem::path transformer;  ///< with config.json, weights and vocabulary; often the same
  ModelConfig config;
  std::optional<Adapter> adapter;
  Pooling pooling = Pooling::mean;
  std::vector<DenseLayer> dense;  ///< applied in order after pooling
  bool normalise = false;         ///< vectors are made unit length at the end
  std::size_t max_length = 512;   ///< tokens of a text with its special ones; longer texts are cut
  std::map<std::string, std::string> prompts;  ///< by name ("query", "document"): put before each text
  /// SHA-256 over everything that decides a vector: config, vocabulary, weights, adapter, dense layers,
  /// pooling, normalisation and length. Vectors of different digests are never compared.
  std::string digest;

  /// Numbers of a text's vector.
  [[nodiscard]] std::size_t dimensions() const noexcept {
    return static_cast<std::size_t>(dense.empty() ? config.hidden_size : dense.back().out);
  }
};

/// What replaces the folder's own word on it.
struct FolderOptions {
  std::optional<Pooling> pooling;
  std::optional<bool> normalise;
  std::optional<std::size_t> max_length;
  std::optional<std::filesystem::path> adapter;  ///< folder with adapter_config.json and its weights
};

/// Resolves a plain Hugging Face folder (config.json; mean pooling unless told otherwise) or a
/// sentence-transformers one (modules.json). Reads every weight once for the digest, which is kept beside the
/// model (`.mustcite-digest`) while sizes and times of the files stay the same. Throws not_found for what is
/// missing (folder, config, vocabulary, weights), invalid_input for what cannot be computed, naming it.
[[nodiscard]] ModelFolder resolve_model(const std::filesystem::path& folder,
                                        const FolderOptions& options = {});

}  // namespace mustcite::model
