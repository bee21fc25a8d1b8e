#include "engine/topics/reasoning.hpp"

#include <algorithm>

namespace mustcite::topics {
namespace {

constexpr std::size_t kMostDates = 64;

}  // namespace

at::Tensor topic_weights(const PaperTopics& papers, std::span<const std::uint32_t> axis) {
  auto weights =
      at::zeros({static_cast<std::int64_t>(papers.size()), static_cast<std::int64_t>(axis.size())});
  auto* row = weights.data_ptr<float>();
  for (const auto& paper : papers) {
    for (const auto& mention : paper) {
      const auto at = std::lower_bound(axis.begin(), axis.end(), mention.topic);
      if (at != axis.end() && *at == mention.topic) row[at - axis.begin()] = mention.times;
    }
    row += axis.size();
  }
  return weights;
}

const Edges& DatedEdges::of(const Dated& date) {
  if (const auto found = edges_.find(date.documents); found != edges_.end()) return found->second;
  if (edges_.size() >= kMostDates) edges_.clear();
  return edges_.emplace(date.documents, normalised_edges(date.graph)).first->second;
}

at::Tensor reasoning(const Network& network, const Dated& date, const Edges& edges,
                     const PaperTopics& queries, const PaperTopics& documents, std::size_t hops) {
  const auto sources = topics_named(queries);
  const auto targets = topics_named(documents);
  if (sources.empty() || targets.empty()) {
    return at::zeros(
        {static_cast<std::int64_t>(queries.size()), static_cast<std::int64_t>(documents.size())});
  }
  const auto plan = plan_paths(date.graph, sources, targets, hops);
  const auto values = network.path_values(plan, network.topics(edges));
  return reason(topic_weights(queries, sources), topic_weights(documents, targets), plan, targets, values);
}

}  // namespace mustcite::topics
