#include "engine/terms/topic_graph.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::terms {
namespace {

/// A directed edge before it has its place.
struct Link {
  std::uint32_t from = 0;
  TopicEdge edge;
};

bool same_place(const Link& a, const Link& b) {
  return a.from == b.from && a.edge.to == b.edge.to && a.edge.relation == b.edge.relation;
}

void sort_and_merge(std::vector<Link>& links) {
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    if (a.from != b.from) return a.from < b.from;
    if (a.edge.to != b.edge.to) return a.edge.to < b.edge.to;
    if (a.edge.relation != b.edge.relation) return a.edge.relation < b.edge.relation;
    return a.edge.weight > b.edge.weight;
  });
  links.erase(std::unique(links.begin(), links.end(), same_place), links.end());
}

/// Leaves the `degree` heaviest links of each topic, and with each its way back.
void keep_heaviest(std::vector<Link>& links, std::size_t degree, std::uint32_t relations,
                   const std::vector<bool>& symmetric) {
  std::vector<Link> kept;
  for (std::size_t begin = 0; begin < links.size();) {
    std::size_t end = begin;
    while (end < links.size() && links[end].from == links[begin].from) ++end;
    std::stable_sort(links.begin() + static_cast<std::ptrdiff_t>(begin),
                     links.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Link& a, const Link& b) { return a.edge.weight > b.edge.weight; });
    for (std::size_t i = begin; i < std::min(end, begin + degree); ++i) {
      const Link& link = links[i];
      kept.push_back(link);
      const std::uint32_t plain = link.edge.relation % relations;
      const std::uint32_t back =
          symmetric[plain] ? plain : (link.edge.relation + relations) % (2 * relations);
      kept.push_back({link.edge.to, {link.from, back, link.edge.weight}});
    }
    begin = end;
  }
  links = std::move(kept);
  sort_and_merge(links);
}

}  // namespace

TopicGraph::TopicGraph(std::uint32_t topics, std::vector<std::string> relations, std::vector<bool> symmetric,
                       std::span<const Triple> triples, std::size_t degree)
    : relations_(std::move(relations)) {
  const auto count = static_cast<std::uint32_t>(relations_.size());
  if (symmetric.size() != count)
    fail(ErrorCode::internal, "{} relations, {} of them described", count, symmetric.size());
  std::vector<Link> links;
  links.reserve(2 * triples.size());
  for (const auto& triple : triples) {
    if (triple.head >= topics || triple.tail >= topics || triple.relation >= count || !(triple.weight > 0) ||
        !std::isfinite(triple.weight)) {
      fail(ErrorCode::invalid_input,
           "a topic graph of {} topics and {} relations cannot hold the triple {} -{}-> {} of weight {}",
           topics, count, triple.head, triple.relation, triple.tail, triple.weight);
    }
    if (triple.head == triple.tail) continue;
    links.push_back({triple.head, {triple.tail, triple.relation, triple.weight}});
    const std::uint32_t back = symmetric[triple.relation] ? triple.relation : triple.relation + count;
    links.push_back({triple.tail, {triple.head, back, triple.weight}});
  }
  sort_and_merge(links);
  if (degree > 0) keep_heaviest(links, degree, count, symmetric);
  begin_.assign(topics + 1, 0);
  for (const auto& link : links) ++begin_[link.from + 1];
  for (std::uint32_t i = 0; i < topics; ++i) begin_[i + 1] += begin_[i];
  edges_.reserve(links.size());
  for (const auto& link : links) edges_.push_back(link.edge);
}

std::string TopicGraph::relation(std::uint32_t number) const {
  return number < relations_.size() ? relations_[number] : "~" + relations_.at(number - relations_.size());
}

std::vector<PathStep> best_paths(const TopicGraph& graph, std::uint32_t source, std::size_t most_hops) {
  constexpr std::uint32_t kNew = 0xffffffff;
  std::vector<PathStep> steps{{source, 0, 0, 0, 1}};
  std::vector<std::uint32_t> place(graph.topics(), kNew);
  place[source] = 0;
  std::size_t begin = 0;
  for (std::uint32_t hops = 1; hops <= most_hops; ++hops) {
    const std::size_t end = steps.size();
    for (std::size_t from = begin; from < end; ++from) {
      float largest = 0;
      for (const auto& edge : graph.neighbours(steps[from].topic)) largest = std::max(largest, edge.weight);
      for (const auto& edge : graph.neighbours(steps[from].topic)) {
        if (place[edge.to] < end) continue;
        const float strength = steps[from].strength * edge.weight / largest;
        const PathStep step{edge.to, static_cast<std::uint32_t>(from), edge.relation, hops, strength};
        if (place[edge.to] == kNew) {
          place[edge.to] = static_cast<std::uint32_t>(steps.size());
          steps.push_back(step);
        } else if (strength > steps[place[edge.to]].strength) {
          steps[place[edge.to]] = step;
        }
      }
    }
    std::sort(steps.begin() + static_cast<std::ptrdiff_t>(end), steps.end(),
              [](const PathStep& a, const PathStep& b) { return a.topic < b.topic; });
    for (std::size_t i = end; i < steps.size(); ++i) place[steps[i].topic] = static_cast<std::uint32_t>(i);
    if (steps.size() == end) break;
    begin = end;
  }
  return steps;
}

TopicGraph cooccurrence_graph(const TopicTable& table, std::uint32_t documents, const Cooccurrence& options) {
  const std::uint32_t topics = table.topics();
  const auto frequencies = table.frequencies(documents);
  std::vector<std::uint32_t> alone(topics, 0);
  std::vector<std::uint32_t> together(static_cast<std::size_t>(topics) * topics, 0);
  for (std::uint32_t row = 0; row < std::min(documents, table.rows()); ++row) {
    const auto named = main_topics(table.row(row), frequencies, documents, options.main_topics);
    for (const auto& a : named) {
      ++alone[a.topic];
      for (const auto& b : named) {
        if (a.topic < b.topic) ++together[static_cast<std::size_t>(a.topic) * topics + b.topic];
      }
    }
  }
  std::vector<Triple> triples;
  for (std::uint32_t a = 0; a < topics; ++a) {
    for (std::uint32_t b = a + 1; b < topics; ++b) {
      const std::uint32_t both = together[static_cast<std::size_t>(a) * topics + b];
      if (both < options.min_documents) continue;
      const double share = static_cast<double>(both) / documents;
      const double npmi =
          share >= 1 ? 1 : std::log(share * documents / alone[a] * documents / alone[b]) / -std::log(share);
      if (npmi >= options.min_npmi) triples.push_back({0, a, b, static_cast<float>(npmi)});
    }
  }
  return TopicGraph(topics, {"named-with"}, {true}, triples, options.degree);
}

}  // namespace mustcite::terms
