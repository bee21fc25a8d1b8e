#include "engine/neural/encoder.hpp"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/neural/packed_bert.hpp"
#include "engine/neural/token_batches.hpp"

namespace mustcite::neural {
namespace {

using dense::EncoderOptions;

/// Texts as tokens, and the order in which they are computed.
class Encodings {
 public:
  /// `encode(i)` gives the tokens of the i-th text; it is called by several threads.
  template <typename Encode>
  Encodings(std::size_t texts, std::size_t threads, const Encode& encode) : encodings_(texts) {
    parallel_for((texts + kStride - 1) / kStride, threads, [&](std::size_t item, std::size_t) {
      const std::size_t end = std::min(texts, (item + 1) * kStride);
      for (std::size_t i = item * kStride; i < end; ++i) encodings_[i] = encode(i);
    });
    order_ = longest_first(texts, [&](std::size_t i) { return encodings_[i].ids.size(); });
  }

  /// See `token_batches`.
  [[nodiscard]] std::vector<TextBatch> batches(std::size_t tokens, bool padded) const {
    return token_batches(
        order_, [&](std::size_t i) { return encodings_[i].ids.size(); }, tokens, padded);
  }

  [[nodiscard]] std::vector<const model::Encoding*> of(const TextBatch& batch) const {
    std::vector<const model::Encoding*> some;
    for (const std::size_t place : batch) some.push_back(&encodings_[place]);
    return some;
  }

 private:
  static constexpr std::size_t kStride = 16;
  std::vector<model::Encoding> encodings_;
  std::vector<std::size_t> order_;
};

/// What all ways of computing share: the model and its words.
class BaseEncoder : public dense::Encoder {
 public:
  BaseEncoder(const model::ModelFolder& folder, const EncoderOptions& options)
      : folder_(folder),
        options_(options),
        threads_(options.threads > 0 ? options.threads : available_cores()),
        tokenizer_(model::Tokenizer::open(folder.transformer)) {
    if (static_cast<std::int64_t>(tokenizer_.vocab_size()) > folder.config.vocab_size) {
      fail(ErrorCode::invalid_input,
           "cannot use the model {}: its vocabulary has {} tokens and its embeddings {}; take both from one "
           "model",
           folder.folder.string(), tokenizer_.vocab_size(), folder.config.vocab_size);
    }
  }
  std::size_t dimensions() const override { return folder_.dimensions(); }
  const std::string& model_digest() const override { return folder_.digest; }

  void encode(std::span<const std::string_view> texts, std::span<float> out) override {
    check_room(texts.size(), out);
    compute(Encodings(texts.size(), threads_,
                      [&](std::size_t i) { return tokenizer_.encode(texts[i], max_length()); }),
            out.data());
  }

  void encode_pairs(std::span<const dense::TextPair> pairs, std::span<float> out) override {
    check_room(pairs.size(), out);
    compute(Encodings(pairs.size(), threads_,
                      [&](std::size_t i) {
                        return tokenizer_.encode_pair(pairs[i].first, pairs[i].second, max_length());
                      }),
            out.data());
  }

 protected:
  virtual void compute(const Encodings& encodings, float* out) = 0;

  void check_room(std::size_t texts, std::span<const float> out) const {
    if (out.size() != texts * dimensions())
      fail(ErrorCode::internal, "{} texts were to be encoded into {} numbers", texts, out.size());
  }
  [[nodiscard]] std::size_t max_length() const {
    return std::min(folder_.max_length, static_cast<std::size_t>(folder_.config.positions));
  }

  model::ModelFolder folder_;
  EncoderOptions options_;
  std::size_t threads_;
  model::Tokenizer tokenizer_;
};

class PackedEncoder final : public BaseEncoder {
 public:
  PackedEncoder(const model::ModelFolder& folder, const Weights& weights, const EncoderOptions& options)
      : BaseEncoder(folder, options), bert_(folder, weights) {}

 protected:
  void compute(const Encodings& encodings, float* out) override {
    const auto batches = encodings.batches(bert_.tokens_at_once(), /*padded=*/false);
    const std::size_t size = dimensions();
    // Tiles belong to a thread, so its workspace is made and ended in it: one item is one thread's share.
    std::atomic<std::size_t> next{0};
    parallel_for(threads_, threads_, [&](std::size_t, std::size_t) {
      PackedBert::Workspace workspace;
      for (std::size_t i = next++; i < batches.size(); i = next++) {
        std::vector<float*> rows;
        for (const std::size_t place : batches[i]) rows.push_back(out + place * size);
        bert_.encode(encodings.of(batches[i]), rows, workspace);
      }
    });
  }

 private:
  PackedBert bert_;
};

class TorchEncoder final : public BaseEncoder {
 public:
  TorchEncoder(const model::ModelFolder& folder, const Weights& weights, const EncoderOptions& options,
               bool mixed)
      : BaseEncoder(folder, options), bert_(folder, frozen(weights)) {
    forward_.mixed = mixed;
  }

 protected:
  void compute(const Encodings& encodings, float* out) override {
    const c10::InferenceMode without_gradients;
    at::set_num_threads(static_cast<int>(threads_));
    const std::size_t size = dimensions();
    for (const auto& batch : encodings.batches(options_.batch_tokens, /*padded=*/true)) {
      const auto texts = encodings.of(batch);
      const auto vectors = bert_.vectors(make_batch(texts, folder_.config.pad_token), forward_).contiguous();
      const float* row = vectors.data_ptr<float>();
      for (std::size_t i = 0; i < batch.size(); ++i) std::copy_n(row + i * size, size, out + batch[i] * size);
    }
  }

 private:
  Bert bert_;
  ForwardOptions forward_;
};

}  // namespace

std::unique_ptr<dense::Encoder> make_encoder(const model::ModelFolder& folder, const Weights& weights,
                                             const EncoderOptions& options) {
  using Precision = EncoderOptions::Precision;
  const bool tiles = PackedBert::fits(folder);
  if (tiles && options.precision != Precision::float32)
    return std::make_unique<PackedEncoder>(folder, weights, options);
  return std::make_unique<TorchEncoder>(folder, weights, options, options.precision == Precision::bfloat16);
}

}  // namespace mustcite::neural
