#include "engine/neural/late_learner.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/late/query_lanes.hpp"
#include "engine/neural/adamw.hpp"
#include "engine/neural/batch_loss.hpp"
#include "engine/neural/losses.hpp"
#include "engine/neural/max_sim.hpp"
#include "engine/neural/model_writer.hpp"
#include "engine/neural/packed_training.hpp"
#include "engine/neural/token_encoder.hpp"
#include "engine/neural/trained_weights.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;
using model::TextRole;

/// Tokens whose states a new projection is made from, at most.
constexpr std::int64_t kMostStates = 20000;

/// The model with the reading that training asks for, and a projection.
model::LateModel trained_model(const model::ModelFolder& folder, const train::LearnerOptions& options) {
  auto reading = options.late->reading;
  // Training reads whole texts: what a folder says of filling is for short queries.
  reading.expand_queries = false;
  auto model = model::resolve_late_model(folder.folder, reading);
  if (folder.adapter) {
    fail(ErrorCode::invalid_input,
         "cannot train {}: models with an adapter are not trained; take the base model",
         folder.folder.string());
  }
  return model;
}

class LateLearner final : public train::Learner {
 public:
  LateLearner(const model::ModelFolder& folder, const train::LearnerOptions& options)
      : options_(options),
        model_(trained_model(folder, options)),
        tokenizer_(model::Tokenizer::open(model_.folder.transformer)),
        reader_(model_, tokenizer_),
        bert_(model_.folder, load_weights(model_.folder)),
        fresh_(add_projection()),
        optimiser_(trained_parameters(bert_.weights(), options.trained_layers),
                   {options.beta1, options.beta2, 1e-8, options.weight_decay, options.threads}),
        states_(bert_, {options.mixed, options.dropout, options.threads}) {
    at::set_num_threads(static_cast<int>(threads()));
  }

  double accumulate(const train::Batch& batch, double share, std::uint64_t step) override {
    at::manual_seed(options_.seed * 1000003 + step);
    std::vector<model::LateEncoding> texts;
    for (const auto& query : batch.queries) texts.push_back(reader_.mark(query, TextRole::query));
    for (const auto& document : batch.documents) texts.push_back(reader_.mark(document, TextRole::document));
    if (fresh_) begin_projection(texts);
    TokenTable table = vectors_of(texts, batch.queries.size());
    const auto interaction = interact(table, threads());
    const auto scores = interaction.scores.clone().requires_grad_(true);
    const auto loss = loss_of(batch, table, scores);
    const double value = value_of(loss, step);
    (loss * share).backward();
    table.vectors.backward(interaction_gradient(table, interaction, scores.grad(), threads()));
    return value;
  }

  double update(double rate) override {
    const double length = optimiser_.clip(options_.clip);
    optimiser_.step(rate);
    return length;
  }

  void similarities(std::span<const std::string_view> queries, std::span<const std::string_view> documents,
                    std::span<float> out) override {
    if (fresh_) {
      std::vector<model::LateEncoding> texts;
      for (const auto text : documents.first(std::min<std::size_t>(documents.size(), 256)))
        texts.push_back(reader_.read(text, TextRole::document));
      begin_projection(texts);
    }
    dense::EncoderOptions options;
    options.threads = options_.threads;
    const auto encoder = make_token_encoder(model_, bert_.weights(), options);
    const auto asked = encoder->encode(queries, TextRole::query);
    const auto found = encoder->encode(documents, TextRole::document);
    std::vector<late::QueryLanes> lanes;
    for (std::size_t q = 0; q < queries.size(); ++q) lanes.emplace_back(asked.of(q), asked.dims);
    parallel_for(documents.size(), options_.threads, [&](std::size_t d, std::size_t) {
      const std::size_t size = late::padded(found.dims);
      std::vector<std::int8_t> bytes(found.count(d) * size);
      std::vector<late::ByteVector> vectors;
      for (std::size_t t = 0; t < found.count(d); ++t)
        vectors.push_back(
            late::to_bytes(found.of(d).subspan(t * found.dims, found.dims), bytes.data() + t * size));
      for (std::size_t q = 0; q < queries.size(); ++q)
        out[q * documents.size() + d] = lanes[q].max_sim(vectors);
    });
  }

  void score(std::span<const train::TextPair>, std::span<float>) override {
    fail(ErrorCode::internal, "late interaction reads no pairs");
  }

  std::uint64_t trained_weights() const override { return numbers_of(optimiser_); }
  std::uint64_t weights() const override { return numbers_of(bert_.weights()); }

  void save_state(const fs::path& file) const override { save_checkpoint(optimiser_, file); }
  void load_state(const fs::path& file) override {
    load_checkpoint(optimiser_, file);
    fresh_ = false;
  }
  void write_model(const fs::path& folder) const override {
    write_late_model(model_, bert_.weights(), folder);
  }

 private:
  [[nodiscard]] std::size_t threads() const {
    return options_.threads > 0 ? options_.threads : available_cores();
  }

  /// True when the model has none and got an empty one.
  bool add_projection() {
    auto& layers = bert_.weights().dense;
    for (const auto& layer : layers) {
      if (layer.activation != model::Activation::identity)
        fail(ErrorCode::invalid_input, "cannot train {}: its projection has an activation",
             model_.folder.folder.string());
    }
    if (!layers.empty()) return false;
    const auto dims = static_cast<std::int64_t>(options_.late->dims);
    if (dims > model_.folder.config.hidden_size) {
      fail(ErrorCode::invalid_input, "a projection to {} numbers is asked for, and states have {}", dims,
           model_.folder.config.hidden_size);
    }
    layers.push_back(
        {{at::zeros({dims, model_.folder.config.hidden_size}), {}}, model::Activation::identity});
    model::DenseLayer layer;
    layer.in = model_.folder.config.hidden_size;
    layer.out = dims;
    layer.bias = false;
    layer.activation = model::Activation::identity;
    model_.folder.dense.push_back(layer);
    return true;
  }

  /// The directions in which the states of these texts are longest: the best start that keeps their products.
  void begin_projection(const std::vector<model::LateEncoding>& texts) {
    const at::NoGradGuard without_gradients;
    std::vector<const model::Encoding*> some;
    std::int64_t tokens = 0;
    for (const auto& text : texts) {
      if (tokens > kMostStates) break;
      some.push_back(&text.tokens);
      tokens += static_cast<std::int64_t>(text.tokens.ids.size());
    }
    auto states = states_(some);
    states = (states / states.norm(2, {1}, true).clamp_min(1e-12)).to(at::kDouble);
    const auto [values, directions] = at::linalg_eigh(at::matmul(states.t(), states));
    auto& weight = bert_.weights().dense.front().linear.weight;
    weight.copy_(
        directions.narrow(1, directions.size(1) - weight.size(0), weight.size(0)).t().to(at::kFloat));
    fresh_ = false;
  }

  /// Vectors that count of all texts, unit length, gradients flowing through them.
  [[nodiscard]] TokenTable vectors_of(const std::vector<model::LateEncoding>& texts,
                                      std::size_t queries) const {
    std::vector<const model::Encoding*> all;
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t> first{0};
    std::int64_t origin = 0;
    for (const auto& text : texts) {
      all.push_back(&text.tokens);
      for (const std::uint32_t place : text.kept) kept.push_back(origin + place);
      origin += static_cast<std::int64_t>(text.tokens.ids.size());
      first.push_back(static_cast<std::int64_t>(kept.size()));
    }
    auto places = at::empty({static_cast<std::int64_t>(kept.size())}, at::kLong);
    std::copy(kept.begin(), kept.end(), places.data_ptr<std::int64_t>());
    auto x = states_(all).index_select(0, places);
    for (const auto& layer : bert_.weights().dense) x = apply(layer.linear, x, false);
    const auto middle = first.begin() + static_cast<std::ptrdiff_t>(queries);
    return {x / x.norm(2, {1}, true).clamp_min(1e-12), {first.begin(), middle + 1}, {middle, first.end()}};
  }

  /// From the matrix of MaxSim, [queries, documents].
  [[nodiscard]] at::Tensor loss_of(const train::Batch& batch, const TokenTable& table,
                                   const at::Tensor& scores) const {
    if (options_.loss == train::Loss::nt_xent) {
      // The mean over a query's vectors: long queries are no surer than short ones.
      auto lengths = at::empty({scores.size(0), 1});
      for (std::size_t q = 0; q < table.query_count(); ++q)
        lengths.data_ptr<float>()[q] = static_cast<float>(table.queries[q + 1] - table.queries[q]);
      return nt_xent_of_batch(scores / (lengths * options_.temperature), batch, options_);
    }
    const auto pick = [&](std::uint32_t train::Tuple::*member) {
      auto places = at::empty({static_cast<std::int64_t>(batch.tuples.size())}, at::kLong);
      for (std::size_t i = 0; i < batch.tuples.size(); ++i)
        places.data_ptr<std::int64_t>()[i] = batch.tuples[i].query * scores.size(1) + batch.tuples[i].*member;
      return scores.flatten().index_select(0, places);
    };
    return pairwise_softmax(pick(&train::Tuple::first), pick(&train::Tuple::negative));
  }

  train::LearnerOptions options_;
  model::LateModel model_;
  model::Tokenizer tokenizer_;
  model::LateReader reader_;
  Bert bert_;
  bool fresh_;  ///< the projection is still to be begun
  AdamW optimiser_;
  TokenStates states_;
};

}  // namespace

std::unique_ptr<train::Learner> make_late_learner(const model::ModelFolder& folder,
                                                  const train::LearnerOptions& options) {
  return std::make_unique<LateLearner>(folder, options);
}

}  // namespace mustcite::neural
