#include "engine/model/bert_tensors.hpp"

#include "core/base/error.hpp"

namespace mustcite::model {
namespace {

using Shape = std::vector<std::int64_t>;

[[nodiscard]] bool is_floating(DType type) noexcept {
  return type == DType::f32 || type == DType::f16 || type == DType::bf16 || type == DType::f64;
}

/// Looks tensors up in a file and keeps those that fit.
class Collector {
 public:
  explicit Collector(const TensorFile& file) : file_(file) {}

  /// Keeps the tensor `in_file` as `name`; norms may call their weight and bias gamma and beta.
  void require(const std::string& in_file, const std::string& name, const Shape& shape) {
    const Tensor* tensor = file_.find(in_file);
    if (tensor == nullptr) tensor = file_.find(old_name(in_file));
    if (tensor == nullptr) {
      fail(ErrorCode::invalid_input,
           "cannot use the weights in {}: the tensor '{}' is missing; they are of another model than its "
           "config.json says",
           where(), in_file);
    }
    if (tensor->shape != shape) {
      fail(ErrorCode::invalid_input,
           "cannot use the weights in {}: the tensor '{}' has the shape {}, and the config says {}; "
           "they are of another model",
           where(), in_file, shape_text(tensor->shape), shape_text(shape));
    }
    if (!is_floating(tensor->dtype)) {
      fail(ErrorCode::invalid_input,
           "cannot use the weights in {}: the tensor '{}' holds {}, not floating numbers", where(), in_file,
           name_of(tensor->dtype));
    }
    Tensor kept = *tensor;
    kept.name = name;
    tensors_.emplace(name, std::move(kept));
  }

  [[nodiscard]] const TensorFile& file() const { return file_; }
  [[nodiscard]] NamedTensors take() { return std::move(tensors_); }

 private:
  [[nodiscard]] std::string where() const { return file_.files().front().string(); }

  static std::string old_name(const std::string& name) {
    if (name.ends_with("LayerNorm.weight")) return name.substr(0, name.size() - 6) + "gamma";
    if (name.ends_with("LayerNorm.bias")) return name.substr(0, name.size() - 4) + "beta";
    return name;
  }

  const TensorFile& file_;
  NamedTensors tensors_;
};

/// What stands before `embeddings.word_embeddings.weight`: nothing for a bare model, `bert.` for one with a
/// head, `0.auto_model.` and the like for saved pipelines.
std::string prefix_of(const TensorFile& file) {
  constexpr std::string_view kFirst = "embeddings.word_embeddings.weight";
  for (const Tensor& tensor : file.tensors()) {
    if (!tensor.name.ends_with(kFirst)) continue;
    const std::string prefix = tensor.name.substr(0, tensor.name.size() - kFirst.size());
    if (prefix.empty() || prefix.ends_with('.')) return prefix;
  }
  return "";
}

}  // namespace

NamedTensors bert_tensors(const TensorFile& file, const ModelConfig& config) {
  const std::string prefix = prefix_of(file);
  const std::int64_t wide = config.hidden_size;
  Collector collector(file);
  const auto add = [&](const std::string& name, const Shape& shape) {
    collector.require(prefix + name, name, shape);
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {wide});
    add(name + ".bias", {wide});
  };
  add("embeddings.word_embeddings.weight", {config.vocab_size, wide});
  add("embeddings.position_embeddings.weight", {config.positions, wide});
  add("embeddings.token_type_embeddings.weight", {config.token_types, wide});
  norm("embeddings.LayerNorm");
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = fmt::format("encoder.layer.{}.", i);
    for (const char* part : {"query", "key", "value"}) linear(layer + "attention.self." + part, wide, wide);
    linear(layer + "attention.output.dense", wide, wide);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", config.intermediate_size, wide);
    linear(layer + "output.dense", wide, config.intermediate_size);
    norm(layer + "output.LayerNorm");
  }
  if (file.find(prefix + "pooler.dense.weight") != nullptr) linear("pooler.dense", wide, wide);
  return collector.take();
}

NamedTensors adapter_tensors(const TensorFile& file, const Adapter& adapter, const ModelConfig& config) {
  const std::string marker = fmt::format("output.adapters.{}.", adapter.name);
  std::string prefix;  // before `encoder.layer.0.`
  for (const Tensor& tensor : file.tensors()) {
    const std::size_t at = tensor.name.find("encoder.layer.0." + marker);
    if (at != std::string::npos) prefix = tensor.name.substr(0, at);
  }
  Collector collector(file);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string in_file = fmt::format("{}encoder.layer.{}.{}", prefix, i, marker);
    const std::string name = fmt::format("layer.{}.", i);
    collector.require(in_file + "adapter_down.0.weight", name + "down.weight",
                      {adapter.bottleneck, config.hidden_size});
    collector.require(in_file + "adapter_down.0.bias", name + "down.bias", {adapter.bottleneck});
    collector.require(in_file + "adapter_up.weight", name + "up.weight",
                      {config.hidden_size, adapter.bottleneck});
    collector.require(in_file + "adapter_up.bias", name + "up.bias", {config.hidden_size});
  }
  return collector.take();
}

void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config) {
  if (tokenizer.vocab_size() > static_cast<std::size_t>(config.vocab_size)) {
    fail(ErrorCode::invalid_input,
         "the vocabulary has {} tokens and the model {}: they do not belong together; fetch the model again",
         tokenizer.vocab_size(), config.vocab_size);
  }
}

NamedTensors dense_tensors(const TensorFile& file, const DenseLayer& layer) {
  Collector collector(file);
  collector.require(layer.tensor + ".weight", "weight", {layer.out, layer.in});
  if (layer.bias) collector.require(layer.tensor + ".bias", "bias", {layer.out});
  return collector.take();
}

}  // namespace mustcite::model
