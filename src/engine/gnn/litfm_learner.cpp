#include <ATen/Parallel.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/threads.hpp"
#include "engine/gnn/epoch.hpp"
#include "engine/gnn/features.hpp"
#include "engine/gnn/layers.hpp"
#include "engine/gnn/litfm.hpp"
#include "engine/neural/losses.hpp"

namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;
using baseline::Example;

class LitFmLearner final : public baseline::Learner {
 public:
  explicit LitFmLearner(const baseline::Data& data)
      : data_(data),
        options_(litfm_options(data.recipe.model)),
        network_(options_, data.features->dimensions(), data.recipe.training.seed * 1000003),
        documents_(document_features(*data.features, data.all.documents)),
        train_features_(query_features(data, data.train)),
        held_out_features_(query_features(data, data.held_out)),
        examples_(options_.hard > 0 ? with_hard_negatives(data) : data.train) {
    at::set_num_threads(static_cast<int>(data.world.threads > 0 ? data.world.threads : available_cores()));
    for (std::size_t i = 0; i < data.held_out.size(); ++i) held_out_places_[data.held_out[i].id] = i;
  }

  std::vector<baseline::Stage> stages() const override { return {{"train", data_.recipe.training.epochs}}; }

  double epoch(std::size_t, std::size_t number, Progress& progress) override {
    return one_epoch(
        examples_, data_.recipe.training, number, network_.weights(),
        [&](const Batch& batch, std::uint64_t key) { return loss_of(batch, key); }, progress);
  }

  void score(std::size_t, std::span<const Example> queries, std::span<const DocId> documents,
             std::span<float> out) override {
    const at::NoGradGuard without_gradients;
    for (std::size_t q = 0; q < queries.size();) {
      const auto& as_of = queries[q].as_of;
      const auto older = std::lower_bound(documents.begin(), documents.end(), DocId{as_of.documents});
      const auto known = documents.first(static_cast<std::size_t>(older - documents.begin()));
      std::vector<std::int64_t> rows;
      std::size_t end = q;
      for (; end < queries.size() && queries[end].as_of == as_of; ++end)
        rows.push_back(static_cast<std::int64_t>(held_out_places_.at(queries[end].id)));
      const auto vectors = network_.queries(held_out_features_.index_select(0, at::tensor(rows, at::kLong)));
      const auto scores =
          vectors.matmul(document_vectors(as_of, known, data_.recipe.training.seed).t()).contiguous();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(scores.data_ptr<float>() + i * known.size(), known.size(),
                    out.begin() + static_cast<std::ptrdiff_t>((q + i) * documents.size()));
      }
      q = end;
    }
  }

  std::uint64_t weights() const override { return network_.weights().count(); }
  void save_state(const fs::path& file) const override { network_.weights().save_state(file); }
  void load_state(const fs::path& file) override { network_.weights().load_state(file); }
  void write(const fs::path& folder) const override {
    network_.weights().write(folder / baseline::kWeightsFile);
  }

 private:
  [[nodiscard]] at::Tensor texts(std::span<const DocId> documents) const {
    std::vector<std::int64_t> rows;
    for (const DocId doc : documents) rows.push_back(doc.value);
    return documents_.index_select(0, at::tensor(rows, at::kLong));
  }

  [[nodiscard]] at::Tensor document_vectors(const baseline::AsOf& as_of, std::span<const DocId> documents,
                                            std::uint64_t seed) const {
    return network_.documents(texts(documents), neighbourhoods(*data_.world.graph, as_of, documents,
                                                               documents_, options_.neighbours, seed));
  }

  at::Tensor loss_of(const Batch& batch, std::uint64_t key) const {
    const auto drawn =
        draw_documents(examples_, batch, {options_.positives, options_.negatives, options_.hard}, key);
    std::vector<std::int64_t> rows;
    for (const std::size_t i : batch) rows.push_back(static_cast<std::int64_t>(i));
    const auto queries = train_features_.index_select(0, at::tensor(rows, at::kLong));
    const auto pseudo = network_.pseudo_neighbourhoods(queries);
    const auto vectors = network_.documents(queries, pseudo);
    const auto documents = document_vectors(examples_[batch.front()].as_of, drawn.documents, key);
    const auto related = matrix(drawn.related, batch.size());
    const auto positive = related > 0;
    const auto ignored = (matrix(drawn.unrelated, batch.size()) == 0).logical_and(positive.logical_not());
    const auto scores = vectors.matmul(documents.t()) / options_.temperature;
    // What the neighbourhood will be: the mean text of what the query cites.
    const auto real = related.matmul(texts(drawn.documents)) / related.sum({1}, true).clamp_min(1e-6);
    return neural::nt_xent_of_scores(scores, positive, ignored) +
           options_.pseudo * (pseudo - real).abs().sum(1).mean() +
           options_.sparsity * network_.absolute_weights();
  }

  const baseline::Data& data_;
  LitFmOptions options_;
  LitFmNetwork network_;
  at::Tensor documents_;
  at::Tensor train_features_;
  at::Tensor held_out_features_;
  std::vector<Example> examples_;  ///< with hard negatives
  std::unordered_map<std::string, std::size_t> held_out_places_;
};

}  // namespace

std::unique_ptr<baseline::Learner> make_litfm_learner(const baseline::Data& data) {
  return std::make_unique<LitFmLearner>(data);
}

}  // namespace mustcite::gnn
