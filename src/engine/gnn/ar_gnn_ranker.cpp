#include <algorithm>

#include "engine/baseline/nearest.hpp"
#include "engine/gnn/ar_gnn.hpp"
#include "engine/gnn/features.hpp"
#include "engine/gnn/layers.hpp"
#include "engine/gnn/vectors_cache.hpp"
#include "engine/neural/packed_layers.hpp"

namespace mustcite::gnn {
namespace {

constexpr std::uint32_t kPapersAtOnce = 16384;

class ArGnnRanker final : public baseline::Ranker {
 public:
  ArGnnRanker(const std::filesystem::path& folder, const baseline::Card& card, const baseline::World& world)
      : card_(card),
        options_(ar_gnn_options(baseline::parse_recipe(card.recipe, card.name).model)),
        vectors_(features_of(card, world)),
        keywords_(graph::Keywords::read(folder / "keywords.tsv")),
        graph_(*world.snapshot, *world.graph, keywords_, world.threads),
        network_(options_, vectors_->dimensions(), 0),
        documents_(document_features(*vectors_, world.snapshot->size())) {
    network_.weights().read(folder / baseline::kWeightsFile);
  }

  const baseline::Card& card() const override { return card_; }

  void prepare(std::span<const baseline::Request> requests) const override {
    static_cast<void>(query_features(*vectors_, requests));
  }

  std::vector<baseline::Scored> rank(const baseline::Request& request) const override {
    const at::NoGradGuard without_gradients;
    const auto all = cache_.get(request.as_of, [&] { return document_vectors(request.as_of); });
    Newcomer about;
    if (const auto venue = graph_.venue_node(request.venue)) about.push_back(*venue);
    const std::string text =
        request.topic.empty() ? request.abstract : request.abstract + "\n" + request.topic;
    for (const std::uint32_t keyword : keywords_.of(request.title, text))
      about.push_back(graph_.keyword_node(keyword));
    const auto block = sampler(request.as_of).block({}, std::span<const Newcomer>(&about, 1));
    const auto features = query_features(*vectors_, std::span<const baseline::Request>(&request, 1));
    return baseline::nearest(*all, neural::values_of(unit_rows(network_.embed(block, documents_, features))),
                             request);
  }

 private:
  [[nodiscard]] NeighbourSampler sampler(const baseline::AsOf& as_of) const {
    return {graph_, as_of, options_.fanout, card_.seed};
  }

  [[nodiscard]] std::vector<float> document_vectors(const baseline::AsOf& as_of) const {
    std::vector<float> all;
    all.reserve(std::size_t{as_of.documents} * network_.options().size);
    std::vector<DocId> papers;
    for (std::uint32_t begin = 0; begin < as_of.documents; begin += kPapersAtOnce) {
      papers.clear();
      for (std::uint32_t row = begin; row < std::min(begin + kPapersAtOnce, as_of.documents); ++row)
        papers.push_back(DocId{row});
      const auto part =
          neural::values_of(unit_rows(network_.embed(sampler(as_of).block(papers, {}), documents_, {})));
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  baseline::Card card_;
  ArGnnOptions options_;
  std::unique_ptr<baseline::TextVectors> vectors_;
  graph::Keywords keywords_;
  graph::BibliographicGraph graph_;
  ArGnnNetwork network_;
  at::Tensor documents_;
  mutable VectorsCache cache_;
};

}  // namespace

std::unique_ptr<baseline::Ranker> open_ar_gnn(const std::filesystem::path& folder, const baseline::Card& card,
                                              const baseline::World& world) {
  return std::make_unique<ArGnnRanker>(folder, card, world);
}

}  // namespace mustcite::gnn
