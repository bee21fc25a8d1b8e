#include "engine/hatten/layers.hpp"

#include <cmath>

namespace mustcite::hatten {
namespace {

using neural::Linear;

/// Added to the scores of padding: finite, so that a row of padding alone gives numbers.
constexpr double kMasked = -1e9;

at::Tensor linear(const Linear& layer, const at::Tensor& x) {
  return at::linear(x, layer.weight, layer.bias);
}

at::Tensor norm(const neural::Norm& norm, const at::Tensor& x) {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, 1e-5);
}

at::Tensor dropped(const at::Tensor& x, double rate) {
  return rate > 0 ? at::dropout(x, rate, /*train=*/true) : x;
}

at::Tensor as_scores(const at::Tensor& mask) {
  return mask.logical_not().to(at::kFloat).mul(kMasked);
}

}  // namespace

AttentionLayer make_attention_layer(neural::Parameters& parameters, const std::string& name,
                                    std::int64_t width, std::int64_t heads, std::int64_t inner) {
  AttentionLayer layer;
  layer.query = parameters.linear(name + ".query", width, width);
  layer.key = parameters.linear(name + ".key", width, width);
  layer.value = parameters.linear(name + ".value", width, width);
  layer.output = parameters.linear(name + ".output", width, width);
  layer.attention_norm = parameters.norm(name + ".attention_norm", width);
  layer.up = parameters.linear(name + ".up", width, inner);
  layer.down = parameters.linear(name + ".down", inner, width);
  layer.output_norm = parameters.norm(name + ".output_norm", width);
  layer.heads = heads;
  return layer;
}

AttentionPooling make_attention_pooling(neural::Parameters& parameters, const std::string& name,
                                        std::int64_t width, std::int64_t heads) {
  AttentionPooling pooling;
  pooling.score = parameters.linear(name + ".score", width, heads);
  pooling.value = parameters.linear(name + ".value", width, width);
  pooling.output = parameters.linear(name + ".output", width, width);
  return pooling;
}

at::Tensor apply(const AttentionLayer& layer, const at::Tensor& x, const at::Tensor& mask, double dropout) {
  const std::int64_t rows = x.size(0);
  const std::int64_t time = x.size(1);
  const std::int64_t width = x.size(2) / layer.heads;
  const auto split = [&](const Linear& part) {
    return linear(part, x).view({rows, time, layer.heads, width}).transpose(1, 2);
  };
  const auto query = split(layer.query) / std::sqrt(static_cast<double>(width));
  const auto scores =
      at::matmul(query, split(layer.key).transpose(-1, -2)) + as_scores(mask).view({rows, 1, 1, time});
  const auto context = at::matmul(at::softmax(scores, -1), split(layer.value)).transpose(1, 2);
  const auto attended = linear(layer.output, context.contiguous().view({rows, time, x.size(2)}));
  const auto h = norm(layer.attention_norm, x + dropped(attended, dropout));
  const auto fed = linear(layer.down, at::relu(linear(layer.up, h)));
  return norm(layer.output_norm, h + dropped(fed, dropout));
}

at::Tensor apply(const AttentionPooling& pooling, const at::Tensor& x, const at::Tensor& mask) {
  const std::int64_t rows = x.size(0);
  const std::int64_t heads = pooling.score.weight.size(0);
  const std::int64_t width = x.size(2);
  const auto weights = at::softmax(linear(pooling.score, x) + as_scores(mask).unsqueeze(2), 1);
  // The weights of a head add up to 1, so summing before the value layer gives the same: one product a text
  // in place of one an item.
  const auto sums = at::matmul(weights.transpose(1, 2), x);  // [rows, heads, width]
  const auto values = at::matmul(sums.transpose(0, 1),       // [heads, rows, width / heads]
                                 pooling.value.weight.view({heads, width / heads, width}).transpose(1, 2))
                          .transpose(0, 1)
                          .reshape({rows, width}) +
                      pooling.value.bias;
  return linear(pooling.output, at::relu(values));
}

at::Tensor sinusoids(std::int64_t time, std::int64_t width) {
  auto table = at::zeros({time, width});
  auto* value = table.data_ptr<float>();
  for (std::int64_t position = 0; position < time; ++position) {
    for (std::int64_t i = 0; i < width; ++i, ++value) {
      const double pair = static_cast<double>(i - i % 2);
      const double angle =
          static_cast<double>(position) / std::pow(10000.0, pair / static_cast<double>(width));
      *value = static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace mustcite::hatten
