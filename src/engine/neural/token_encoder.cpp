#include "engine/neural/token_encoder.hpp"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/dense/fixed_dot.hpp"
#include "engine/neural/packed_bert.hpp"
#include "engine/neural/packed_layers.hpp"
#include "engine/neural/token_batches.hpp"

namespace mustcite::neural {
namespace {

using model::LateEncoding;
using model::TextRole;

/// The dense layers of the model in plain loops, and unit length: what makes a state a vector.
class Projection {
 public:
  Projection(const model::LateModel& model, const Weights& weights) : dims_(model.dimensions()) {
    for (const auto& layer : weights.dense) {
      Layer plain{values_of(layer.linear.weight),
                  {},
                  static_cast<std::size_t>(layer.linear.weight.size(1)),
                  static_cast<std::size_t>(layer.linear.weight.size(0))};
      if (layer.linear.bias.defined()) plain.bias = values_of(layer.linear.bias);
      if (layer.activation != model::Activation::identity) {
        fail(ErrorCode::invalid_input, "cannot use the model in {}: its projection has the activation {}",
             model.folder.folder.string(), name_of(layer.activation));
      }
      layers_.push_back(std::move(plain));
    }
  }

  void apply(std::span<const float> state, float* out) const {
    std::vector<float> x(state.begin(), state.end());
    for (const Layer& layer : layers_) {
      std::vector<float> next(layer.out);
      for (std::size_t r = 0; r < layer.out; ++r) {
        const auto row = std::span<const float>(layer.weight).subspan(r * layer.in, layer.in);
        next[r] = dense::fixed_dot(row, x) + (layer.bias.empty() ? 0.0F : layer.bias[r]);
      }
      x = std::move(next);
    }
    const float length = std::max(std::sqrt(dense::fixed_dot(x, x)), 1e-12F);
    for (std::size_t k = 0; k < dims_; ++k) out[k] = x[k] / length;
  }

 private:
  struct Layer {
    std::vector<float> weight;
    std::vector<float> bias;
    std::size_t in = 0;
    std::size_t out = 0;
  };
  std::size_t dims_;
  std::vector<Layer> layers_;
};

/// Texts in the order in which they are computed, longest first, and where the vectors of each begin.
struct Work {
  std::vector<LateEncoding> texts;
  std::vector<std::size_t> order;
  late::TokenVectors vectors;

  [[nodiscard]] std::size_t length(std::size_t text) const { return texts[text].tokens.ids.size(); }
};

class LateEncoder final : public late::TokenEncoder {
 public:
  LateEncoder(const model::LateModel& model, const Weights& weights, const dense::EncoderOptions& options)
      : model_(model),
        options_(options),
        threads_(options.threads > 0 ? options.threads : available_cores()),
        tokenizer_(model::Tokenizer::open(model.folder.transformer)),
        reader_(model_, tokenizer_),
        projection_(model, weights) {
    using Precision = dense::EncoderOptions::Precision;
    const bool tiles = PackedBert::fits(model.folder) && options.precision != Precision::float32;
    if (tiles) packed_.emplace(model.folder, weights);
    const bool unseen = model.reading.expand_queries && !model.reading.attend_to_expansion;
    if (!tiles || unseen) {
      plain_.emplace(model.folder, frozen(weights));
      forward_.mixed = !tiles && options.precision == Precision::bfloat16;
    }
  }

  std::size_t dimensions() const override { return model_.dimensions(); }
  const std::string& model_digest() const override { return model_.digest; }

  late::TokenVectors encode(std::span<const std::string_view> texts, TextRole role) override {
    Work work = read(texts, role);
    const bool unseen = std::any_of(work.texts.begin(), work.texts.end(), [](const LateEncoding& text) {
      return text.attended < text.tokens.ids.size();
    });
    if (packed_ && !unseen) {
      compute_packed(work);
    } else {
      compute_plain(work);
    }
    return std::move(work.vectors);
  }

 private:
  Work read(std::span<const std::string_view> texts, TextRole role) const {
    Work work;
    work.texts.resize(texts.size());
    parallel_for(texts.size(), threads_,
                 [&](std::size_t i, std::size_t) { work.texts[i] = reader_.read(texts[i], role); });
    work.order = longest_first(texts.size(), [&](std::size_t i) { return work.length(i); });
    work.vectors.dims = dimensions();
    for (const LateEncoding& text : work.texts)
      work.vectors.first.push_back(work.vectors.first.back() + text.kept.size());
    work.vectors.values.resize(work.vectors.first.back() * dimensions());
    return work;
  }

  static std::vector<TextBatch> batches(const Work& work, std::size_t tokens, bool padded) {
    return token_batches(
        work.order, [&](std::size_t i) { return work.length(i); }, tokens, padded);
  }

  /// The vectors of a text from its states, [tokens, hidden].
  void project(Work& work, std::size_t place, const float* states) const {
    const auto hidden = static_cast<std::size_t>(model_.folder.config.hidden_size);
    float* out = work.vectors.values.data() + work.vectors.first[place] * dimensions();
    for (const std::uint32_t token : work.texts[place].kept) {
      projection_.apply({states + token * hidden, hidden}, out);
      out += dimensions();
    }
  }

  void compute_packed(Work& work) const {
    const auto all = batches(work, packed_->tokens_at_once(), /*padded=*/false);
    const auto hidden = static_cast<std::size_t>(model_.folder.config.hidden_size);
    std::atomic<std::size_t> next{0};
    // Tiles belong to a thread, so its workspace is made and ended in it: one item is one thread's share.
    parallel_for(threads_, threads_, [&](std::size_t, std::size_t) {
      PackedBert::Workspace workspace;
      std::vector<float> states;
      for (std::size_t i = next++; i < all.size(); i = next++) {
        std::vector<const model::Encoding*> texts;
        std::vector<float*> rows;
        std::size_t tokens = 0;
        for (const std::size_t place : all[i]) tokens += work.texts[place].tokens.ids.size();
        states.resize(tokens * hidden);
        float* at = states.data();
        for (const std::size_t place : all[i]) {
          texts.push_back(&work.texts[place].tokens);
          rows.push_back(at);
          at += work.texts[place].tokens.ids.size() * hidden;
        }
        packed_->encode_tokens(texts, rows, workspace);
        for (std::size_t t = 0; t < texts.size(); ++t) project(work, all[i][t], rows[t]);
      }
    });
  }

  void compute_plain(Work& work) const {
    const c10::InferenceMode without_gradients;
    at::set_num_threads(static_cast<int>(threads_));
    const auto hidden = static_cast<std::size_t>(model_.folder.config.hidden_size);
    for (const auto& batch : batches(work, options_.batch_tokens, /*padded=*/true)) {
      std::vector<const model::Encoding*> texts;
      for (const std::size_t place : batch) texts.push_back(&work.texts[place].tokens);
      TokenBatch tokens = make_batch(texts, model_.folder.config.pad_token);
      // An expansion that nobody attends to is like padding, but for its own states, which count.
      for (std::size_t i = 0; i < batch.size(); ++i)
        tokens.lengths.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(work.texts[batch[i]].attended);
      const auto states = plain_->hidden_states(tokens, forward_).back().contiguous();
      const float* const from = states.data_ptr<float>();
      const auto time = static_cast<std::size_t>(states.size(1));
      parallel_for(batch.size(), threads_,
                   [&](std::size_t i, std::size_t) { project(work, batch[i], from + i * time * hidden); });
    }
  }

  model::LateModel model_;
  dense::EncoderOptions options_;
  std::size_t threads_;
  model::Tokenizer tokenizer_;
  model::LateReader reader_;
  Projection projection_;
  std::optional<PackedBert> packed_;
  std::optional<Bert> plain_;
  ForwardOptions forward_;
};

}  // namespace

std::unique_ptr<late::TokenEncoder> make_token_encoder(const model::LateModel& model, const Weights& weights,
                                                       const dense::EncoderOptions& options) {
  return std::make_unique<LateEncoder>(model, weights, options);
}

}  // namespace mustcite::neural
