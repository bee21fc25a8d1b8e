#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/dense/encoder.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::test {

/// An encoder for tests: the sum of one fixed random direction per token of the model's tokenizer, made unit
/// length. Texts that share tokens are near. It has no weights, so it says nothing of any model's quality.
class TokenEncoder final : public dense::Encoder {
 public:
  explicit TokenEncoder(const model::ModelFolder& model)
      : tokenizer_(model::Tokenizer::open(model.transformer)),
        dims_(model.dimensions()),
        digest_(model.digest),
        max_length_(model.max_length) {}

  [[nodiscard]] std::size_t dimensions() const override { return dims_; }
  [[nodiscard]] const std::string& model_digest() const override { return digest_; }

  void encode(std::span<const std::string_view> texts, std::span<float> out) override {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::span<float> row = out.subspan(i * dims_, dims_);
      std::fill(row.begin(), row.end(), 0.0F);
      for (const std::int32_t id : tokenizer_.encode(texts[i], max_length_).ids) add_direction(id, row);
      float square = 0;
      for (const float value : row) square += value * value;
      for (float& value : row) value /= std::sqrt(square);
    }
    encoded += texts.size();
  }

  /// Of pairs: the share of the second text's tokens that the first one has, less one half.
  void encode_pairs(std::span<const dense::TextPair> pairs, std::span<float> out) override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto first = tokenizer_.tokenize(pairs[i].first, max_length_);
      const auto second = tokenizer_.tokenize(pairs[i].second, max_length_);
      float shared = 0;
      for (const std::int32_t id : second) shared += std::count(first.begin(), first.end(), id) > 0 ? 1.0F : 0.0F;
      out[i] = shared / static_cast<float>(std::max<std::size_t>(second.size(), 1)) - 0.5F;
    }
    encoded += pairs.size();
  }

  std::size_t encoded = 0;  ///< texts so far

 private:
  void add_direction(std::int32_t id, std::span<float> row) const {
    std::uint64_t state = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U + 1;
    for (float& value : row) {
      state ^= state >> 27;
      state *= 0x94D049BB133111EBU;
      state ^= state >> 31;
      value += static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31F;
    }
  }

  model::Tokenizer tokenizer_;
  std::size_t dims_;
  std::string digest_;
  std::size_t max_length_;
};

}  // namespace mustcite::test
