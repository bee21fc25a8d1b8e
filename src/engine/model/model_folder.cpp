#include "engine/model/model_folder.hpp"

#include <array>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/folder_digest.hpp"
#include "engine/model/json_fields.hpp"
#include "engine/model/late_model.hpp"
#include "engine/model/tensor_file.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;

struct PoolingName {
  std::string_view name;
  std::string_view flag;  ///< in sentence-transformers' pooling config
  Pooling pooling;
};

constexpr std::array<PoolingName, 3> kPoolings{{{"cls", "pooling_mode_cls_token", Pooling::cls},
                                                {"mean", "pooling_mode_mean_tokens", Pooling::mean},
                                                {"max", "pooling_mode_max_tokens", Pooling::max}}};

constexpr std::size_t kMostModules = 16;

[[noreturn]] void refuse(const fs::path& folder, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the model in {}: {}", folder.string(), why);
}

Pooling read_pooling(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  const Json json = read_object(path);
  std::optional<Pooling> found;
  for (const auto& [name, value] : json.items()) {
    if (!name.starts_with("pooling_mode_") || !value.is_boolean() || !value.get<bool>()) continue;
    if (found) refuse(folder, "it joins several ways of pooling, and one is computed");
    for (const PoolingName& known : kPoolings) {
      if (known.flag == name) found = known.pooling;
    }
    if (!found)
      refuse(folder, fmt::format("its pooling '{}' is not computed; cls, mean and max are", name.substr(13)));
  }
  // Newer folders name it in one field.
  if (!found) found = parse_pooling(text_field(json, "pooling_mode", "mean", path.string()), path.string());
  return *found;
}

DenseLayer read_dense(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  const std::string where = path.string();
  const Json json = read_object(path);
  DenseLayer layer;
  layer.folder = folder;
  layer.in = integer_field(json, "in_features", 0, where);
  layer.out = integer_field(json, "out_features", 0, where);
  constexpr std::int64_t kMost = 65536;
  if (layer.in < 1 || layer.out < 1 || layer.in > kMost || layer.out > kMost)
    refuse(folder, "its dense layer has no sizes that can be computed");
  layer.bias = flag_field(json, "bias", true, where);
  layer.activation = parse_activation(text_field(json, "activation_function", "tanh", where), where);
  if (flag_field(json, "use_residual", false, where))
    refuse(folder, "its dense layer adds what entered it, which is not computed");
  if (!weights_of(folder))
    fail(ErrorCode::not_found, "there are no weights of the dense layer in {}: fetch the model again",
         folder.string());
  return layer;
}

/// A folder inside the model, as modules.json gives it: nothing that leads outside.
fs::path inner_folder(const fs::path& folder, const std::string& path) {
  const fs::path inner(path);
  for (const fs::path& part : inner) {
    if (part == "..") refuse(folder, "its modules.json leads outside the folder");
  }
  if (inner.is_absolute()) refuse(folder, "its modules.json leads outside the folder");
  return path.empty() ? folder : folder / inner;
}

/// Reads sentence-transformers' modules.json: a transformer, then pooling, dense layers, normalisation. With `tokens`
/// dense layers come before any pooling.
void read_modules(const fs::path& path, bool tokens, ModelFolder& model) {
  const Json modules = Json::parse(io::read_file(path, std::size_t{1} << 20), nullptr, false);
  if (!modules.is_array() || modules.empty() || modules.size() > kMostModules)
    refuse(model.folder, "its modules.json is no list of modules");
  bool pooled = false;
  for (const Json& module : modules) {
    if (!module.is_object()) refuse(model.folder, "its modules.json is no list of modules");
    const std::string type = text_field(module, "type", "", path.string());
    const std::string kind = type.substr(type.rfind('.') + 1);
    const fs::path inner = inner_folder(model.folder, text_field(module, "path", "", path.string()));
    const bool first = &module == &modules.front();
    if (first != (kind == "Transformer"))
      refuse(model.folder, "its modules.json does not begin with a transformer");
    if (kind == "Transformer") {
      model.transformer = inner;
    } else if (kind == "Pooling" && !pooled) {
      model.pooling = read_pooling(inner);
      pooled = true;
    } else if (kind == "Dense" && pooled != tokens && !model.normalise) {
      model.dense.push_back(read_dense(inner));
    } else if (kind == "Dense" && !pooled) {
      refuse(model.folder, "it makes vectors of tokens, not one of each text");
    } else if (kind == "Normalize" && pooled) {
      model.normalise = true;
    } else {
      refuse(model.folder, fmt::format("its module '{}' is not computed here", type));
    }
  }
}

/// The largest number of tokens that sentence-transformers, the tokenizer and the positions agree on.
std::size_t read_max_length(const ModelFolder& model) {
  std::int64_t length = model.config.positions;
  const auto shorten = [&](const fs::path& path, const char* field) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return;
    const Json json = read_object(path);
    // tokenizer_config.json says 1e30 for "no limit".
    const double told = number_field(json, field, 0, path.string());
    if (told >= 1 && told < static_cast<double>(length)) length = static_cast<std::int64_t>(told);
  };
  shorten(model.transformer / "tokenizer_config.json", "model_max_length");
  shorten(model.transformer / "sentence_bert_config.json", "max_seq_length");
  return static_cast<std::size_t>(length);
}

void read_prompts(const fs::path& path, ModelFolder& model) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return;
  const Json json = read_object(path);
  const auto prompts = json.find("prompts");
  if (prompts == json.end() || !prompts->is_object()) return;
  for (const auto& [name, text] : prompts->items()) {
    if (text.is_string()) model.prompts[name] = text.get<std::string>();
  }
}

std::int64_t bottleneck_of(const Json& config, std::int64_t hidden, const fs::path& folder) {
  const auto factor = config.find("reduction_factor");
  if (factor == config.end() || !factor->is_number())
    refuse(folder, "its adapter has no single reduction factor");
  const double width = static_cast<double>(hidden) / factor->get<double>();
  if (!(width >= 1) || width > static_cast<double>(hidden) * 64)
    refuse(folder, "its adapter's reduction factor cannot be");
  return static_cast<std::int64_t>(width);
}

/// Reads adapter_config.json as the adapters library writes it.
Adapter read_adapter(const fs::path& folder, const ModelConfig& model) {
  const fs::path path = folder / "adapter_config.json";
  const std::string where = path.string();
  std::error_code none;
  if (!fs::is_regular_file(path, none))
    fail(ErrorCode::not_found, "there is no adapter in {}: it has no adapter_config.json", folder.string());
  const Json json = read_object(path);
  const auto inner = json.find("config");
  if (inner == json.end() || !inner->is_object())
    refuse(folder, "its adapter is no bottleneck adapter of AdapterHub");
  const Json& config = *inner;
  for (const char* unknown :
       {"mh_adapter", "cross_adapter", "ln_before", "ln_after", "use_gating", "phm_layer", "is_parallel"}) {
    if (flag_field(config, unknown, false, where))
      refuse(folder, fmt::format("its adapter has '{}', which is not computed", unknown));
  }
  if (!flag_field(config, "output_adapter", true, where))
    refuse(folder, "its adapter is not behind the feed-forward part");
  for (const char* unknown : {"inv_adapter", "leave_out"}) {
    const auto found = config.find(unknown);
    if (found != config.end() && !found->is_null() && !(found->is_array() && found->empty()))
      refuse(folder, fmt::format("its adapter has '{}', which is not computed", unknown));
  }
  if (integer_field(json, "hidden_size", model.hidden_size, where) != model.hidden_size)
    refuse(folder,
           fmt::format("its adapter is made for another hidden size than the model's {}", model.hidden_size));
  Adapter adapter;
  adapter.folder = folder;
  adapter.name = text_field(json, "name", "", where);
  if (adapter.name.empty()) refuse(folder, "its adapter has no name");
  adapter.bottleneck = bottleneck_of(config, model.hidden_size, folder);
  adapter.activation = parse_activation(text_field(config, "non_linearity", "relu", where), where);
  adapter.scaling = number_field(config, "scaling", 1, where);
  adapter.original_norm_before = flag_field(config, "original_ln_before", true, where);
  adapter.original_norm_after = flag_field(config, "original_ln_after", true, where);
  adapter.residual_before_norm = flag_field(config, "residual_before_ln", true, where);
  return adapter;
}

void check_dense(const ModelFolder& model) {
  std::int64_t width = model.config.hidden_size;
  for (const DenseLayer& layer : model.dense) {
    if (layer.in != width) {
      refuse(layer.folder, fmt::format("its dense layer takes {} numbers and gets {}", layer.in, width));
    }
    width = layer.out;
  }
}

}  // namespace

std::string_view name_of(Pooling pooling) noexcept {
  for (const PoolingName& known : kPoolings) {
    if (known.pooling == pooling) return known.name;
  }
  return "?";
}

Pooling parse_pooling(std::string_view name, std::string_view where) {
  for (const PoolingName& known : kPoolings) {
    if (known.name == name) return known.pooling;
  }
  fail(ErrorCode::invalid_input, "cannot use {}: its pooling '{}' is not computed; use cls, mean or max",
       where, name);
}

fs::path adapter_weights(const Adapter& adapter) {
  std::error_code none;
  for (const char* name : {"adapter.safetensors", "pytorch_adapter.bin"}) {
    if (fs::is_regular_file(adapter.folder / name, none)) return adapter.folder / name;
  }
  if (const auto found = weights_of(adapter.folder)) return *found;
  fail(ErrorCode::not_found,
       "there are no weights of the adapter in {}: neither pytorch_adapter.bin nor adapter.safetensors; "
       "fetch it again",
       adapter.folder.string());
}

namespace {

ModelFolder resolve(const fs::path& folder, const FolderOptions& options, bool tokens) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) {
    fail(ErrorCode::not_found,
         "there is no model folder {}: `mustcite model list` shows those there are, `mustcite model pull` "
         "fetches others",
         folder.string());
  }
  ModelFolder model;
  model.folder = model.transformer = folder;
  if (fs::is_regular_file(folder / "modules.json", none)) read_modules(folder / "modules.json", tokens, model);
  model.config = read_model_config(model.transformer);
  check_dense(model);
  if (!fs::is_regular_file(model.transformer / "tokenizer.json", none) &&
      !fs::is_regular_file(model.transformer / "vocab.txt", none)) {
    fail(ErrorCode::not_found,
         "there is no vocabulary in {}: neither tokenizer.json nor vocab.txt; fetch the model again",
         model.transformer.string());
  }
  if (!weights_of(model.transformer)) {
    fail(ErrorCode::not_found,
         "there are no weights in {}: neither model.safetensors nor pytorch_model.bin; fetch the model "
         "again",
         model.transformer.string());
  }
  model.max_length = read_max_length(model);
  read_prompts(folder / "config_sentence_transformers.json", model);
  if (options.pooling) model.pooling = *options.pooling;
  if (options.normalise) model.normalise = *options.normalise;
  if (options.max_length) {
    if (*options.max_length < 3 || *options.max_length > static_cast<std::size_t>(model.config.positions)) {
      refuse(folder, fmt::format("a length of {} is asked for, and 3 to {} tokens can be",
                                 *options.max_length, model.config.positions));
    }
    model.max_length = *options.max_length;
  }
  if (options.adapter) model.adapter = read_adapter(*options.adapter, model.config);
  model.digest = folder_digest(model);
  return model;
}

}  // namespace

ModelFolder resolve_model(const fs::path& folder, const FolderOptions& options) {
  return resolve(folder, options, /*tokens=*/false);
}

ModelFolder resolve_token_folder(const fs::path& folder) {
  return resolve(folder, {}, /*tokens=*/true);
}

}  // namespace mustcite::model
