#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mustcite::model {

enum class Activation {
  gelu,       ///< x * Phi(x), by the error function
  gelu_tanh,  ///< the approximation by tanh: gelu_new, gelu_pytorch_tanh, gelu_fast
  relu,
  silu,
  tanh,
  identity
};

[[nodiscard]] std::string_view name_of(Activation activation) noexcept;

/// Shape of a BERT-family encoder: token, position and type embeddings with a norm, then layers of
/// self-attention and feed-forward, each followed by residual and norm (post-LN), absolute positions.
struct ModelConfig {
  std::string model_type;    ///< "bert"
  std::string architecture;  ///< first of `architectures`, e.g. "BertModel"; may be empty
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t positions = 0;    ///< max_position_embeddings
  std::int64_t token_types = 0;  ///< type_vocab_size
  std::int64_t pad_token = 0;
  Activation activation = Activation::gelu;
  double norm_eps = 1e-12;
  double hidden_dropout = 0.1;
  double attention_dropout = 0.1;
  double initializer_range = 0.02;
};

/// Reads `config.json`. Throws not_found without one, invalid_input for broken JSON, an architecture or a
/// variant that is not read (naming it), and sizes that cannot be.
[[nodiscard]] ModelConfig read_model_config(const std::filesystem::path& folder);

/// The same from the text of a config.json; `where` names it in messages.
[[nodiscard]] ModelConfig parse_model_config(std::string_view json, std::string_view where);

/// The activation that a config calls so ("gelu", "gelu_new", "torch.nn.modules.activation.Tanh", …). Throws
/// invalid_input for others.
[[nodiscard]] Activation parse_activation(std::string_view name, std::string_view where);

}  // namespace mustcite::model
