#include <algorithm>
#include <cmath>

#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank {

std::vector<graph::Weighted> joint_votes(const QueryContext& context) {
  const auto largest = [](const std::vector<graph::Weighted>& list) {
    float most = 1e-9F;
    for (const graph::Weighted& item : list) most = std::max(most, item.weight);
    return most;
  };
  const std::vector<graph::Weighted>& a = context.by_text.documents;
  const std::vector<graph::Weighted>& b = context.by_vector.documents;
  const float most_a = largest(a);
  const float most_b = largest(b);
  std::vector<graph::Weighted> result;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const std::uint32_t row =
        std::min(i < a.size() ? a[i].row : 0xffffffffU, j < b.size() ? b[j].row : 0xffffffffU);
    float weight = 0;
    if (i < a.size() && a[i].row == row) weight += a[i++].weight / most_a;
    if (j < b.size() && b[j].row == row) weight += b[j++].weight / most_b;
    result.push_back({row, weight});
  }
  return result;
}

std::vector<graph::Weighted> added_up(std::vector<graph::Weighted> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const graph::Weighted& a, const graph::Weighted& b) { return a.row < b.row; });
  std::vector<graph::Weighted> sums;
  for (const graph::Weighted& part : parts) {
    if (sums.empty() || sums.back().row != part.row) {
      sums.push_back(part);
    } else {
      sums.back().weight += part.weight;
    }
  }
  return sums;
}

float damped(const QueryContext& context, const graph::Weighted& vote) {
  const CitedCounts counts = context.cited(DocId{vote.row});
  return vote.weight / std::sqrt(static_cast<float>(counts.citing) + 1.0F);
}

namespace detail {
namespace {

class NeighbourView final : public View {
 public:
  explicit NeighbourView(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    std::vector<graph::Weighted> found =
        name_ == "neighbours" ? context.by_text.documents : context.by_vector.documents;
    for (graph::Weighted& item : found) item.weight = damped(context, item);
    return std::make_unique<FoundList>(std::move(found));
  }

 private:
  std::string name_;
};

/// Neighbours of both kinds, each kind with weights that add up to one, count where they cite a document in
/// earnest.
class EarnestView final : public View {
 public:
  explicit EarnestView(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const graph::CitationGraph& graph = context.resources->graph();
    std::vector<graph::Weighted> parts;
    for (const Votes* const votes : {&context.by_text, &context.by_vector}) {
      float total = 1e-9F;
      for (const graph::Weighted& neighbour : votes->neighbours) total += neighbour.weight;
      for (const graph::Weighted& neighbour : votes->neighbours) {
        const graph::CitationGraph::Range range = graph.references(neighbour.row, context.as_of.evidence);
        for (std::uint32_t e = range.first; e < range.last; ++e) {
          const graph::Edge& edge = graph.edge(e);
          const bool counts = name_ == "must-votes" ? edge.mentions >= 3 : edge.exp_mentions > 0;
          if (!counts || edge.cited.value >= context.as_of.documents || graph.is_self_citation(edge))
            continue;
          parts.push_back({edge.cited.value, neighbour.weight / total});
        }
      }
    }
    std::vector<graph::Weighted> found = added_up(std::move(parts));
    std::erase_if(found,
                  [&](const graph::Weighted& item) { return contains(context.excluded, DocId{item.row}); });
    return std::make_unique<FoundList>(std::move(found));
  }

 private:
  std::string name_;
};

/// Documents that cite themselves what the neighbours cite: the similarity of two bibliographies.
class CouplingView final : public View {
 public:
  std::string name() const override { return "coupling"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const graph::CitationGraph& graph = context.resources->graph();
    std::vector<graph::Weighted> votes = joint_votes(context);
    for (graph::Weighted& vote : votes) vote.weight = damped(context, vote);
    std::vector<graph::Weighted> found;
    for (const graph::Weighted& citing : graph::coupled(graph, votes, context.horizon)) {
      const DocId doc = graph.document_of(citing.row);
      if (doc.value >= context.as_of.documents || contains(context.excluded, doc)) continue;
      const graph::CitationGraph::Range range = graph.references(citing.row, context.as_of.evidence);
      found.push_back(
          {doc.value, citing.weight / std::sqrt(static_cast<float>(range.last - range.first) + 1.0F)});
    }
    std::sort(found.begin(), found.end(),
              [](const graph::Weighted& a, const graph::Weighted& b) { return a.row < b.row; });
    return std::make_unique<FoundList>(std::move(found));
  }
};

}  // namespace

std::unique_ptr<View> make_neighbour_view(const std::string& name) {
  if (name == "neighbours" || name == "latent-neighbours") return std::make_unique<NeighbourView>(name);
  if (name == "must-votes" || name == "experiment-votes") return std::make_unique<EarnestView>(name);
  if (name == "coupling") return std::make_unique<CouplingView>();
  return nullptr;
}

}  // namespace detail
}  // namespace mustcite::rank
