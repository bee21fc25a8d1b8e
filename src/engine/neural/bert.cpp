#include "engine/neural/bert.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::neural {
namespace {

at::Tensor dropout(const at::Tensor& x, double rate, const ForwardOptions& options) {
  return options.dropout && rate > 0 ? at::dropout(x, rate, /*train=*/true) : x;
}

/// [batch, time] with true where a token is, none where padding is.
at::Tensor token_mask(const TokenBatch& batch) {
  const auto places = at::arange(batch.ids.size(1), at::kLong);
  return places.unsqueeze(0).lt(batch.lengths.unsqueeze(1));
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b, bool mixed) {
  if (!mixed) return at::matmul(a, b);
  return at::matmul(a.to(at::kBFloat16), b.to(at::kBFloat16)).to(at::kFloat);
}

}  // namespace

at::Tensor activate(model::Activation activation, const at::Tensor& x) {
  switch (activation) {
    case model::Activation::gelu:
      return at::gelu(x);
    case model::Activation::gelu_tanh:
      return at::gelu(x, "tanh");
    case model::Activation::relu:
      return at::relu(x);
    case model::Activation::silu:
      return at::silu(x);
    case model::Activation::tanh:
      return at::tanh(x);
    case model::Activation::identity:
      return x;
  }
  fail(ErrorCode::internal, "an activation without a function");
}

at::Tensor apply(const Linear& linear, const at::Tensor& x, bool mixed) {
  if (!mixed)
    return linear.bias.defined() ? at::linear(x, linear.weight, linear.bias) : at::linear(x, linear.weight);
  const auto y = at::linear(x.to(at::kBFloat16), linear.weight.to(at::kBFloat16)).to(at::kFloat);
  return linear.bias.defined() ? y + linear.bias : y;
}

TokenBatch make_batch(std::span<const model::Encoding* const> texts, std::int64_t pad) {
  std::size_t longest = 1;
  for (const auto* text : texts) longest = std::max(longest, text->ids.size());
  const auto rows = static_cast<std::int64_t>(texts.size());
  TokenBatch batch{at::full({rows, static_cast<std::int64_t>(longest)}, pad, at::kLong),
                   at::zeros({rows, static_cast<std::int64_t>(longest)}, at::kLong),
                   at::zeros({rows}, at::kLong)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto* ids = batch.ids.data_ptr<std::int64_t>() + i * longest;
    auto* types = batch.types.data_ptr<std::int64_t>() + i * longest;
    std::copy(texts[i]->ids.begin(), texts[i]->ids.end(), ids);
    std::copy(texts[i]->types.begin(), texts[i]->types.end(), types);
    batch.lengths.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(texts[i]->ids.size());
  }
  return batch;
}

Bert::Bert(const model::ModelFolder& folder, Weights weights)
    : folder_(folder), weights_(std::move(weights)) {}

at::Tensor Bert::norm(const Norm& norm, const at::Tensor& x) const {
  return at::layer_norm(x, {folder_.config.hidden_size}, norm.weight, norm.bias, folder_.config.norm_eps);
}

at::Tensor Bert::embed(const TokenBatch& batch, const ForwardOptions& options) const {
  const std::int64_t time = batch.ids.size(1);
  if (time > folder_.config.positions) {
    fail(ErrorCode::internal, "a text of {} tokens came to a model with {} positions", time,
         folder_.config.positions);
  }
  auto x = at::embedding(weights_.words, batch.ids) + at::embedding(weights_.types, batch.types) +
           weights_.positions.narrow(0, 0, time).unsqueeze(0);
  return dropout(norm(weights_.embedding_norm, x), folder_.config.hidden_dropout, options);
}

at::Tensor Bert::attention(const Layer& layer, const at::Tensor& x, const at::Tensor& mask,
                           const ForwardOptions& options) const {
  const std::int64_t rows = x.size(0);
  const std::int64_t time = x.size(1);
  const std::int64_t heads = folder_.config.heads;
  const std::int64_t width = folder_.config.hidden_size / heads;
  const auto split = [&](const Linear& linear) {
    return apply(linear, x, options.mixed).view({rows, time, heads, width}).transpose(1, 2);
  };
  const auto q = split(layer.query) / std::sqrt(static_cast<double>(width));
  auto weights = at::softmax(product(q, split(layer.key).transpose(-1, -2), options.mixed) + mask, -1);
  weights = dropout(weights, folder_.config.attention_dropout, options);
  const auto mixed_values = product(weights, split(layer.value), options.mixed);
  const auto context = mixed_values.transpose(1, 2).contiguous().view({rows, time, heads * width});
  return dropout(apply(layer.attention_output, context, options.mixed), folder_.config.hidden_dropout,
                 options);
}

at::Tensor Bert::feed_forward(const Layer& layer, const at::Tensor& x, const ForwardOptions& options) const {
  const auto wide = activate(folder_.config.activation, apply(layer.up, x, options.mixed));
  const auto f = dropout(apply(layer.down, wide, options.mixed), folder_.config.hidden_dropout, options);
  if (!layer.adapter) return norm(layer.output_norm, f + x);
  const model::Adapter& adapter = *folder_.adapter;
  const auto h = adapter.original_norm_before ? norm(layer.output_norm, f + x) : f;
  const auto narrow = activate(adapter.activation, apply(layer.adapter->down, h, options.mixed));
  const auto added = apply(layer.adapter->up, narrow, options.mixed) * adapter.scaling +
                     (adapter.residual_before_norm ? f : h);
  return adapter.original_norm_after ? norm(layer.output_norm, added + x) : added;
}

at::Tensor Bert::layer(const Layer& layer, const at::Tensor& x, const at::Tensor& mask,
                       const ForwardOptions& options) const {
  return feed_forward(layer, norm(layer.attention_norm, attention(layer, x, mask, options) + x), options);
}

std::vector<at::Tensor> Bert::hidden_states(const TokenBatch& batch, const ForwardOptions& options) const {
  // Finite, so that a row without any token would give numbers and not NaN.
  const auto mask =
      token_mask(batch).logical_not().to(at::kFloat).mul(-1e30).view({batch.ids.size(0), 1, 1, -1});
  std::vector<at::Tensor> states{embed(batch, options)};
  for (const auto& one : weights_.layers) states.push_back(layer(one, states.back(), mask, options));
  return states;
}

at::Tensor Bert::vectors(const TokenBatch& batch, const ForwardOptions& options) const {
  const auto last = hidden_states(batch, options).back();
  at::Tensor x;
  if (folder_.pooling == model::Pooling::cls) {
    x = last.select(1, 0);
  } else {
    const auto mask = token_mask(batch).unsqueeze(2);
    x = folder_.pooling == model::Pooling::mean
            ? (last * mask.to(at::kFloat)).sum(1) / batch.lengths.unsqueeze(1).clamp_min(1).to(at::kFloat)
            : std::get<0>(last.masked_fill(mask.logical_not(), -1e30).max(1));
  }
  return finish(x);
}

at::Tensor Bert::finish(at::Tensor x) const {
  for (const auto& dense : weights_.dense) x = activate(dense.activation, apply(dense.linear, x, false));
  return folder_.normalise ? x / x.norm(2, {1}, true).clamp_min(1e-12) : x;
}

at::Tensor Bert::vectors_of(const at::Tensor& states, std::span<const model::Encoding* const> texts) const {
  const auto count = static_cast<std::int64_t>(texts.size());
  auto first = at::empty({count}, at::kLong);
  auto lengths = at::empty({count}, at::kLong);
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    first.data_ptr<std::int64_t>()[i] = row;
    lengths.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(texts[i]->ids.size());
    row += lengths.data_ptr<std::int64_t>()[i];
  }
  if (folder_.pooling == model::Pooling::cls) return finish(states.index_select(0, first));
  if (folder_.pooling == model::Pooling::mean) {
    const auto owner = at::repeat_interleave(at::arange(count, at::kLong), lengths);
    const auto sums = at::zeros({count, states.size(1)}, states.options()).index_add(0, owner, states);
    return finish(sums / lengths.unsqueeze(1).clamp_min(1).to(at::kFloat));
  }
  std::vector<at::Tensor> greatest;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto text =
        states.narrow(0, first.data_ptr<std::int64_t>()[i], lengths.data_ptr<std::int64_t>()[i]);
    greatest.push_back(std::get<0>(text.max(0)));
  }
  return finish(at::stack(greatest));
}

}  // namespace mustcite::neural
