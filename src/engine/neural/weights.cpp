#include <cstring>

#include "engine/neural/bert.hpp"

namespace mustcite::neural {
namespace {

at::Tensor to_tensor(const model::Tensor& source) {
  const auto tensor = at::empty(source.shape, at::kFloat);
  const auto values = model::to_float32(source);
  std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
  return tensor;
}

/// Looks tensors up by name below a prefix; their presence and shapes were checked when they were read.
class Reader {
 public:
  explicit Reader(model::NamedTensors tensors) : tensors_(std::move(tensors)) {}

  [[nodiscard]] at::Tensor tensor(const std::string& name) const { return to_tensor(tensors_.at(name)); }
  [[nodiscard]] Linear linear(const std::string& name) const {
    Linear result{tensor(name + ".weight"), {}};
    if (tensors_.contains(name + ".bias")) result.bias = tensor(name + ".bias");
    return result;
  }
  [[nodiscard]] Norm norm(const std::string& name) const {
    return {tensor(name + ".weight"), tensor(name + ".bias")};
  }

 private:
  model::NamedTensors tensors_;
};

Layer read_layer(const Reader& reader, const std::string& name) {
  Layer layer;
  layer.query = reader.linear(name + ".attention.self.query");
  layer.key = reader.linear(name + ".attention.self.key");
  layer.value = reader.linear(name + ".attention.self.value");
  layer.attention_output = reader.linear(name + ".attention.output.dense");
  layer.attention_norm = reader.norm(name + ".attention.output.LayerNorm");
  layer.up = reader.linear(name + ".intermediate.dense");
  layer.down = reader.linear(name + ".output.dense");
  layer.output_norm = reader.norm(name + ".output.LayerNorm");
  return layer;
}

/// A layer as BERT's heads begin: normal weights, no bias.
Linear fresh_linear(const model::DenseLayer& layer, double spread) {
  at::manual_seed(*layer.fresh);
  return {at::randn({layer.out, layer.in}) * spread, at::zeros({layer.out})};
}

}  // namespace

Weights load_weights(const model::ModelFolder& folder) {
  const auto file = model::TensorFile::open(folder.transformer);
  const Reader reader(model::bert_tensors(file, folder.config));
  Weights weights;
  weights.words = reader.tensor("embeddings.word_embeddings.weight");
  weights.positions = reader.tensor("embeddings.position_embeddings.weight");
  weights.types = reader.tensor("embeddings.token_type_embeddings.weight");
  weights.embedding_norm = reader.norm("embeddings.LayerNorm");
  for (std::int64_t i = 0; i < folder.config.layers; ++i) {
    weights.layers.push_back(read_layer(reader, "encoder.layer." + std::to_string(i)));
  }
  if (folder.adapter) {
    const auto adapter_file = model::TensorFile::open(model::adapter_weights(*folder.adapter));
    const Reader adapter(model::adapter_tensors(adapter_file, *folder.adapter, folder.config));
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
      const auto name = "layer." + std::to_string(i);
      weights.layers[i].adapter =
          AdapterWeights{adapter.linear(name + ".down"), adapter.linear(name + ".up")};
    }
  }
  for (const auto& layer : folder.dense) {
    if (layer.fresh) {
      weights.dense.push_back({fresh_linear(layer, folder.config.initializer_range), layer.activation});
      continue;
    }
    const auto dense_file = model::TensorFile::open(layer.folder);
    const auto tensors = model::dense_tensors(dense_file, layer);
    Linear linear{to_tensor(tensors.at("weight")), {}};
    if (layer.bias) linear.bias = to_tensor(tensors.at("bias"));
    weights.dense.push_back({linear, layer.activation});
  }
  return weights;
}

std::vector<std::pair<std::string, at::Tensor*>> Weights::named() {
  std::vector<std::pair<std::string, at::Tensor*>> all;
  const auto add_linear = [&](const std::string& name, Linear& linear) {
    all.emplace_back(name + ".weight", &linear.weight);
    if (linear.bias.defined()) all.emplace_back(name + ".bias", &linear.bias);
  };
  const auto add_norm = [&](const std::string& name, Norm& norm) {
    all.emplace_back(name + ".weight", &norm.weight);
    all.emplace_back(name + ".bias", &norm.bias);
  };
  all.emplace_back("embeddings.word_embeddings.weight", &words);
  all.emplace_back("embeddings.position_embeddings.weight", &positions);
  all.emplace_back("embeddings.token_type_embeddings.weight", &types);
  add_norm("embeddings.LayerNorm", embedding_norm);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto name = "encoder.layer." + std::to_string(i);
    Layer& layer = layers[i];
    add_linear(name + ".attention.self.query", layer.query);
    add_linear(name + ".attention.self.key", layer.key);
    add_linear(name + ".attention.self.value", layer.value);
    add_linear(name + ".attention.output.dense", layer.attention_output);
    add_norm(name + ".attention.output.LayerNorm", layer.attention_norm);
    add_linear(name + ".intermediate.dense", layer.up);
    add_linear(name + ".output.dense", layer.down);
    add_norm(name + ".output.LayerNorm", layer.output_norm);
    if (layer.adapter) {
      add_linear("adapter.layer." + std::to_string(i) + ".down", layer.adapter->down);
      add_linear("adapter.layer." + std::to_string(i) + ".up", layer.adapter->up);
    }
  }
  for (std::size_t i = 0; i < dense.size(); ++i) add_linear("dense." + std::to_string(i), dense[i].linear);
  return all;
}

Weights frozen(Weights weights) {
  for (auto& [name, tensor] : weights.named()) *tensor = tensor->detach().clone();
  return weights;
}

}  // namespace mustcite::neural
