#include "engine/topics/network.hpp"

#include <algorithm>
#include <cmath>

namespace mustcite::topics {
namespace {

/// A cosine of 0 begins as unlikely, one of 1 as likely.
constexpr double kFirstFactor = 10;
constexpr double kFirstBias = -5;
constexpr double kFirstReasoning = 5;
constexpr double kFirstOwn = 0.1;

at::Tensor linear(const neural::Linear& layer, const at::Tensor& x) {
  return layer.bias.defined() ? at::linear(x, layer.weight, layer.bias) : at::linear(x, layer.weight);
}

}  // namespace

Network::Network(const Shape& shape, std::uint64_t seed, const at::Tensor& names) : parameters_(seed) {
  auto& p = parameters_;
  content_ = p.linear("content", shape.features, shape.width);
  place_in_ = p.linear("place_in", shape.features, shape.width);
  place_out_ = p.linear("place_out", shape.width, shape.width);
  structure_ = p.linear("structure", shape.width, shape.width);
  names_ = p.fixed("names", names.defined() ? names : at::zeros({shape.topics, shape.features}));
  name_ = p.matrix("name", shape.features, shape.topic_width);
  own_ = p.normal("own", {shape.topics, shape.topic_width}, kFirstOwn);
  convolve_in_ = p.matrix("convolve_in", shape.topic_width, shape.topic_width);
  convolve_out_ = p.matrix("convolve_out", shape.topic_width, shape.topic_width);
  relations_ = p.normal("relations", {shape.relations + 1, shape.topic_width}, kFirstOwn);
  gru_ = make_gru(p, "gru", shape.topic_width, shape.topic_width);
  value_ = p.linear("value", shape.topic_width, 1);
  gamma_ = p.constant("gamma", {1}, std::log(kFirstFactor));
  lambda_ = p.constant("lambda", {1}, kFirstReasoning);
  beta_ = p.constant("beta", {1}, kFirstBias);
}

at::Tensor Network::content(const at::Tensor& x) const {
  return linear(content_, x);
}

at::Tensor Network::placed(const at::Tensor& x) const {
  return linear(place_out_, at::relu(linear(place_in_, x)));
}

at::Tensor Network::papers(const at::Tensor& x, double dropout) const {
  const auto input = dropout > 0 ? at::dropout(x, dropout, /*train=*/true) : x;
  const auto sum = content(input) + placed(input);
  return sum / sum.norm(2, {1}, true).clamp_min(1e-12);
}

at::Tensor Network::structure(const at::Tensor& mean_content) const {
  return at::relu(linear(structure_, mean_content));
}

at::Tensor Network::topics(const Edges& edges) const {
  const auto first = linear(name_, names_) + own_;
  const auto inner = at::relu(propagate(edges, linear(convolve_in_, first)));
  return first + propagate(edges, linear(convolve_out_, inner));
}

at::Tensor Network::path_values(const PathPlan& plan, const at::Tensor& topic_vectors) const {
  return linear(value_, path_states(gru_, plan, topic_vectors, relations_)).squeeze(1);
}

at::Tensor Network::logits(const at::Tensor& cosines, const at::Tensor& reasoning) const {
  return gamma_.exp() * cosines + lambda_ * reasoning + beta_;
}

double Network::cosine_factor() const {
  return std::exp(gamma_.item<double>());
}

double Network::reasoning_factor() const {
  return lambda_.item<double>();
}

at::Tensor value_table(std::size_t sources, const PathPlan& plan, std::span<const std::uint32_t> targets,
                       const at::Tensor& values) {
  const auto rows = static_cast<std::int64_t>(sources);
  const auto columns = static_cast<std::int64_t>(targets.size());
  auto places = at::empty({static_cast<std::int64_t>(plan.ends.size())}, at::kLong);
  for (std::size_t i = 0; i < plan.ends.size(); ++i) {
    const auto at = std::lower_bound(targets.begin(), targets.end(), plan.ends[i].topic) - targets.begin();
    places.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(plan.ends[i].source) * columns + at;
  }
  return at::zeros({rows * columns}).index_add(0, places, values).view({rows, columns});
}

at::Tensor reason(const at::Tensor& queries, const at::Tensor& documents, const PathPlan& plan,
                  std::span<const std::uint32_t> targets, const at::Tensor& values) {
  const auto table = value_table(static_cast<std::size_t>(queries.size(1)), plan, targets, values);
  return at::matmul(at::matmul(queries, table), documents.t());
}

}  // namespace mustcite::topics
