#include "engine/neural/cross_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;

/// The length to which pairs are cut, where tokenizers of the ecosystem look for it.
void write_length(const fs::path& file, std::size_t length) {
  auto json = fs::exists(file)
                  ? nlohmann::ordered_json::parse(io::read_file(file, std::size_t{16} << 20), nullptr, false)
                  : nlohmann::ordered_json::object();
  if (!json.is_object())
    fail(ErrorCode::invalid_input, "cannot write the cross-encoder: the base's {} is no JSON object",
         file.filename().string());
  json["model_max_length"] = length;
  io::write_file_atomically(file, json.dump(2) + "\n");
}

}  // namespace

at::Tensor pair_logistic(const at::Tensor& scores, std::span<const std::uint32_t> group_sizes) {
  auto cited = at::zeros({scores.size(0)}, at::kFloat);
  std::size_t first = 0;
  for (const std::uint32_t size : group_sizes) {
    cited.data_ptr<float>()[first] = 1;
    first += size;
  }
  return (at::softplus(scores) - scores * cited).mean();
}

at::Tensor pair_softmax(const at::Tensor& scores, std::span<const std::uint32_t> group_sizes) {
  std::vector<at::Tensor> losses;
  std::int64_t first = 0;
  for (const std::uint32_t size : group_sizes) {
    const auto group = scores.narrow(0, first, size);
    losses.push_back(at::logsumexp(group, {0}) - group[0]);
    first += size;
  }
  return at::stack(losses).mean();
}

void write_cross_encoder(const model::ModelFolder& base, const Weights& weights, const fs::path& folder) {
  const auto head = model::head_of(base);
  if (!head) fail(ErrorCode::internal, "a model without a head was to be written as a cross-encoder");
  for (const char* name :
       {"vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"}) {
    if (fs::exists(base.transformer / name))
      fs::copy_file(base.transformer / name, folder / name, fs::copy_options::overwrite_existing);
  }
  write_length(folder / "tokenizer_config.json", base.max_length);
  const fs::path config = base.transformer / "config.json";
  io::write_file_atomically(
      folder / "config.json",
      model::cross_encoder_config(io::read_file(config, std::size_t{16} << 20), *head, config.string()));
  TensorList list;
  Weights all = weights;
  for (const auto& [name, tensor] : all.named()) {
    if (!name.starts_with("dense.")) list.add("bert." + name, *tensor);
  }
  const auto add = [&](const std::string& name, const DenseWeights& layer) {
    list.add(name + ".weight", layer.linear.weight);
    if (layer.linear.bias.defined()) list.add(name + ".bias", layer.linear.bias);
  };
  if (weights.dense.size() == 2) add("bert.pooler.dense", weights.dense.front());
  add("classifier", weights.dense.back());
  list.write(folder / "model.safetensors", {{"format", "pt"}});
}

}  // namespace mustcite::neural
