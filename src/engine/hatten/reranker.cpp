#include "engine/hatten/reranker.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "engine/hatten/losses.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::hatten {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "reranker";
constexpr const char* kHead = "reranker-head.safetensors";
/// Pairs scored at once.
constexpr std::size_t kPart = 128;
constexpr double kClip = 1;
constexpr double kWeightDecay = 0.01;

model::ModelFolder resolve(const fs::path& folder) {
  model::FolderOptions options;
  options.pooling = model::Pooling::cls;
  options.normalise = false;
  auto model = model::resolve_model(folder, options);
  if (!model.dense.empty() || model.adapter) {
    fail(ErrorCode::invalid_input,
         "the encoder in {} has layers behind its transformer: a reranker starts from a plain one",
         folder.string());
  }
  return model;
}

bool learns(const std::string& name, std::size_t layers, std::size_t learning) {
  if (learning == 0) return true;
  for (std::size_t i = layers - std::min(layers, learning); i < layers; ++i) {
    if (name.starts_with("encoder.layer." + std::to_string(i) + ".")) return true;
  }
  return false;
}

std::string text_of(const PaperText& paper) {
  return paper.abstract.empty() ? paper.title : paper.title + " " + paper.abstract;
}

}  // namespace

Reranker::Reranker(const fs::path& encoder, const Options& options, std::uint64_t seed, std::size_t threads)
    : Reranker(resolve(encoder), options, seed, threads) {
  auto& weights = bert_.weights();
  for (auto& [name, tensor] : weights.named()) {
    if (learns(name, weights.layers.size(), options.rerank_layers)) parameters_.adopt(name, *tensor);
  }
  neural::AdamWOptions adamw;
  adamw.weight_decay = kWeightDecay;
  parameters_.learn(adamw);
}

Reranker::Reranker(model::ModelFolder folder, const Options& options, std::uint64_t seed, std::size_t threads)
    : options_(options),
      bert_(folder, neural::load_weights(folder)),
      tokenizer_(model::Tokenizer::open(folder.transformer)),
      states_(bert_, {/*mixed=*/true, /*dropout=*/false, threads}),
      parameters_(seed) {
  head_ = parameters_.linear("head", folder.config.hidden_size, 1);
}

std::unique_ptr<Reranker> Reranker::open(const fs::path& folder, const Options& options,
                                         std::size_t threads) {
  std::unique_ptr<Reranker> reranker(new Reranker(resolve(folder / kFolder), options, 0, threads));
  reranker->parameters_.load_weights(folder / kHead);
  return reranker;
}

bool Reranker::lies_in(const fs::path& folder) {
  return fs::exists(folder / kHead);
}

void Reranker::write(const fs::path& folder) const {
  fs::create_directories(folder / kFolder);
  neural::write_model(bert_.folder(), bert_.weights(), folder / kFolder);
  neural::TensorList head;
  head.add("head.weight", head_.weight.detach());
  head.add("head.bias", head_.bias.detach());
  head.write(folder / kHead, {{"format", "pt"}});
}

std::uint64_t Reranker::weights() const {
  std::uint64_t count = static_cast<std::uint64_t>(head_.weight.numel() + head_.bias.numel());
  auto all = bert_.weights();
  for (const auto& [name, tensor] : all.named()) count += static_cast<std::uint64_t>(tensor->numel());
  return count;
}

model::Encoding Reranker::pair(const PaperText& query, const PaperText& candidate) const {
  return tokenizer_.encode_pair(text_of(query), text_of(candidate), options_.rerank_words);
}

at::Tensor Reranker::scores_of(std::span<const model::Encoding> pairs) const {
  std::vector<const model::Encoding*> pointers;
  for (const auto& one : pairs) pointers.push_back(&one);
  const auto states = states_.vectors(pointers);
  return at::sigmoid(at::linear(at::relu(states), head_.weight, head_.bias)).squeeze(1);
}

at::Tensor Reranker::scores(const PaperText& query, std::span<const PaperText> candidates) const {
  std::vector<model::Encoding> pairs;
  for (const auto& candidate : candidates) pairs.push_back(pair(query, candidate));
  return scores_of(pairs);
}

std::vector<float> Reranker::rank(const PaperText& query, std::span<const PaperText> candidates) const {
  const at::NoGradGuard without_gradients;
  std::vector<float> result;
  for (std::size_t begin = 0; begin < candidates.size(); begin += kPart) {
    const auto part = candidates.subspan(begin, std::min(kPart, candidates.size() - begin));
    const auto values = scores(query, part).contiguous();
    result.insert(result.end(), values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
  }
  return result;
}

double Reranker::step(std::span<const Group> groups, double rate) {
  std::vector<model::Encoding> pairs;
  std::size_t widest = 0;
  for (const auto& group : groups) {
    for (const auto& candidate : group.candidates) pairs.push_back(pair(group.query, candidate));
    widest = std::max(widest, group.candidates.size());
  }
  const auto scores = scores_of(pairs);
  // One row a query; what stands behind its last candidate is ignored.
  const auto rows = static_cast<std::int64_t>(groups.size());
  auto places = at::zeros({rows, static_cast<std::int64_t>(widest)}, at::kLong);
  auto levels = at::zeros({rows, static_cast<std::int64_t>(widest)}, at::kLong);
  std::int64_t next = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].candidates.size(); ++i) {
      const auto level = i < groups[g].cited ? baseline::Level::positive : baseline::Level::hard;
      places.data_ptr<std::int64_t>()[g * widest + i] = next++;
      levels.data_ptr<std::int64_t>()[g * widest + i] = static_cast<std::int64_t>(level);
    }
  }
  const auto table = scores.index_select(0, places.flatten()).view({rows, static_cast<std::int64_t>(widest)});
  const auto loss = margin_loss(table, levels, options_.rerank_margin);
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    fail(ErrorCode::invalid_input, "the reranker came to a loss of {}: lower rerank_rate", value);
  }
  loss.backward();
  parameters_.optimiser().clip(kClip);
  parameters_.optimiser().step(rate);
  return value;
}

}  // namespace mustcite::hatten
