#include "engine/neural/packed_bert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "engine/neural/aligned_buffer.hpp"
#include "engine/neural/bert.hpp"
#include "engine/neural/packed_layers.hpp"

namespace mustcite::neural {

#ifdef MUSTCITE_AMX

namespace {

using amx::bf16;
using model::Activation;

struct PackedLayer {
  PackedLinear query_key_value;
  PackedLinear attention_output;
  PackedNorm attention_norm;
  PackedLinear up;
  PackedLinear down;
  PackedNorm output_norm;
  PackedLinear adapter_down;
  PackedLinear adapter_up;
};

float activated(Activation activation, float x) {
  switch (activation) {
    case Activation::tanh:
      return std::tanh(x);
    case Activation::relu:
      return std::max(x, 0.0F);
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return 0.5F * x * (1 + std::erf(x * 0.70710678F));
    case Activation::gelu_tanh:
      return 0.5F * x * (1 + std::tanh(0.79788456F * (x + 0.044715F * x * x * x)));
    case Activation::identity:
      break;
  }
  return x;
}

struct PlainDense {
  std::vector<float> weight;
  std::vector<float> bias;
  std::size_t in = 0;
  std::size_t out = 0;
  Activation activation = Activation::tanh;
};

}  // namespace

struct PackedBert::Workspace::Impl {
  amx::Tiles tiles;
  Buffer<float> residual;   ///< [rows, hidden]
  Buffer<float> entered;    ///< [rows, hidden]: what entered the feed-forward part, where an adapter needs it
  Buffer<float> forwarded;  ///< [rows, hidden]: what its second matrix gave
  Buffer<bf16> rounded;     ///< [rows, hidden]
  Buffer<bf16> context;     ///< [rows, hidden]
  Buffer<bf16> wide;        ///< [rows, 3 hidden or intermediate]
  Buffer<bf16> keys, values, weights;
  Buffer<float> scores;
};

PackedBert::Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
PackedBert::Workspace::~Workspace() = default;

struct PackedBert::Impl {
  model::ModelFolder folder;
  std::size_t hidden = 0, heads = 0, width = 0, intermediate = 0;
  std::vector<float> words, positions, types;
  PackedNorm embedding_norm;
  std::vector<PackedLayer> layers;
  std::vector<PlainDense> dense;

  /// Rows of a chunk of texts in the workspace.
  struct Chunk {
    std::span<const model::Encoding* const> texts;
    std::vector<std::size_t> first;  ///< row of each text
    std::size_t rows = 0;            ///< in whole blocks
    float* x = nullptr;
    bf16* rounded = nullptr;
    bf16* context = nullptr;
    bf16* wide = nullptr;
  };

  // Strides that are no multiple of 2 KB: rows of a tile then fall into different sets of the cache.
  [[nodiscard]] std::size_t stride() const noexcept { return hidden + 32; }
  [[nodiscard]] std::size_t wide_stride() const noexcept { return std::max(3 * hidden, intermediate) + 32; }

  Chunk lay_out(std::span<const model::Encoding* const> texts, Workspace::Impl& work) const;
  void embed(const Chunk& chunk) const;
  void attention(const PackedLayer& layer, const Chunk& chunk, Workspace::Impl& work) const;
  void feed_forward(const PackedLayer& layer, const Chunk& chunk, Workspace::Impl& work) const;
  void adapt(const PackedLayer& layer, const Chunk& chunk, Workspace::Impl& work) const;
  /// All layers; the states are in the chunk.
  Chunk run(std::span<const model::Encoding* const> texts, Workspace::Impl& work) const;
  void pool(const Chunk& chunk, std::size_t text, float* out) const;
  void finish(std::vector<float>& pooled, float* out) const;
};

bool PackedBert::fits(const model::ModelFolder& folder) {
  const auto& config = folder.config;
  const auto width = config.hidden_size / config.heads;
  return amx::supported() && config.hidden_size % 32 == 0 && config.intermediate_size % 32 == 0 &&
         (width == 32 || width == 64) && packed_activation(config.activation) &&
         (!folder.adapter || packed_activation(folder.adapter->activation));
}

PackedBert::PackedBert(const model::ModelFolder& folder, const Weights& weights)
    : impl_(std::make_unique<Impl>()) {
  Impl& it = *impl_;
  it.folder = folder;
  const double eps = folder.config.norm_eps;
  it.hidden = static_cast<std::size_t>(folder.config.hidden_size);
  it.heads = static_cast<std::size_t>(folder.config.heads);
  it.width = it.hidden / it.heads;
  it.intermediate = static_cast<std::size_t>(folder.config.intermediate_size);
  it.words = values_of(weights.words);
  it.positions = values_of(weights.positions);
  it.types = values_of(weights.types);
  it.embedding_norm = pack(weights.embedding_norm, eps);
  // The softmax takes powers of two, so the query carries log2(e) besides its usual scale.
  const auto scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(it.width)));
  for (const auto& layer : weights.layers) {
    PackedLayer packed;
    const Linear* const inputs[] = {&layer.query, &layer.key, &layer.value};
    packed.query_key_value = pack(inputs, scale);
    packed.attention_output = pack(layer.attention_output);
    packed.attention_norm = pack(layer.attention_norm, eps);
    packed.up = pack(layer.up);
    packed.down = pack(layer.down);
    packed.output_norm = pack(layer.output_norm, eps);
    if (layer.adapter) {
      packed.adapter_down = pack(layer.adapter->down);
      packed.adapter_up = pack(layer.adapter->up);
    }
    it.layers.push_back(std::move(packed));
  }
  for (const auto& layer : weights.dense) {
    PlainDense plain{values_of(layer.linear.weight),
                     {},
                     static_cast<std::size_t>(layer.linear.weight.size(1)),
                     static_cast<std::size_t>(layer.linear.weight.size(0)),
                     layer.activation};
    plain.bias =
        layer.linear.bias.defined() ? values_of(layer.linear.bias) : std::vector<float>(plain.out, 0);
    it.dense.push_back(std::move(plain));
  }
}

PackedBert::~PackedBert() = default;
PackedBert::PackedBert(PackedBert&&) noexcept = default;

std::size_t PackedBert::dimensions() const noexcept {
  return impl_->folder.dimensions();
}

std::size_t PackedBert::tokens_at_once() const noexcept {
  constexpr std::size_t kCache = 1536 * 1024;  // of 2 MB: the rest is for weights that pass by
  const std::size_t bytes = 4 * impl_->hidden + 2 * (2 * impl_->stride() + impl_->wide_stride());
  return std::max<std::size_t>(kCache / bytes, 64);
}

PackedBert::Impl::Chunk PackedBert::Impl::lay_out(std::span<const model::Encoding* const> texts,
                                                  Workspace::Impl& work) const {
  Chunk chunk;
  chunk.texts = texts;
  std::size_t rows = 0;
  std::size_t longest = 1;
  for (const auto* text : texts) {
    chunk.first.push_back(rows);
    rows += text->ids.size();
    longest = std::max(longest, text->ids.size());
  }
  chunk.rows = whole_blocks(rows);
  const std::size_t room = chunk.rows + amx::kBlock;  // attention reads up to a block behind the last text
  chunk.x = work.residual.room(room * hidden);
  chunk.rounded = work.rounded.room(room * stride());
  chunk.context = work.context.room(room * stride());
  chunk.wide = work.wide.room(room * wide_stride());
  const auto sizes = amx::attention_scratch(longest, width);
  work.keys.room(sizes.keys);
  work.values.room(sizes.values);
  work.weights.room(sizes.weights);
  work.scores.room(sizes.scores / sizeof(float));
  if (folder.adapter) {
    work.entered.room(room * hidden);
    work.forwarded.room(room * hidden);
  }
  return chunk;
}

void PackedBert::Impl::embed(const Chunk& chunk) const {
  std::size_t row = 0;
  for (const auto* text : chunk.texts) {
    for (std::size_t t = 0; t < text->ids.size(); ++t, ++row) {
      const float* word = words.data() + static_cast<std::size_t>(text->ids[t]) * hidden;
      const float* type = types.data() + static_cast<std::size_t>(text->types[t]) * hidden;
      const float* place = positions.data() + t * hidden;
      float* x = chunk.x + row * hidden;
      for (std::size_t i = 0; i < hidden; ++i) x[i] = word[i] + type[i] + place[i];
    }
  }
  std::memset(chunk.x + row * hidden, 0, (chunk.rows - row) * hidden * sizeof(float));
  amx::normalise_rows(embedding_norm.view(), chunk.x, chunk.rows, hidden, chunk.rounded, stride());
}

void PackedBert::Impl::attention(const PackedLayer& layer, const Chunk& chunk, Workspace::Impl& work) const {
  amx::multiply(layer.query_key_value.product(), chunk.rounded, stride(), chunk.rows, amx::Epilogue::none,
                chunk.wide, wide_stride());
  // The block behind the last row is read with it: it may hold anything finite.
  std::memset(chunk.wide + chunk.rows * wide_stride(), 0, amx::kBlock * wide_stride() * sizeof(bf16));
  const amx::Scratch scratch{work.keys.room(0), work.values.room(0), work.scores.room(0),
                             work.weights.room(0)};
  for (std::size_t i = 0; i < chunk.texts.size(); ++i) {
    const amx::Attention shape{chunk.texts[i]->ids.size(), heads, width, wide_stride()};
    amx::attend(shape, chunk.wide + chunk.first[i] * wide_stride(), scratch,
                chunk.context + chunk.first[i] * stride(), stride());
  }
  amx::multiply_add(layer.attention_output.product(), chunk.context, stride(), chunk.rows, 1, chunk.x,
                    hidden);
  amx::normalise_rows(layer.attention_norm.view(), chunk.x, chunk.rows, hidden, chunk.rounded, stride());
}

void PackedBert::Impl::feed_forward(const PackedLayer& layer, const Chunk& chunk,
                                    Workspace::Impl& work) const {
  amx::multiply(layer.up.product(), chunk.rounded, stride(), chunk.rows,
                *packed_activation(folder.config.activation), chunk.wide, wide_stride());
  if (folder.adapter) return adapt(layer, chunk, work);
  amx::multiply_add(layer.down.product(), chunk.wide, wide_stride(), chunk.rows, 1, chunk.x, hidden);
  amx::normalise_rows(layer.output_norm.view(), chunk.x, chunk.rows, hidden, chunk.rounded, stride());
}

/// See model::Adapter for the formula and its names.
void PackedBert::Impl::adapt(const PackedLayer& layer, const Chunk& chunk, Workspace::Impl& work) const {
  const model::Adapter& adapter = *folder.adapter;
  const std::size_t count = chunk.rows * hidden;
  float* entered = work.entered.room(0);
  float* f = work.forwarded.room(0);
  std::memcpy(entered, chunk.x, count * sizeof(float));
  std::memset(f, 0, count * sizeof(float));
  amx::multiply_add(layer.down.product(), chunk.wide, wide_stride(), chunk.rows, 1, f, hidden);
  float* h = chunk.x;
  if (adapter.original_norm_before) {
    for (std::size_t i = 0; i < count; ++i) h[i] = f[i] + entered[i];
    amx::normalise_rows(layer.output_norm.view(), h, chunk.rows, hidden, chunk.rounded, stride());
  } else {
    std::memcpy(h, f, count * sizeof(float));
    for (std::size_t r = 0; r < chunk.rows; ++r)
      amx::round_row(h + r * hidden, hidden, chunk.rounded + r * stride());
  }
  if (adapter.residual_before_norm) std::memcpy(h, f, count * sizeof(float));
  amx::multiply(layer.adapter_down.product(), chunk.rounded, stride(), chunk.rows,
                *packed_activation(adapter.activation), chunk.wide, wide_stride());
  amx::multiply_add(layer.adapter_up.product(), chunk.wide, wide_stride(), chunk.rows,
                    static_cast<float>(adapter.scaling), h, hidden);
  if (adapter.original_norm_after) {
    for (std::size_t i = 0; i < count; ++i) h[i] += entered[i];
    amx::normalise_rows(layer.output_norm.view(), h, chunk.rows, hidden, chunk.rounded, stride());
  } else {
    for (std::size_t r = 0; r < chunk.rows; ++r)
      amx::round_row(h + r * hidden, hidden, chunk.rounded + r * stride());
  }
}

void PackedBert::Impl::pool(const Chunk& chunk, std::size_t text, float* out) const {
  const float* x = chunk.x + chunk.first[text] * hidden;
  const std::size_t time = chunk.texts[text]->ids.size();
  std::vector<float> pooled(x, x + hidden);
  if (folder.pooling != model::Pooling::cls) {
    const bool mean = folder.pooling == model::Pooling::mean;
    for (std::size_t t = 1; t < time; ++t) {
      for (std::size_t i = 0; i < hidden; ++i) {
        pooled[i] = mean ? pooled[i] + x[t * hidden + i] : std::max(pooled[i], x[t * hidden + i]);
      }
    }
    if (mean) {
      for (float& value : pooled) value /= static_cast<float>(time);
    }
  }
  finish(pooled, out);
}

void PackedBert::Impl::finish(std::vector<float>& pooled, float* out) const {
  for (const auto& layer : dense) {
    std::vector<float> next(layer.out);
    for (std::size_t r = 0; r < layer.out; ++r) {
      float sum = layer.bias[r];
      for (std::size_t c = 0; c < layer.in; ++c) sum += layer.weight[r * layer.in + c] * pooled[c];
      next[r] = activated(layer.activation, sum);
    }
    pooled = std::move(next);
  }
  double squares = 0;
  for (const float value : pooled) squares += double{value} * value;
  const auto length = folder.normalise ? static_cast<float>(std::max(std::sqrt(squares), 1e-12)) : 1.0F;
  for (std::size_t i = 0; i < pooled.size(); ++i) out[i] = pooled[i] / length;
}

PackedBert::Impl::Chunk PackedBert::Impl::run(std::span<const model::Encoding* const> texts,
                                              Workspace::Impl& work) const {
  auto chunk = lay_out(texts, work);
  embed(chunk);
  for (const auto& layer : layers) {
    attention(layer, chunk, work);
    feed_forward(layer, chunk, work);
  }
  return chunk;
}

void PackedBert::encode(std::span<const model::Encoding* const> texts, std::span<float* const> out,
                        Workspace& workspace) const {
  const auto chunk = impl_->run(texts, workspace.impl());
  for (std::size_t i = 0; i < texts.size(); ++i) impl_->pool(chunk, i, out[i]);
}

void PackedBert::encode_tokens(std::span<const model::Encoding* const> texts, std::span<float* const> out,
                               Workspace& workspace) const {
  const auto chunk = impl_->run(texts, workspace.impl());
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy_n(chunk.x + chunk.first[i] * impl_->hidden, texts[i]->ids.size() * impl_->hidden, out[i]);
}

#else

struct PackedBert::Workspace::Impl {};
PackedBert::Workspace::Workspace() = default;
PackedBert::Workspace::~Workspace() = default;
struct PackedBert::Impl {};

bool PackedBert::fits(const model::ModelFolder&) {
  return false;
}
PackedBert::PackedBert(const model::ModelFolder&, const Weights&) {
  fail(ErrorCode::internal, "this program was compiled without AMX");
}
PackedBert::~PackedBert() = default;
PackedBert::PackedBert(PackedBert&&) noexcept = default;
std::size_t PackedBert::tokens_at_once() const noexcept {
  return 0;
}
std::size_t PackedBert::dimensions() const noexcept {
  return 0;
}
void PackedBert::encode(std::span<const model::Encoding* const>, std::span<float* const>, Workspace&) const {}
void PackedBert::encode_tokens(std::span<const model::Encoding* const>, std::span<float* const>,
                               Workspace&) const {}

#endif

}  // namespace mustcite::neural
