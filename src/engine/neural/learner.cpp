#include "engine/neural/learner.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/neural/batch_loss.hpp"
#include "engine/neural/cross_encoder.hpp"
#include "engine/neural/encoder.hpp"
#include "engine/neural/late_learner.hpp"
#include "engine/neural/losses.hpp"
#include "engine/neural/model_writer.hpp"
#include "engine/neural/packed_training.hpp"
#include "engine/neural/trained_weights.hpp"
#include "engine/train/measure.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;

class TorchLearner final : public train::Learner {
 public:
  TorchLearner(const model::ModelFolder& folder, const train::LearnerOptions& options)
      : options_(options),
        bert_(folder, load_weights(folder)),
        optimiser_(trained_parameters(bert_.weights(), options.trained_layers),
                   {options.beta1, options.beta2, 1e-8, options.weight_decay, options.threads}),
        states_(bert_, {options.mixed, options.dropout, options.threads}) {
    if (folder.adapter) {
      fail(ErrorCode::invalid_input,
           "cannot train {}: models with an adapter are not trained; take the base model",
           folder.folder.string());
    }
    at::set_num_threads(static_cast<int>(options.threads > 0 ? options.threads : available_cores()));
  }

  double accumulate(const train::Batch& batch, double share, std::uint64_t step) override {
    at::manual_seed(options_.seed * 1000003 + step);
    if (train::reads_pairs(options_.loss)) return descend(pair_loss_of(batch), share, step);
    std::vector<const model::Encoding*> texts;
    for (const auto& text : batch.queries) texts.push_back(&text);
    for (const auto& text : batch.documents) texts.push_back(&text);
    const auto vectors = states_.vectors(texts);
    const auto split = static_cast<std::int64_t>(batch.queries.size());
    const auto queries = vectors.narrow(0, 0, split);
    const auto documents = vectors.narrow(0, split, vectors.size(0) - split);
    return descend(loss_of(batch, queries, documents), share, step);
  }

  double update(double rate) override {
    const double length = optimiser_.clip(options_.clip);
    optimiser_.step(rate);
    return length;
  }

  void similarities(std::span<const std::string_view> queries, std::span<const std::string_view> documents,
                    std::span<float> out) override {
    dense::EncoderOptions options;
    options.threads = options_.threads;
    const auto encoder = make_encoder(bert_.folder(), bert_.weights(), options);
    const std::size_t dims = encoder->dimensions();
    std::vector<float> asked(queries.size() * dims);
    std::vector<float> found(documents.size() * dims);
    encoder->encode(queries, asked);
    encoder->encode(documents, found);
    train::compare(asked, found, dims, train::nearness_of(options_.loss), out);
  }
  void score(std::span<const train::TextPair> pairs, std::span<float> out) override {
    dense::EncoderOptions options;
    options.threads = options_.threads;
    std::vector<dense::TextPair> texts;
    for (const auto& [first, second] : pairs) texts.push_back({first, second});
    make_encoder(bert_.folder(), bert_.weights(), options)->encode_pairs(texts, out);
  }

  std::uint64_t trained_weights() const override { return numbers_of(optimiser_); }
  std::uint64_t weights() const override { return numbers_of(bert_.weights()); }

  void save_state(const fs::path& file) const override { save_checkpoint(optimiser_, file); }

  void load_state(const fs::path& file) override { load_checkpoint(optimiser_, file); }

  void write_model(const fs::path& folder) const override {
    if (model::head_of(bert_.folder())) return write_cross_encoder(bert_.folder(), bert_.weights(), folder);
    neural::write_model(bert_.folder(), bert_.weights(), folder);
  }

 private:
  /// Adds the gradients of the loss; returns its value.
  double descend(const at::Tensor& loss, double share, std::uint64_t step) const {
    const double value = value_of(loss, step);
    (loss * share).backward();
    return value;
  }

  at::Tensor pair_loss_of(const train::Batch& batch) const {
    std::vector<const model::Encoding*> texts;
    for (const auto& pair : batch.pairs) texts.push_back(&pair);
    auto scores = states_.vectors(texts).squeeze(1);
    if (!batch.offsets.empty()) {
      auto offsets = at::empty(scores.sizes());
      std::copy(batch.offsets.begin(), batch.offsets.end(), offsets.data_ptr<float>());
      scores = scores + offsets;
    }
    if (options_.loss == train::Loss::pair_logistic) return pair_logistic(scores, batch.group_sizes);
    return pair_softmax(scores, batch.group_sizes);
  }

  at::Tensor loss_of(const train::Batch& batch, const at::Tensor& queries,
                     const at::Tensor& documents) const {
    if (options_.loss == train::Loss::nt_xent) {
      return nt_xent_of_batch(cosines(queries, documents) / options_.temperature, batch, options_);
    }
    const auto pick = [&](const at::Tensor& from, std::uint32_t train::Tuple::*member) {
      auto rows = at::empty({static_cast<std::int64_t>(batch.tuples.size())}, at::kLong);
      for (std::size_t i = 0; i < batch.tuples.size(); ++i)
        rows.data_ptr<std::int64_t>()[i] = batch.tuples[i].*member;
      return from.index_select(0, rows);
    };
    const auto query = pick(queries, &train::Tuple::query);
    const auto first = pick(documents, &train::Tuple::first);
    const auto negative = pick(documents, &train::Tuple::negative);
    if (options_.loss == train::Loss::triplet) return triplet(query, first, negative, options_.margin);
    return quadruplet(query, first, pick(documents, &train::Tuple::second), negative, options_.margin);
  }

  train::LearnerOptions options_;
  Bert bert_;
  AdamW optimiser_;
  TokenStates states_;
};

}  // namespace

std::unique_ptr<train::Learner> make_learner(const model::ModelFolder& folder,
                                             const train::LearnerOptions& options) {
  if (options.late) return make_late_learner(folder, options);
  return std::make_unique<TorchLearner>(folder, options);
}

}  // namespace mustcite::neural
