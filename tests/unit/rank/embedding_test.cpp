#include "engine/rank/embedding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mustcite::rank {
namespace {

/// 40 pairs of texts: the query holds term i, its target term 40 + i. Nothing but training can bring them
/// together.
struct Pairs {
  SparseRows texts;
  std::vector<TextPair> pairs;
  std::vector<float> vectors;
  static constexpr std::size_t kDims = 64;

  Pairs() {
    texts.width = 80;
    for (std::uint32_t i = 0; i < 80; ++i) {
      texts.columns.push_back(i);
      texts.values.push_back(1.0F);
      texts.begin.push_back(texts.columns.size());
    }
    for (std::uint32_t i = 0; i < 40; ++i) pairs.push_back({i, 40 + i});
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < 80 * kDims; ++i)
      vectors.push_back(static_cast<float>(random() % 1000) / 500.0F - 1.0F);
  }

  [[nodiscard]] float similarity(std::size_t a, std::size_t b) const {
    float dot = 0, aa = 0, bb = 0;
    for (std::size_t d = 0; d < kDims; ++d) {
      const float x = vectors[a * kDims + d];
      const float y = vectors[b * kDims + d];
      dot += x * y;
      aa += x * x;
      bb += y * y;
    }
    return dot / std::sqrt(aa * bb);
  }
  [[nodiscard]] int found() const {
    int right = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      std::size_t best = 40;
      for (std::size_t j = 40; j < 80; ++j) best = similarity(i, j) > similarity(i, best) ? j : best;
      right += best == 40 + i ? 1 : 0;
    }
    return right;
  }
};

EmbeddingOptions options(std::size_t threads) {
  EmbeddingOptions options;
  options.epochs = 60;
  options.threads = threads;
  return options;
}

TEST(Embedding, BringsPairsTogether) {
  Pairs data;
  EXPECT_LT(data.found(), 10);
  train_embedding(data.texts, data.pairs, data.vectors, Pairs::kDims, options(1));
  EXPECT_EQ(data.found(), 40);
}

TEST(Embedding, IsTheSameOnAnyNumberOfThreads) {
  Pairs one, three;
  train_embedding(one.texts, one.pairs, one.vectors, Pairs::kDims, options(1));
  train_embedding(three.texts, three.pairs, three.vectors, Pairs::kDims, options(3));
  EXPECT_EQ(one.vectors, three.vectors);
}

TEST(Embedding, OnePairTeachesNothing) {
  Pairs data;
  data.pairs.resize(1);
  const std::vector<float> before = data.vectors;
  train_embedding(data.texts, data.pairs, data.vectors, Pairs::kDims, options(1));
  EXPECT_EQ(data.vectors, before);
}

}  // namespace
}  // namespace mustcite::rank
