#include <algorithm>
#include <memory>
#include <mutex>

#include "core/base/error.hpp"
#include "engine/dense/vector_file.hpp"
#include "engine/hatten/hatten.hpp"
#include "engine/hatten/prefetcher.hpp"
#include "engine/hatten/reranker.hpp"
#include "engine/model/tensor_file.hpp"

namespace mustcite::hatten {
namespace {

namespace fs = std::filesystem;

/// The network's shape as its weights say it.
Shape shape_in(const fs::path& folder, const Options& options) {
  const auto weights = model::TensorFile::open(folder / baseline::kWeightsFile);
  const auto* words = weights.find("words");
  if (words == nullptr || words->shape.size() != 2) {
    fail(ErrorCode::corrupt, "the model in {} has no table of words: train it again", folder.string());
  }
  const bool given = weights.find("project.weight") != nullptr;
  return shape_of(options, words->shape[0], given ? words->shape[1] : 0);
}

class HattenRanker final : public baseline::Ranker {
 public:
  HattenRanker(const fs::path& folder, const baseline::Card& card, const baseline::World& world)
      : card_(card),
        world_(world),
        options_(read_options(baseline::parse_recipe(card.recipe, card.name))),
        reader_(WordReader::open(folder, options_.words)),
        network_(shape_in(folder, options_), card.seed, {}),
        vectors_(dense::VectorFile::open(folder)) {
    network_.parameters().load_weights(folder / baseline::kWeightsFile);
    if (vectors_.info().snapshot_digest != world.snapshot->digest()) {
      fail(ErrorCode::corrupt, "the vectors in {} are of other documents than the index's: train it again",
           folder.string());
    }
    if (Reranker::lies_in(folder)) reranker_ = Reranker::open(folder, options_, world.threads);
  }

  const baseline::Card& card() const override { return card_; }

  std::vector<baseline::Scored> rank(const baseline::Request& request) const override {
    const std::lock_guard lock(mutex_);
    const PaperText query = text_of(request);
    const auto vector = unit_vectors(network_, 1, [&](std::size_t) {
                          return reader_.read(query.title, query.abstract);
                        }).contiguous();
    dense::DenseSearch search;
    search.depth = std::max(request.depth, reranker_ ? options_.rerank_depth : 0);
    search.prefix = request.as_of.documents;
    search.exclude = request.exclude;
    auto found =
        vectors_.search({vector.data_ptr<float>(), static_cast<std::size_t>(vector.numel())}, search);
    if (reranker_) put_in_order(query, found);
    if (found.size() > request.depth) found.resize(request.depth);
    return found;
  }

 private:
  /// A topic sentence is read as the end of the abstract.
  static PaperText text_of(const baseline::Request& request) {
    std::string abstract = request.abstract;
    if (!request.topic.empty()) abstract += (abstract.empty() ? "" : " ") + request.topic;
    return {request.title, abstract};
  }

  /// The first few by the reranker's scores, 1 above them, so that they stay above the others' cosines.
  void put_in_order(const PaperText& query, std::vector<baseline::Scored>& found) const {
    const std::size_t count = std::min(options_.rerank_depth, found.size());
    std::vector<PaperText> candidates;
    for (std::size_t i = 0; i < count; ++i) {
      const auto view = world_.snapshot->document(found[i].doc);
      candidates.push_back({std::string(view.title), std::string(view.abstract)});
    }
    const auto scores = reranker_->rank(query, candidates);
    for (std::size_t i = 0; i < count; ++i) found[i].score = 1 + scores[i];
    std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count),
              [](const baseline::Scored& a, const baseline::Scored& b) {
                return a.score != b.score ? a.score > b.score : a.doc < b.doc;
              });
  }

  baseline::Card card_;
  baseline::World world_;
  Options options_;
  WordReader reader_;
  Network network_;
  dense::VectorFile vectors_;
  std::unique_ptr<Reranker> reranker_;
  mutable std::mutex mutex_;
};

}  // namespace

std::unique_ptr<baseline::Ranker> open_ranker(const fs::path& folder, const baseline::Card& card,
                                              const baseline::World& world) {
  return std::make_unique<HattenRanker>(folder, card, world);
}

}  // namespace mustcite::hatten
