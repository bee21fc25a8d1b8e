#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/topics/network.hpp"
#include "engine/topics/topic_world.hpp"

namespace mustcite::topics {

using PaperTopics = std::vector<std::vector<terms::TopicMention>>;

/// Weights of topics as numbers: [papers, axis], 0 where a paper does not name the topic. `axis` ascends.
[[nodiscard]] at::Tensor topic_weights(const PaperTopics& papers, std::span<const std::uint32_t> axis);

/// Edges of the graph convolution, once a date. Not thread-safe.
class DatedEdges {
 public:
  [[nodiscard]] const Edges& of(const Dated& date);

 private:
  std::map<std::uint32_t, Edges> edges_;
};

/// The path reasoning of every pair, [queries, documents], through which gradients flow. Zeros where nobody
/// names a topic.
[[nodiscard]] at::Tensor reasoning(const Network& network, const Dated& date, const Edges& edges,
                                   const PaperTopics& queries, const PaperTopics& documents,
                                   std::size_t hops);

}  // namespace mustcite::topics
