#include "engine/model/model_config.hpp"

#include <array>

#include "core/base/ascii.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/json_fields.hpp"

namespace mustcite::model {
namespace {

struct ActivationName {
  std::string_view name;
  Activation activation;
};

/// The first name of an activation is the one that messages show.
constexpr std::array<ActivationName, 13> kActivations{{{"gelu", Activation::gelu},
                                                       {"gelu_python", Activation::gelu},
                                                       {"gelu_tanh", Activation::gelu_tanh},
                                                       {"gelu_new", Activation::gelu_tanh},
                                                       {"gelu_pytorch_tanh", Activation::gelu_tanh},
                                                       {"gelu_fast", Activation::gelu_tanh},
                                                       {"relu", Activation::relu},
                                                       {"silu", Activation::silu},
                                                       {"swish", Activation::silu},
                                                       {"tanh", Activation::tanh},
                                                       {"identity", Activation::identity},
                                                       {"linear", Activation::identity},
                                                       {"none", Activation::identity}}};

// Far above every encoder of this family, low enough that no product of two of them overflows.
constexpr std::int64_t kMostWide = 65536;
constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostVocabulary = 10000000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of a config.json

std::int64_t size_field(const Json& json, const char* name, std::int64_t most, std::string_view where) {
  const std::int64_t value = integer_field(json, name, 0, where);
  if (value < 1 || value > most) {
    fail(ErrorCode::invalid_input, "cannot use the model of {}: its {} is {}, and 1 to {} can be computed",
         where, name, value, most);
  }
  return value;
}

void refuse_variants(const Json& json, const ModelConfig& config, std::string_view where) {
  const auto refuse = [&](std::string_view what) {
    fail(ErrorCode::invalid_input,
         "cannot use the model of {}: it has {}, and only BERT encoders with absolute positions are "
         "computed",
         where, what);
  };
  const std::string positions = text_field(json, "position_embedding_type", "absolute", where);
  if (positions != "absolute") refuse(fmt::format("positions of the kind '{}'", positions));
  if (flag_field(json, "is_decoder", false, where)) refuse("a decoder");
  if (flag_field(json, "add_cross_attention", false, where)) refuse("cross-attention");
  if (config.hidden_size % config.heads != 0)
    refuse(
        fmt::format("a hidden size of {} that its {} heads do not divide", config.hidden_size, config.heads));
}

}  // namespace

std::string_view name_of(Activation activation) noexcept {
  for (const ActivationName& known : kActivations) {
    if (known.activation == activation) return known.name;
  }
  return "?";
}

Activation parse_activation(std::string_view name, std::string_view where) {
  // sentence-transformers writes the class: torch.nn.modules.activation.Tanh,
  // torch.nn.modules.linear.Identity.
  std::string plain = ascii_lower(name);
  if (plain.starts_with("torch.nn.")) plain = plain.substr(plain.rfind('.') + 1);
  for (const ActivationName& known : kActivations) {
    if (known.name == plain) return known.activation;
  }
  fail(ErrorCode::invalid_input,
       "cannot use the model of {}: its activation '{}' is not computed; known ones are gelu, "
       "gelu_new, relu, silu and tanh",
       where, name);
}

ModelConfig parse_model_config(std::string_view text, std::string_view where) {
  const Json json = parse_object(text, where);
  ModelConfig config;
  config.model_type = text_field(json, "model_type", "", where);
  if (const auto names = json.find("architectures");
      names != json.end() && names->is_array() && !names->empty() && names->front().is_string()) {
    config.architecture = names->front().get<std::string>();
  }
  // Configs older than `model_type` say it by their architecture, or not at all.
  if (config.model_type.empty() && (config.architecture.empty() || config.architecture.starts_with("Bert")))
    config.model_type = "bert";
  if (config.model_type != "bert") {
    fail(ErrorCode::invalid_input,
         "cannot use the model of {}: its architecture is '{}', and only BERT encoders (model_type "
         "bert) are computed",
         where, config.model_type.empty() ? config.architecture : config.model_type);
  }
  config.vocab_size = size_field(json, "vocab_size", kMostVocabulary, where);
  config.hidden_size = size_field(json, "hidden_size", kMostWide, where);
  config.layers = size_field(json, "num_hidden_layers", kMostLayers, where);
  config.heads = size_field(json, "num_attention_heads", kMostWide, where);
  config.intermediate_size = size_field(json, "intermediate_size", kMostWide, where);
  config.positions = size_field(json, "max_position_embeddings", kMostVocabulary, where);
  config.token_types = size_field(json, "type_vocab_size", kMostWide, where);
  config.pad_token = integer_field(json, "pad_token_id", 0, where);
  config.activation = parse_activation(text_field(json, "hidden_act", "gelu", where), where);
  config.norm_eps = number_field(json, "layer_norm_eps", 1e-12, where);
  config.hidden_dropout = number_field(json, "hidden_dropout_prob", 0.1, where);
  config.attention_dropout = number_field(json, "attention_probs_dropout_prob", 0.1, where);
  config.initializer_range = number_field(json, "initializer_range", 0.02, where);
  refuse_variants(json, config, where);
  return config;
}

ModelConfig read_model_config(const std::filesystem::path& folder) {
  const auto path = folder / "config.json";
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) {
    fail(ErrorCode::not_found,
         "there is no model in {}: it has no config.json; `mustcite model pull` fetches models",
         folder.string());
  }
  return parse_model_config(io::read_file(path, kMostBytes), path.string());
}

}  // namespace mustcite::model
