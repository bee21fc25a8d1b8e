#include "engine/baseline/nearest.hpp"
#include "engine/gnn/features.hpp"
#include "engine/gnn/litfm.hpp"
#include "engine/gnn/vectors_cache.hpp"
#include "engine/neural/packed_layers.hpp"

namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;

class LitFmRanker final : public baseline::Ranker {
 public:
  LitFmRanker(const fs::path& folder, const baseline::Card& card, const baseline::World& world)
      : card_(card),
        world_(world),
        options_(litfm_options(baseline::parse_recipe(card.recipe, card.name).model)),
        vectors_(features_of(card, world)),
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
    const auto features = query_features(*vectors_, std::span<const baseline::Request>(&request, 1));
    return baseline::nearest(*all, neural::values_of(network_.queries(features)), request);
  }

 private:
  [[nodiscard]] std::vector<float> document_vectors(const baseline::AsOf& as_of) const {
    std::vector<DocId> documents;
    for (std::uint32_t row = 0; row < as_of.documents; ++row) documents.push_back(DocId{row});
    const auto around =
        neighbourhoods(*world_.graph, as_of, documents, documents_, options_.neighbours, card_.seed);
    return neural::values_of(network_.documents(documents_.narrow(0, 0, as_of.documents), around));
  }

  baseline::Card card_;
  baseline::World world_;
  LitFmOptions options_;
  std::unique_ptr<baseline::TextVectors> vectors_;
  LitFmNetwork network_;
  at::Tensor documents_;
  mutable VectorsCache cache_;
};

}  // namespace

std::unique_ptr<baseline::Ranker> open_litfm(const fs::path& folder, const baseline::Card& card,
                                             const baseline::World& world) {
  return std::make_unique<LitFmRanker>(folder, card, world);
}

}  // namespace mustcite::gnn
