#include "engine/topics/layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace mustcite::topics {
namespace {

at::Tensor indices(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong);
}

at::Tensor unit(const at::Tensor& x) {
  return x / x.norm(2, {1}, true).clamp_min(1e-12);
}

}  // namespace

Gru make_gru(neural::Parameters& parameters, const std::string& name, std::int64_t in, std::int64_t width) {
  Gru gru;
  gru.input = parameters.linear(name + ".input", in, 3 * width);
  gru.hidden = parameters.linear(name + ".hidden", width, 3 * width);
  return gru;
}

at::Tensor step(const Gru& gru, const at::Tensor& x, const at::Tensor& h) {
  const auto from_input = at::linear(x, gru.input.weight, gru.input.bias).chunk(3, 1);
  const auto from_state = at::linear(h, gru.hidden.weight, gru.hidden.bias).chunk(3, 1);
  const auto reset = at::sigmoid(from_input[0] + from_state[0]);
  const auto keep = at::sigmoid(from_input[1] + from_state[1]);
  const auto fresh = at::tanh(from_input[2] + reset * from_state[2]);
  return fresh + keep * (h - fresh);
}

Edges normalised_edges(const terms::TopicGraph& graph) {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> weight;
  std::vector<double> degree(graph.topics(), 0);
  for (std::uint32_t topic = 0; topic < graph.topics(); ++topic) {
    std::map<std::uint32_t, float> heaviest{{topic, 1.0F}};
    for (const auto& edge : graph.neighbours(topic)) {
      auto& known = heaviest[edge.to];
      known = std::max(known, edge.weight);
    }
    for (const auto& [other, value] : heaviest) {
      columns.push_back(other);
      weight.push_back(value);
      degree[topic] += value;
    }
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  auto scaled = at::empty({static_cast<std::int64_t>(weight.size()), 1});
  for (std::uint32_t row = 0; row < graph.topics(); ++row) {
    for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i) {
      scaled.data_ptr<float>()[i] =
          static_cast<float>(weight[i] / std::sqrt(degree[row] * degree[columns[i]]));
    }
  }
  return {std::make_shared<const gnn::Sparse>(std::move(begin), std::move(columns), graph.topics()), scaled};
}

at::Tensor propagate(const Edges& edges, const at::Tensor& x) {
  return gnn::spmm(edges.sparse, edges.weight, x.unsqueeze(1)).squeeze(1);
}

std::size_t PathPlan::states() const noexcept {
  std::size_t count = 0;
  for (const auto& level : levels) count += level.topic.size();
  return count;
}

PathPlan plan_paths(const terms::TopicGraph& graph, std::span<const std::uint32_t> sources,
                    std::span<const std::uint32_t> targets, std::size_t most_hops) {
  struct Tree {
    std::vector<terms::PathStep> steps;
    std::vector<bool> needed;
    std::vector<std::int64_t> place;
  };
  std::vector<Tree> trees;
  for (const std::uint32_t source : sources) {
    Tree tree;
    tree.steps = terms::best_paths(graph, source, most_hops);
    tree.needed.resize(tree.steps.size());
    tree.place.resize(tree.steps.size());
    for (std::size_t i = tree.steps.size(); i-- > 0;) {
      const auto topic = tree.steps[i].topic;
      const bool asked = targets.empty() || std::binary_search(targets.begin(), targets.end(), topic);
      if (asked || tree.needed[i]) tree.needed[i] = tree.needed[tree.steps[i].parent] = true;
    }
    trees.push_back(std::move(tree));
  }
  PathPlan plan;
  std::int64_t place = 0;
  for (std::uint32_t hops = 0; hops <= most_hops; ++hops) {
    PathPlan::Level level;
    for (std::uint32_t s = 0; s < trees.size(); ++s) {
      Tree& tree = trees[s];
      for (std::size_t i = 0; i < tree.steps.size(); ++i) {
        const auto& step = tree.steps[i];
        if (step.hops != hops || !tree.needed[i]) continue;
        level.topic.push_back(step.topic);
        level.relation.push_back(hops == 0 ? graph.relations() : step.relation);
        level.parent.push_back(tree.place[step.parent]);
        tree.place[i] = place;
        const bool asked = targets.empty() || std::binary_search(targets.begin(), targets.end(), step.topic);
        if (asked) plan.ends.push_back({s, step.topic, place});
        ++place;
      }
    }
    if (level.topic.empty()) break;
    plan.levels.push_back(std::move(level));
  }
  return plan;
}

at::Tensor path_states(const Gru& gru, const PathPlan& plan, const at::Tensor& topics,
                       const at::Tensor& relations) {
  const std::int64_t width = gru.hidden.weight.size(1);
  std::vector<at::Tensor> states;
  std::int64_t before = 0;  // places of the level above begin here
  std::int64_t begin = 0;
  for (const auto& level : plan.levels) {
    const auto x =
        topics.index_select(0, indices(level.topic)) + relations.index_select(0, indices(level.relation));
    const auto h = states.empty() ? at::zeros({x.size(0), width})
                                  : states.back().index_select(0, indices(level.parent) - before);
    states.push_back(step(gru, x, h));
    before = begin;
    begin += x.size(0);
  }
  if (states.empty()) return at::zeros({0, width});
  std::vector<std::int64_t> ends;
  for (const auto& end : plan.ends) ends.push_back(end.place);
  return at::cat(states).index_select(0, indices(ends));
}

at::Tensor cited_loss(const at::Tensor& logits, const at::Tensor& cited, const at::Tensor& counted) {
  const auto is_cited = cited.to(at::kFloat);
  // log(1 + exp(x)) - x * cited
  const auto each = at::softplus(logits) - logits * is_cited;
  const auto weight = counted.to(at::kFloat);
  return (each * weight).sum() / (is_cited * weight).sum().clamp_min(1);
}

at::Tensor alignment_loss(const at::Tensor& content, const at::Tensor& structure, double temperature) {
  const auto scores = at::matmul(unit(content), unit(structure).t()) / temperature;
  const auto right = scores.diagonal();
  return ((at::logsumexp(scores, 1) - right).mean() + (at::logsumexp(scores, 0) - right).mean()) / 2;
}

}  // namespace mustcite::topics
