#include "engine/rank/cross_reranker.hpp"

#include <gtest/gtest.h>

#include "core/io/file.hpp"
#include "engine/rank/combination_fit.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/dense/token_encoder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;

/// Counts what it was asked, and scores a pair by the share of common tokens.
struct Asked {
  std::size_t pairs = 0;
};

dense::EncoderFactory counting(Asked& asked) {
  class Counting final : public dense::Encoder {
   public:
    Counting(const model::ModelFolder& model, Asked& asked) : tokens_(model), asked_(asked) {}
    [[nodiscard]] std::size_t dimensions() const override { return 1; }
    [[nodiscard]] const std::string& model_digest() const override { return tokens_.model_digest(); }
    void encode(std::span<const std::string_view>, std::span<float>) override {}
    void encode_pairs(std::span<const dense::TextPair> pairs, std::span<float> out) override {
      asked_.pairs += pairs.size();
      tokens_.encode_pairs(pairs, out);
    }

   private:
    test::TokenEncoder tokens_;
    Asked& asked_;
  };
  return [&asked](const model::ModelFolder& model) { return std::make_unique<Counting>(model, asked); };
}

class CrossRerankerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::DemoWorld().build(folder_.path());
    snapshot_.emplace(snapshot::Snapshot::open(folder_.path()));
    model_ = folder_.path() / "cross";
    fs::copy(MUSTCITE_SOURCE_DIR "/tests/unit/neural/fixtures/tiny-cross", model_);
    query_.id = QueryId("q");
    query_.title = "a graph";
    query_.abstract = "models of data";
    for (std::uint32_t i = 0; i < 6; ++i) list_.push_back({DocId{i}, 10.0F - static_cast<float>(i)});
  }

  [[nodiscard]] CrossReranker open(Asked& asked, const CrossRerankerOptions& options = {}) const {
    return CrossReranker(*snapshot_, model_, counting(asked), options);
  }
  /// What the model says of a document, computed by itself.
  [[nodiscard]] float score_of(DocId doc) const {
    test::TokenEncoder tokens(model::resolve_cross_encoder(model_).encoder);
    const auto document = snapshot_->document(doc);
    const std::string first = "a graph [SEP] models of data";
    const std::string second = model::pair_text(document.title, document.abstract);
    const dense::TextPair pair{first, second};
    float score = 0;
    tokens.encode_pairs({&pair, 1}, {&score, 1});
    return score;
  }

  mustcite::testing::TempFolder folder_;
  std::optional<snapshot::Snapshot> snapshot_;
  fs::path model_;
  Query query_;
  std::vector<Scored> list_;
};

TEST_F(CrossRerankerTest, WithoutACombinationTheCrossEncoderAloneOrdersTheHead) {
  Asked asked;
  CrossRerankerOptions options;
  options.depth = 4;
  const auto reranker = open(asked, options);
  EXPECT_FALSE(reranker.combines());
  reranker.rerank({&query_, 1}, {&list_, 1});
  EXPECT_EQ(asked.pairs, 4U);
  for (std::size_t i = 0; i + 1 < 4; ++i) EXPECT_GE(list_[i].score, list_[i + 1].score);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(list_[i].doc.value, 4U);
    EXPECT_EQ(list_[i].score, score_of(list_[i].doc));
  }
  EXPECT_EQ(list_[4].doc.value, 4U);
  EXPECT_EQ(list_[5].doc.value, 5U);
}

TEST_F(CrossRerankerTest, ADepthBeyondTheListReadsTheWholeList) {
  Asked asked;
  const auto reranker = open(asked);
  EXPECT_EQ(reranker.depth(), 200U);
  reranker.rerank({&query_, 1}, {&list_, 1});
  EXPECT_EQ(asked.pairs, 6U);
  EXPECT_EQ(list_.size(), 6U);
  std::vector<Scored> none;
  reranker.rerank({&query_, 1}, {&none, 1});
  EXPECT_TRUE(none.empty());
}

TEST_F(CrossRerankerTest, ACombinationSaysTheDepthAndWeighsBothScores) {
  Combination combination;
  combination.method = "mustcite";
  combination.depth = 5;
  combination.model_digest = model::resolve_cross_encoder(model_).encoder.digest;
  combination.linear.weights.assign(combination_columns().size(), 0.0F);
  combination.linear.weights[0] = -1;  // the method's order backwards, whatever the cross-encoder says
  save_combination(combination, combination_file(model_, "mustcite", Tier::must));
  Asked asked;
  const auto reranker = open(asked);
  EXPECT_TRUE(reranker.combines());
  reranker.rerank({&query_, 1}, {&list_, 1});
  const std::vector<std::uint32_t> expected{4, 3, 2, 1, 0, 5};
  for (std::size_t i = 0; i < list_.size(); ++i) EXPECT_EQ(list_[i].doc.value, expected[i]);
  // Of another method it says nothing.
  CrossRerankerOptions other;
  other.method = "bm25";
  EXPECT_FALSE(open(asked, other).combines());
}

TEST_F(CrossRerankerTest, KnownScoresAreNotComputedAgain) {
  CrossRerankerOptions options;
  options.scores_file = folder_.path() / "scores.tsv";
  Asked asked;
  auto first = list_;
  first.resize(2);
  open(asked, options).rerank({&query_, 1}, {&first, 1});
  EXPECT_EQ(asked.pairs, 2U);
  auto again = list_;
  open(asked, options).rerank({&query_, 1}, {&again, 1});
  EXPECT_EQ(asked.pairs, 6U);  // the four others
  auto plain = list_;
  open(asked).rerank({&query_, 1}, {&plain, 1});
  EXPECT_EQ(asked.pairs, 12U);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].doc, again[i].doc);
    EXPECT_EQ(plain[i].score, again[i].score);
  }
}

TEST_F(CrossRerankerTest, ModelsThatCannotScoreAreRefused) {
  Asked asked;
  fs::remove(model_ / "vocab.txt");
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)open(asked); }), ErrorCode::not_found);
  model_ = MUSTCITE_SOURCE_DIR "/tests/golden/tiny-model";
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)open(asked); }), ErrorCode::invalid_input);
  model_ = folder_.path() / "nowhere";
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)open(asked); }), ErrorCode::not_found);
}

}  // namespace
}  // namespace mustcite::rank
