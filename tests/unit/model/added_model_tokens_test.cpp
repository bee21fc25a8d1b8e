#include "engine/model/added_model_tokens.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.hpp"
#include "engine/model/fitted_text.hpp"
#include "engine/model/tensor_file.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTokens{"[TS]"};

class AddedModelTokensTest : public ::testing::Test {
 protected:
  AddedModelTokensTest() {
    test::write_tiny_model(scratch_.path() / "base");
    base_ = resolve_model(scratch_.path() / "base");
  }
  test::Scratch scratch_;
  ModelFolder base_;
};

TEST_F(AddedModelTokensTest, TheNewTokenHasAnIdAndARowOfItsOwn) {
  ASSERT_TRUE(lacks_tokens(base_, kTokens));
  add_model_tokens(base_, kTokens, 7, scratch_.path() / "more");
  const auto more = resolve_model(scratch_.path() / "more");
  EXPECT_EQ(more.config.vocab_size, base_.config.vocab_size + 1);
  EXPECT_FALSE(lacks_tokens(more, kTokens));
  const auto tokenizer = Tokenizer::open(more.transformer);
  EXPECT_EQ(tokenizer.id("[TS]"), base_.config.vocab_size);
  const auto ids = tokenizer.encode("graph [TS] deep[TS]", 16).ids;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), static_cast<std::int32_t>(base_.config.vocab_size)), 2);
  EXPECT_EQ(ids.size(), 6U);

  const auto file = TensorFile::open(scratch_.path() / "more");
  const auto words = to_float32(*file.find("embeddings.word_embeddings.weight"));
  const auto width = static_cast<std::size_t>(base_.config.hidden_size);
  ASSERT_EQ(words.size(), static_cast<std::size_t>(more.config.vocab_size) * width);
  double squares = 0;
  for (std::size_t i = words.size() - width; i < words.size(); ++i)
    squares += double{words[i]} * double{words[i]};
  // 64 numbers of deviation 0.02: their root mean square lies within half of it with near certainty.
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(width)), 0.02, 0.01);
  EXPECT_TRUE(std::all_of(words.begin(), words.end() - static_cast<std::ptrdiff_t>(width),
                          [](float value) { return value == 0.5F; }));
}

TEST_F(AddedModelTokensTest, TheSameSeedGivesTheSameModelAndKnownTokensStay) {
  add_model_tokens(base_, kTokens, 7, scratch_.path() / "one");
  add_model_tokens(base_, kTokens, 7, scratch_.path() / "two");
  add_model_tokens(base_, kTokens, 8, scratch_.path() / "other");
  EXPECT_EQ(resolve_model(scratch_.path() / "one").digest, resolve_model(scratch_.path() / "two").digest);
  EXPECT_NE(resolve_model(scratch_.path() / "one").digest, resolve_model(scratch_.path() / "other").digest);
  const auto one = resolve_model(scratch_.path() / "one");
  add_model_tokens(one, kTokens, 9, scratch_.path() / "again");
  EXPECT_EQ(resolve_model(scratch_.path() / "again").config.vocab_size, one.config.vocab_size);
}

TEST_F(AddedModelTokensTest, AVocabularyOfAnotherSizeThanTheConfigIsRefused) {
  io::write_file_atomically(scratch_.path() / "base/vocab.txt",
                            "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngraph\n");
  const auto shorter = resolve_model(scratch_.path() / "base");
  try {
    add_model_tokens(shorter, kTokens, 1, scratch_.path() / "out");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
  }
  EXPECT_FALSE(fs::exists(scratch_.path() / "out"));
}

std::string joined(const QueryParts& parts) {
  return std::string(parts.title) + " [SEP] " + std::string(parts.abstract) + " [TS] " +
         std::string(parts.topic);
}

std::string words(const std::string& word, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + word;
  return text;
}

class FittedQuery : public AddedModelTokensTest {
 protected:
  FittedQuery() {
    add_model_tokens(base_, kTokens, 7, scratch_.path() / "more");
    tokenizer_.emplace(Tokenizer::open(scratch_.path() / "more"));
  }
  [[nodiscard]] std::size_t tokens(const std::string& text) const {
    return tokenizer_->encode(text, 100000).ids.size();
  }
  std::optional<Tokenizer> tokenizer_;
};

TEST_F(FittedQuery, ShortTextsStayWhole) {
  const QueryParts parts{"graph learning", "the models", "music of a robot"};
  EXPECT_EQ(fitted_query(*tokenizer_, 32, parts, joined), joined(parts));
}

// Special tokens 2, title 2, [SEP], [TS] and topic 4 leave 32 - 10 = 22 words of the abstract.
TEST_F(FittedQuery, TheEndOfTheAbstractGivesWayFirst) {
  const std::string abstract = words("deep", 100);
  const std::string text =
      fitted_query(*tokenizer_, 32, {"graph learning", abstract, "music of a robot"}, joined);
  EXPECT_EQ(text, joined({"graph learning", words("deep", 22), "music of a robot"}));
  EXPECT_EQ(tokens(text), 32U);
}

TEST_F(FittedQuery, ATopicOfFiveThousandCharactersTakesHalfOfTheLength) {
  const std::string topic = words("music", 900);
  const std::string text =
      fitted_query(*tokenizer_, 32, {"graph learning", words("deep", 100), topic}, joined);
  EXPECT_LE(tokens(text), 32U);
  EXPECT_TRUE(text.ends_with(words("music", 15)));
  EXPECT_NE(text.find("graph learning [SEP] deep"), std::string::npos);
}

TEST_F(FittedQuery, ALongTitleGivesWayWhenTheAbstractIsGone) {
  const std::string title = words("graph", 500);
  const std::string text = fitted_query(*tokenizer_, 32, {title, "deep", "music of a robot"}, joined);
  EXPECT_LE(tokens(text), 32U);
  EXPECT_TRUE(text.ends_with(" [TS] music of a robot"));
}

}  // namespace
}  // namespace mustcite::model
