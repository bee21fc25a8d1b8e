#include "engine/neural/packed_share.hpp"

#include <algorithm>
#include <cstring>

#include "engine/neural/amx_gradients.hpp"

#ifdef MUSTCITE_AMX

namespace mustcite::neural {
namespace {

using amx::bf16;

/// Tokens that pass the layers together: what one layer of MiniLM works on stays in a second cache of 2 MB.
constexpr std::size_t kChunkTokens = 256;
/// Rows whose gradients of weights are taken at once. Each group reads and writes the sums of all weights (42
/// MB for MiniLM), so a group should be long; its own panels (4 MB) should not leave the third cache.
constexpr std::size_t kGroupRows = 1024;

constexpr std::size_t whole_blocks(std::size_t size) noexcept {
  return (size + amx::kBlock - 1) / amx::kBlock * amx::kBlock;
}

/// Hands out memory piece by piece.
template <typename T>
class Carver {
 public:
  explicit Carver(T* next) : next_(next) {}
  T* take(std::size_t count) {
    T* const piece = next_;
    next_ += count;
    return piece;
  }

 private:
  T* next_;
};

std::size_t kept_numbers(const NetworkShape& shape) {
  return 5 * shape.stride() + shape.qkv_stride() + shape.wide_stride();
}

std::size_t kept_floats(const NetworkShape& shape) {
  return 2 + shape.heads;
}

}  // namespace

void PackedShare::set(const NetworkShape& shape, const Trained& trained, std::vector<Text> texts) {
  shape_ = shape;
  trained_ = trained;
  texts_ = std::move(texts);
  cut_chunks();
  cut_groups();
  // Attention reads up to a block behind the last text.
  const std::size_t all = rows_ + amx::kBlock;
  const std::size_t kept_layers = shape.layers - trained.lowest;
  kept_rounded_.room(kept_layers * all * kept_numbers(shape));
  kept_floats_.room(kept_layers * all * kept_floats(shape));
  const std::size_t passing = most_rows_ + amx::kBlock;
  if (trained.lowest > 0) {
    passing_rounded_.room(passing * kept_numbers(shape));
    passing_floats_.room(passing * kept_floats(shape));
  }
  if (trained.embeddings) {
    embedding_unit_.room(all * shape.stride());
    embedding_scales_.room(all);
  }
  forward_rounded_.room(passing * (shape.wide_stride() + shape.stride()));
  forward_floats_.room(passing * shape.hidden);
}

void PackedShare::cut_chunks() {
  chunks_.clear();
  tokens_ = rows_ = longest_ = most_rows_ = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const std::size_t time = texts_[i].ids.size();
    longest_ = std::max(longest_, time);
    if (chunks_.empty() || chunks_.back().tokens + time > kChunkTokens) {
      if (!chunks_.empty()) rows_ += chunks_.back().rows;
      chunks_.push_back({i, i, tokens_, rows_, 0, 0});
    }
    Chunk& chunk = chunks_.back();
    chunk.end_text = i + 1;
    chunk.tokens += time;
    chunk.rows = whole_blocks(chunk.tokens);
    tokens_ += time;
    most_rows_ = std::max(most_rows_, chunk.rows);
  }
  if (!chunks_.empty()) rows_ += chunks_.back().rows;
}

void PackedShare::cut_groups() {
  groups_.clear();
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& chunk = chunks_[i];
    if (groups_.empty() || groups_.back().rows + chunk.rows > kGroupRows)
      groups_.push_back({i, i, chunk.first_row, 0});
    groups_.back().end_chunk = i + 1;
    groups_.back().rows += chunk.rows;
  }
}

PackedShare::Kept PackedShare::kept(std::size_t layer, const Chunk& chunk) {
  const bool stays = layer >= trained_.lowest;
  const std::size_t all = (stays ? rows_ : most_rows_) + amx::kBlock;
  const std::size_t row = stays ? chunk.first_row : 0;
  const std::size_t index = stays ? layer - trained_.lowest : 0;
  Carver<bf16> numbers((stays ? kept_rounded_ : passing_rounded_).data() +
                       index * all * kept_numbers(shape_));
  Carver<float> scales((stays ? kept_floats_ : passing_floats_).data() + index * all * kept_floats(shape_));
  const auto rows = [&](std::size_t stride) { return numbers.take(all * stride) + row * stride; };
  Kept kept;
  kept.in = rows(shape_.stride());
  kept.context = rows(shape_.stride());
  kept.middle = rows(shape_.stride());
  kept.attention_norm.unit = rows(shape_.stride());
  kept.output_norm.unit = rows(shape_.stride());
  kept.qkv = rows(shape_.qkv_stride());
  kept.up = rows(shape_.wide_stride());
  kept.attention_norm.scales = scales.take(all) + row;
  kept.output_norm.scales = scales.take(all) + row;
  kept.totals = scales.take(all * shape_.heads) + row * shape_.heads;
  return kept;
}

void PackedShare::embed(const PackedNetwork& network, const Chunk& chunk, float* x) const {
  const std::size_t hidden = shape_.hidden;
  std::size_t row = 0;
  for (std::size_t i = chunk.first_text; i < chunk.end_text; ++i) {
    const Text& text = texts_[i];
    for (std::size_t t = 0; t < text.ids.size(); ++t, ++row) {
      const float* word = network.value(place::kWords) + static_cast<std::size_t>(text.ids[t]) * hidden;
      const float* type = network.value(place::kTypes) + static_cast<std::size_t>(text.types[t]) * hidden;
      const float* position = network.value(place::kPositions) + t * hidden;
      for (std::size_t j = 0; j < hidden; ++j) x[row * hidden + j] = word[j] + type[j] + position[j];
    }
  }
  std::memset(x + row * hidden, 0, (chunk.rows - row) * hidden * sizeof(float));
}

void PackedShare::forward(const PackedNetwork& network, float* out) {
  float* const x = forward_floats_.data();
  bf16* const last = forward_rounded_.data() + (most_rows_ + amx::kBlock) * shape_.wide_stride();
  const auto sizes = amx::attention_scratch(longest_, shape_.width());
  scratch_rounded_.room((sizes.keys + sizes.values + sizes.weights) / sizeof(bf16));
  scratch_floats_.room(sizes.scores / sizeof(float));
  for (const Chunk& chunk : chunks_) {
    embed(network, chunk, x);
    amx::KeptNorm norm;
    if (trained_.embeddings) {
      norm.unit = embedding_unit_.data() + chunk.first_row * shape_.stride();
      norm.scales = embedding_scales_.data() + chunk.first_row;
    }
    amx::normalise_rows(network.norm(place::kEmbeddingNorm), x, chunk.rows, shape_.hidden,
                        shape_.layers > 0 ? kept(0, chunk).in : last, shape_.stride(), norm);
    for (std::size_t i = 0; i < shape_.layers; ++i) {
      forward_layer(network.layer(i), chunk, kept(i, chunk),
                    i + 1 < shape_.layers ? kept(i + 1, chunk).in : last);
    }
    std::memcpy(out + chunk.first_token * shape_.hidden, x, chunk.tokens * shape_.hidden * sizeof(float));
  }
}

void PackedShare::forward_layer(const PackedNetwork::Layer& layer, const Chunk& chunk, const Kept& here,
                                bf16* next) {
  float* const x = forward_floats_.data();
  bf16* const wide = forward_rounded_.data();
  const std::size_t stride = shape_.stride();
  const std::size_t hidden = shape_.hidden;
  amx::multiply(layer.query_key_value, here.in, stride, chunk.rows, amx::Epilogue::none, here.qkv,
                shape_.qkv_stride());
  const auto sizes = amx::attention_scratch(longest_, shape_.width());
  Carver<bf16> scratch(scratch_rounded_.data());
  bf16* const keys = scratch.take(sizes.keys / sizeof(bf16));
  bf16* const values = scratch.take(sizes.values / sizeof(bf16));
  bf16* const weights = scratch.take(sizes.weights / sizeof(bf16));
  std::size_t row = 0;
  for (std::size_t i = chunk.first_text; i < chunk.end_text; ++i) {
    const std::size_t time = texts_[i].ids.size();
    const amx::Attention shape{time, shape_.heads, shape_.width(), shape_.qkv_stride()};
    amx::attend(shape, here.qkv + row * shape_.qkv_stride(), {keys, values, scratch_floats_.data(), weights},
                here.context + row * stride, stride, here.totals + row * shape_.heads);
    row += time;
  }
  std::memset(here.context + row * stride, 0, (chunk.rows - row) * stride * sizeof(bf16));
  amx::multiply_add(layer.attention_output, here.context, stride, chunk.rows, 1, x, hidden);
  amx::normalise_rows(layer.attention_norm, x, chunk.rows, hidden, here.middle, stride, here.attention_norm);
  amx::multiply(layer.up, here.middle, stride, chunk.rows, shape_.activation, wide, shape_.wide_stride(),
                here.up);
  amx::multiply_add(layer.down, wide, shape_.wide_stride(), chunk.rows, 1, x, hidden);
  amx::normalise_rows(layer.output_norm, x, chunk.rows, hidden, next, stride, here.output_norm);
}

PackedShare::Back PackedShare::lay_out_back() {
  std::size_t rows = 0;
  for (const Group& group : groups_) rows = std::max(rows, group.rows);
  const std::size_t widest = std::max(3 * shape_.hidden, shape_.intermediate);
  const std::size_t chunk = most_rows_ + amx::kBlock;
  const std::size_t stride = shape_.stride();
  Carver<bf16> numbers(back_rounded_.room(
      rows * (2 * stride + 2 * shape_.wide_stride() + shape_.qkv_stride() + 2 * widest) + chunk * stride));
  Back at;
  at.x = back_floats_.room(rows * shape_.hidden);
  at.output = numbers.take(rows * stride);
  at.up = numbers.take(rows * shape_.wide_stride());
  at.wide = numbers.take(rows * shape_.wide_stride());
  at.middle = numbers.take(rows * stride);
  at.qkv = numbers.take(rows * shape_.qkv_stride());
  at.left = numbers.take(rows * widest);
  at.right = numbers.take(rows * widest);
  at.context = numbers.take(chunk * stride);
  // What lies behind a chunk's last row is read with it and must be finite.
  std::memset(at.context, 0, chunk * stride * sizeof(bf16));
  const auto sizes = amx::attend_back_scratch(longest_, shape_.width());
  scratch_rounded_.room(sizes.rounded);
  scratch_floats_.room(sizes.floats);
  return at;
}

void PackedShare::backward(const PackedNetwork& network, const float* gradient,
                           const std::vector<float*>& sums) {
  const Back at = lay_out_back();
  if (trained_.embeddings) embedded_.room(tokens_ * shape_.hidden);
  for (const Group& group : groups_) {
    for (std::size_t c = group.first_chunk; c < group.end_chunk; ++c) {
      const Chunk& chunk = chunks_[c];
      float* const x = at.x + (chunk.first_row - group.first_row) * shape_.hidden;
      const std::size_t count = chunk.tokens * shape_.hidden;
      std::memcpy(x, gradient + chunk.first_token * shape_.hidden, count * sizeof(float));
      std::memset(x + count, 0, (chunk.rows - chunk.tokens) * shape_.hidden * sizeof(float));
    }
    for (std::size_t i = shape_.layers; i-- > trained_.lowest;) {
      for (std::size_t c = group.first_chunk; c < group.end_chunk; ++c) {
        const std::size_t row = chunks_[c].first_row - group.first_row;
        Back here = at;
        here.x += row * shape_.hidden;
        here.output += row * shape_.stride();
        here.up += row * shape_.wide_stride();
        here.wide += row * shape_.wide_stride();
        here.middle += row * shape_.stride();
        here.qkv += row * shape_.qkv_stride();
        back_through(network.layer(i), i, chunks_[c], here, sums);
      }
      add_weights(i, group, at, sums);
    }
    if (trained_.embeddings) embeddings_back(network, group, at, sums);
  }
}

void PackedShare::back_through(const PackedNetwork::Layer& layer, std::size_t index, const Chunk& chunk,
                               const Back& at, const std::vector<float*>& sums) {
  const Kept here = kept(index, chunk);
  const std::size_t stride = shape_.stride();
  const std::size_t hidden = shape_.hidden;
  const auto norm = [&](std::size_t which) {
    return amx::NormGradient{sums[place::of(index, which)], sums[place::of(index, which) + 1]};
  };
  amx::normalise_back(layer.output_norm, here.output_norm, stride, at.x, chunk.rows, hidden, at.output,
                      stride, norm(place::kOutputNorm));
  amx::multiply_through(layer.down_back, at.output, stride, chunk.rows,
                        {shape_.activation, here.up, shape_.wide_stride(), at.wide}, at.up,
                        shape_.wide_stride());
  amx::multiply_add(layer.up_back, at.up, shape_.wide_stride(), chunk.rows, 1, at.x, hidden);
  amx::normalise_back(layer.attention_norm, here.attention_norm, stride, at.x, chunk.rows, hidden, at.middle,
                      stride, norm(place::kAttentionNorm));
  amx::multiply(layer.attention_output_back, at.middle, stride, chunk.rows, amx::Epilogue::none, at.context,
                stride);
  attention_back(chunk, here, at);
  if (index > trained_.lowest || trained_.embeddings)
    amx::multiply_add(layer.query_key_value_back, at.qkv, shape_.qkv_stride(), chunk.rows, 1, at.x, hidden);
}

void PackedShare::attention_back(const Chunk& chunk, const Kept& here, const Back& at) {
  const std::size_t stride = shape_.stride();
  const std::size_t qkv = shape_.qkv_stride();
  std::size_t row = 0;
  for (std::size_t i = chunk.first_text; i < chunk.end_text; ++i) {
    const std::size_t time = texts_[i].ids.size();
    const amx::Attention shape{time, shape_.heads, shape_.width(), qkv};
    amx::AttentionBack back;
    back.qkv = here.qkv + row * qkv;
    back.context = here.context + row * stride;
    back.context_gradient = at.context + row * stride;
    back.context_stride = stride;
    back.totals = here.totals + row * shape_.heads;
    back.rounded = scratch_rounded_.data();
    back.floats = scratch_floats_.data();
    amx::attend_back(shape, back, at.qkv + row * qkv);
    row += time;
  }
  std::memset(at.qkv + row * qkv, 0, (chunk.rows - row) * qkv * sizeof(bf16));
}

void PackedShare::add_weights(std::size_t index, const Group& group, const Back& at,
                              const std::vector<float*>& sums) {
  const std::size_t hidden = shape_.hidden;
  const std::size_t wide = shape_.intermediate;
  const Kept here = kept(index, chunks_[group.first_chunk]);
  const auto add = [&](std::size_t which, std::size_t out, std::size_t in) {
    amx::add_outer(at.left, at.right, group.rows, out, in, sums[place::of(index, which)]);
  };
  const auto left = [&](const bf16* from, std::size_t stride, std::size_t columns) {
    amx::pack_left(from, stride, group.rows, columns, at.left);
  };
  const auto right = [&](const bf16* from, std::size_t stride, std::size_t columns) {
    amx::pack_right(from, stride, group.rows, columns, at.right);
  };
  const auto bias = [&](std::size_t which, const bf16* from, std::size_t stride, std::size_t columns) {
    amx::add_columns(from, stride, group.rows, columns, sums[place::of(index, which) + 1]);
  };
  left(at.output, shape_.stride(), hidden);
  right(at.wide, shape_.wide_stride(), wide);
  add(place::kDown, hidden, wide);
  bias(place::kDown, at.output, shape_.stride(), hidden);

  left(at.up, shape_.wide_stride(), wide);
  right(here.middle, shape_.stride(), hidden);
  add(place::kUp, wide, hidden);
  bias(place::kUp, at.up, shape_.wide_stride(), wide);

  left(at.middle, shape_.stride(), hidden);
  right(here.context, shape_.stride(), hidden);
  add(place::kAttentionOutput, hidden, hidden);
  bias(place::kAttentionOutput, at.middle, shape_.stride(), hidden);

  right(here.in, shape_.stride(), hidden);
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t which = place::kQuery + 2 * part;
    left(at.qkv + part * hidden, shape_.qkv_stride(), hidden);
    add(which, hidden, hidden);
    bias(which, at.qkv + part * hidden, shape_.qkv_stride(), hidden);
  }
}

void PackedShare::embeddings_back(const PackedNetwork& network, const Group& group, const Back& at,
                                  const std::vector<float*>& sums) {
  const std::size_t hidden = shape_.hidden;
  const amx::KeptNorm kept{embedding_unit_.data() + group.first_row * shape_.stride(),
                           embedding_scales_.data() + group.first_row};
  amx::normalise_back(network.norm(place::kEmbeddingNorm), kept, shape_.stride(), at.x, group.rows, hidden,
                      at.output, shape_.stride(),
                      {sums[place::kEmbeddingNorm], sums[place::kEmbeddingNorm + 1]});
  for (std::size_t c = group.first_chunk; c < group.end_chunk; ++c) {
    const Chunk& chunk = chunks_[c];
    std::memcpy(embedded_.data() + chunk.first_token * hidden,
                at.x + (chunk.first_row - group.first_row) * hidden, chunk.tokens * hidden * sizeof(float));
  }
}

}  // namespace mustcite::neural

#endif
