#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/late/token_encoder.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::test {

/// A token encoder for tests: one fixed random direction of unit length for each token. It has no weights, so
/// it says nothing of any model's quality.
class TokenDirections final : public late::TokenEncoder {
 public:
  explicit TokenDirections(const model::LateModel& model)
      : model_(model),
        tokenizer_(model::Tokenizer::open(model.folder.transformer)),
        reader_(model_, tokenizer_) {}

  [[nodiscard]] std::size_t dimensions() const override { return model_.dimensions(); }
  [[nodiscard]] const std::string& model_digest() const override { return model_.digest; }

  late::TokenVectors encode(std::span<const std::string_view> texts, model::TextRole role) override {
    late::TokenVectors all;
    all.dims = dimensions();
    for (const std::string_view text : texts) {
      const auto read = reader_.read(text, role);
      for (const std::uint32_t place : read.kept) add_direction(read.tokens.ids[place], all);
      all.first.push_back(all.first.back() + read.kept.size());
    }
    encoded += texts.size();
    return all;
  }

  std::size_t encoded = 0;  ///< texts so far

 private:
  static void add_direction(std::int32_t id, late::TokenVectors& all) {
    std::uint64_t state = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U + 1;
    std::vector<float> row(all.dims);
    float square = 0;
    for (float& value : row) {
      state ^= state >> 27;
      state *= 0x94D049BB133111EBU;
      state ^= state >> 31;
      value = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31F;
      square += value * value;
    }
    for (const float value : row) all.values.push_back(value / std::sqrt(square));
  }

  model::LateModel model_;
  model::Tokenizer tokenizer_;
  model::LateReader reader_;
};

}  // namespace mustcite::test
