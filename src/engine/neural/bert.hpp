#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/bert_tensors.hpp"
#include "engine/model/tokenizer.hpp"
#include "engine/neural/torch.hpp"

namespace mustcite::neural {

struct Linear {
  at::Tensor weight;  ///< [out, in]
  at::Tensor bias;    ///< [out]; undefined: none
};

struct Norm {
  at::Tensor weight;
  at::Tensor bias;
};

struct AdapterWeights {
  Linear down;
  Linear up;
};

struct Layer {
  Linear query, key, value;
  Linear attention_output;
  Norm attention_norm;
  Linear up;    ///< hidden to intermediate
  Linear down;  ///< intermediate to hidden
  Norm output_norm;
  std::optional<AdapterWeights> adapter;
};

struct DenseWeights {
  Linear linear;
  model::Activation activation = model::Activation::tanh;
};

/// Weights of a model folder as LibTorch tensors, float32. Copies share the tensors.
struct Weights {
  at::Tensor words, positions, types;  ///< embedding tables
  Norm embedding_norm;
  std::vector<Layer> layers;
  std::vector<DenseWeights> dense;

  /// Every tensor under the name that a Hugging Face file gives it (adapters and dense layers under
  /// `adapter.` and `dense.N.`), in a fixed order.
  [[nodiscard]] std::vector<std::pair<std::string, at::Tensor*>> named();
};

/// A copy that no training changes.
[[nodiscard]] Weights frozen(Weights weights);

/// Reads the weights that the folder resolves to. Throws invalid_input where they do not fit the config.
[[nodiscard]] Weights load_weights(const model::ModelFolder& folder);

/// Token ids of texts of one batch, padded to the longest: [batch, time].
struct TokenBatch {
  at::Tensor ids;
  at::Tensor types;
  at::Tensor lengths;  ///< [batch]
};

[[nodiscard]] TokenBatch make_batch(std::span<const model::Encoding* const> texts, std::int64_t pad);

struct ForwardOptions {
  /// Matrix products in bfloat16, everything else in float32 (training in mixed precision).
  bool mixed = false;
  /// Dropout as the config asks; drawn from LibTorch's default generator.
  bool dropout = false;
};

/// The plain forward pass, padded, made of ordinary operators: gradients flow through it, and the packed
/// encoder is tested against it.
class Bert {
 public:
  Bert(const model::ModelFolder& folder, Weights weights);

  /// States after the embeddings and after each layer, [batch, time, hidden]; those of padding mean nothing.
  [[nodiscard]] std::vector<at::Tensor> hidden_states(const TokenBatch& batch,
                                                      const ForwardOptions& options = {}) const;
  /// One vector a text, [batch, dimensions]: pooled, through the dense layers, normalised as the folder says.
  [[nodiscard]] at::Tensor vectors(const TokenBatch& batch, const ForwardOptions& options = {}) const;

  /// The vectors of states [tokens, hidden] that lie one text behind the other without padding.
  [[nodiscard]] at::Tensor vectors_of(const at::Tensor& states,
                                      std::span<const model::Encoding* const> texts) const;

  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] Weights& weights() noexcept { return weights_; }
  [[nodiscard]] const model::ModelFolder& folder() const noexcept { return folder_; }

 private:
  [[nodiscard]] at::Tensor embed(const TokenBatch& batch, const ForwardOptions& options) const;
  [[nodiscard]] at::Tensor attention(const Layer& layer, const at::Tensor& x, const at::Tensor& mask,
                                     const ForwardOptions& options) const;
  [[nodiscard]] at::Tensor feed_forward(const Layer& layer, const at::Tensor& x,
                                        const ForwardOptions& options) const;
  [[nodiscard]] at::Tensor layer(const Layer& layer, const at::Tensor& x, const at::Tensor& mask,
                                 const ForwardOptions& options) const;
  [[nodiscard]] at::Tensor norm(const Norm& norm, const at::Tensor& x) const;
  /// Pooled states through the dense layers, normalised.
  [[nodiscard]] at::Tensor finish(at::Tensor x) const;

  model::ModelFolder folder_;
  Weights weights_;
};

[[nodiscard]] at::Tensor activate(model::Activation activation, const at::Tensor& x);
[[nodiscard]] at::Tensor apply(const Linear& linear, const at::Tensor& x, bool mixed);

}  // namespace mustcite::neural
