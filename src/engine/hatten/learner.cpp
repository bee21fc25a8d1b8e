#include <algorithm>
#include <memory>
#include <numeric>

#include "core/base/threads.hpp"
#include "engine/hatten/hatten.hpp"
#include "engine/hatten/prefetcher.hpp"
#include "engine/hatten/reranker.hpp"

namespace mustcite::hatten {
namespace {

namespace fs = std::filesystem;
using baseline::Example;

constexpr std::size_t kPrefetch = 0;
/// Queries of one step of the reranker.
constexpr std::size_t kGroups = 4;
/// Streams of random numbers: orders of the reranker's epochs.
constexpr std::size_t kRerankStream = 1000000;

class Hatten final : public baseline::Learner {
 public:
  explicit Hatten(const baseline::Data& data)
      : data_(data), options_(read_options(data.recipe)), prefetcher_(data, options_) {
    const auto encoder = encoder_folder(options_, data.world.index_folder, data.features->name());
    if (encoder && options_.rerank_depth > 0) {
      reranker_ =
          std::make_unique<Reranker>(*encoder, options_, data.recipe.training.seed, data.world.threads);
    }
  }

  std::vector<baseline::Stage> stages() const override {
    std::vector<baseline::Stage> stages{{"prefetch", data_.recipe.training.epochs}};
    if (reranker_) stages.push_back({"rerank", rerank_epochs(), baseline::Goal::mrr});
    return stages;
  }

  double epoch(std::size_t stage, std::size_t number, Progress& progress) override {
    if (stage == kPrefetch) return prefetcher_.epoch(number, data_.recipe.training.epochs, progress);
    return rerank_epoch(number, progress);
  }

  void score(std::size_t stage, std::span<const Example> queries, std::span<const DocId> documents,
             std::span<float> out) override {
    const auto cosines =
        at::matmul(prefetcher_.queries(queries), prefetcher_.documents(documents).t()).contiguous();
    std::copy_n(cosines.data_ptr<float>(), out.size(), out.begin());
    if (stage == kPrefetch) return;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      put_in_order(queries[i], documents, out.subspan(i * documents.size(), documents.size()));
    }
  }

  std::uint64_t weights() const override {
    return prefetcher_.network().parameters().size() + (reranker_ ? reranker_->weights() : 0);
  }
  void save_state(const fs::path& file) const override {
    neural::TensorList list;
    prefetcher_.network().parameters().add_state(list, "prefetch/");
    if (reranker_) reranker_->parameters().add_state(list, "rerank/");
    list.write(file, {{"format", "pt"}});
  }
  void load_state(const fs::path& file) override {
    prefetcher_.network().parameters().load_state(file, "prefetch/");
    if (reranker_) reranker_->parameters().load_state(file, "rerank/");
  }
  void write(const fs::path& folder) const override {
    prefetcher_.write(folder);
    if (reranker_) reranker_->write(folder);
  }

 private:
  /// No stage has more epochs than the recipe allows: without any, both models stay untrained.
  [[nodiscard]] std::size_t rerank_epochs() const {
    return std::min(options_.rerank_epochs, data_.recipe.training.epochs);
  }

  [[nodiscard]] PaperText text_of(DocId document) const {
    const auto view = data_.world.snapshot->document(document);
    return {std::string(view.title), std::string(view.abstract)};
  }

  /// The first few of the older documents by the reranker's scores, above all others.
  void put_in_order(const Example& query, std::span<const DocId> documents, std::span<float> scores) const {
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < documents.size() && documents[i].value < query.older; ++i)
      places.push_back(i);
    const std::size_t count = std::min(options_.rerank_measured, places.size());
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                      });
    std::vector<PaperText> candidates;
    for (std::size_t i = 0; i < count; ++i) candidates.push_back(text_of(documents[places[i]]));
    const auto ranked = reranker_->rank({query.title, query.abstract}, candidates);
    for (std::size_t i = 0; i < count; ++i) scores[places[i]] = 2 + ranked[i];
  }

  /// The training queries of an epoch, by an order that seed and epoch decide.
  [[nodiscard]] std::vector<Example> drawn_examples(std::size_t number) const {
    std::vector<std::size_t> order(data_.train.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    baseline::Draws draws(data_.recipe.training.seed, kRerankStream + number);
    draws.shuffle(order);
    order.resize(std::min(order.size(), options_.rerank_queries));
    std::vector<Example> examples;
    for (const std::size_t i : order) examples.push_back(data_.train[i]);
    return examples;
  }

  double rerank_epoch(std::size_t number, Progress& progress) {
    const auto& training = data_.recipe.training;
    const auto examples = drawn_examples(number);
    const auto rows = baseline::drawn_documents(data_.train, data_.all.documents, options_.refreshed,
                                                training.seed, kRerankStream + number);
    const auto prefetched = prefetcher_.prefetch(examples, rows, options_.prefetched);
    baseline::Draws draws(training.seed, 2 * kRerankStream + number);
    const std::size_t steps = (examples.size() + kGroups - 1) / kGroups;
    double sum = 0;
    for (std::size_t s = 0; s < steps; ++s) {
      stop_if_interrupted();
      std::vector<Reranker::Group> groups;
      for (std::size_t i = s * kGroups; i < std::min(examples.size(), (s + 1) * kGroups); ++i) {
        groups.push_back(group_of(examples[i], prefetched[i], draws));
      }
      const double share =
          static_cast<double>(number * steps + s + 1) / static_cast<double>(steps * rerank_epochs());
      sum += reranker_->step(groups, baseline::rate_at(options_.rerank_rate, share));
      progress.advance(groups.size());
    }
    return steps == 0 ? 0 : sum / static_cast<double>(steps);
  }

  [[nodiscard]] Reranker::Group group_of(const Example& example, const std::vector<DocId>& prefetched,
                                         baseline::Draws& draws) const {
    Reranker::Group group;
    group.query = {example.title, example.abstract};
    group.candidates.push_back(text_of(example.positives[draws.below(example.positives.size())]));
    for (std::size_t i = 0; i < options_.rerank_negatives && !prefetched.empty(); ++i) {
      group.candidates.push_back(text_of(prefetched[draws.below(prefetched.size())]));
    }
    return group;
  }

  const baseline::Data& data_;
  Options options_;
  Prefetcher prefetcher_;
  std::unique_ptr<Reranker> reranker_;
};

}  // namespace

std::unique_ptr<baseline::Learner> make_learner(const baseline::Data& data) {
  return std::make_unique<Hatten>(data);
}

}  // namespace mustcite::hatten
