#include "engine/model/late_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LateFolder : public testing::Test {
 protected:
  LateFolder() { test::write_tiny_model(folder()); }
  [[nodiscard]] fs::path folder() const { return scratch_.path() / "model"; }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    io::write_file_atomically(folder() / name, text);
  }
  /// As PyLate saves a model.
  void make_pylate(const std::string& config) const {
    put("modules.json", R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
      {"idx":1,"name":"1","path":"1_Dense","type":"pylate.models.Dense.Dense"}])");
    put("1_Dense/config.json", R"({"in_features":64,"out_features":8,"bias":false,
      "activation_function":"torch.nn.modules.linear.Identity"})");
    put("1_Dense/model.safetensors", test::safetensors({{"linear.weight", {8, 64}}}));
    put("config_sentence_transformers.json", config);
  }
  [[nodiscard]] std::string refusal(const LateOptions& options = {}) const {
    return test::message_of([&] {
      const auto model = resolve_late_model(folder(), options);
      const auto tokenizer = Tokenizer::open(folder());
      static_cast<void>(LateReader(model, tokenizer));
    });
  }
  [[nodiscard]] std::vector<std::string> tokens(const Tokenizer& tokenizer, const LateEncoding& text) const {
    std::vector<std::string> words;
    for (const auto id : text.tokens.ids) words.emplace_back(tokenizer.token(id));
    return words;
  }

  test::Scratch scratch_;
};

TEST_F(LateFolder, OfPylateSaysItsProjectionMarkersAndLengths) {
  make_pylate(R"({"query_prefix":"[MASK]","document_prefix":"[UNK]","query_length":12,"document_length":20,
    "attend_to_expansion_tokens":true,"skiplist_words":[]})");
  EXPECT_TRUE(is_late_folder(folder()));
  const auto model = resolve_late_model(folder());
  EXPECT_EQ(model.dimensions(), 8U);
  ASSERT_EQ(model.folder.dense.size(), 1U);
  EXPECT_FALSE(model.folder.dense[0].bias);
  EXPECT_EQ(model.reading.query_marker, "[MASK]");
  EXPECT_EQ(model.reading.document_marker, "[UNK]");
  EXPECT_EQ(model.reading.query_length, 12U);
  EXPECT_EQ(model.reading.document_length, 20U);
  EXPECT_TRUE(model.reading.expand_queries);
  EXPECT_TRUE(model.reading.attend_to_expansion);
  EXPECT_FALSE(model.reading.skip_punctuation);
}

TEST_F(LateFolder, OfColbertHasItsProjectionAmongTheWeights) {
  auto shapes = test::tiny_shapes(static_cast<std::int64_t>(Tokenizer::open(folder()).vocab_size()));
  std::map<std::string, std::vector<std::int64_t>> named{{"linear.weight", {16, 64}}};
  for (const auto& [name, shape] : shapes) named["bert." + name] = shape;
  put("model.safetensors", test::safetensors(named));
  put("artifact.metadata",
      R"({"query_token_id":"[MASK]","doc_token_id":"[UNK]","query_maxlen":8,"doc_maxlen":30,
    "mask_punctuation":true,"attend_to_mask_tokens":false})");
  EXPECT_TRUE(is_late_folder(folder()));
  const auto model = resolve_late_model(folder());
  EXPECT_EQ(model.dimensions(), 16U);
  EXPECT_EQ(model.folder.dense[0].folder, model.folder.transformer);
  EXPECT_EQ(model.reading.query_length, 8U);
  EXPECT_EQ(model.reading.document_length, 30U);
  EXPECT_FALSE(model.reading.attend_to_expansion);
  EXPECT_TRUE(model.reading.skip_punctuation);
}

TEST_F(LateFolder, APlainEncoderGivesItsStatesAndHasNoMarkers) {
  EXPECT_FALSE(is_late_folder(folder()));
  const auto model = resolve_late_model(folder());
  EXPECT_EQ(model.dimensions(), 64U);
  EXPECT_TRUE(model.reading.query_marker.empty());
  EXPECT_EQ(model.reading.document_length, 40U);
  EXPECT_FALSE(model.reading.expand_queries);
}

TEST_F(LateFolder, WhatChangesAVectorChangesTheDigest) {
  const auto plain = resolve_late_model(folder()).digest;
  LateOptions options;
  options.query_length = 12;
  const auto shorter = resolve_late_model(folder(), options).digest;
  options.skip_punctuation = false;
  EXPECT_NE(plain, shorter);
  EXPECT_NE(shorter, resolve_late_model(folder(), options).digest);
}

TEST_F(LateFolder, RefusesWhatCannotBeRead) {
  LateOptions options;
  options.query_marker = "[nowhere]";
  EXPECT_THAT(refusal(options), HasSubstr("[nowhere]"));
  options = {};
  options.document_length = 41;  // the model has 40 positions
  EXPECT_THAT(refusal(options), HasSubstr("41"));
  make_pylate(R"({"query_prefix":"","document_prefix":"","query_length":"long"})");
  EXPECT_THAT(refusal(), HasSubstr("query_length"));
  make_pylate(R"({"query_prefix":"","document_prefix":"","query_length":32,"document_length":32})");
  put("1_Dense/config.json", R"({"in_features":32,"out_features":8,"bias":false,
    "activation_function":"torch.nn.modules.linear.Identity"})");
  EXPECT_THAT(refusal(), HasSubstr("takes 32 numbers and gets 64"));
  put("1_Dense/config.json", R"({"in_features":64,"out_features":8,"bias":false,"use_residual":true,
    "activation_function":"torch.nn.modules.linear.Identity"})");
  EXPECT_THAT(refusal(), HasSubstr("adds what entered"));
}

TEST_F(LateFolder, AsAnEncoderOfSingleVectorsIsRefused) {
  make_pylate("{}");
  EXPECT_THAT(test::message_of([&] { static_cast<void>(resolve_model(folder())); }),
              HasSubstr("vectors of tokens"));
}

TEST_F(LateFolder, MarkersStandBehindClsAndQueriesAreFilledWithMasks) {
  LateOptions options;
  options.query_marker = "[UNK]";
  options.query_length = 6;
  options.document_length = 6;
  options.expand_queries = true;
  const auto model = resolve_late_model(folder(), options);
  const auto tokenizer = Tokenizer::open(folder());
  const LateReader reader(model, tokenizer);
  const auto query = reader.read("deep", TextRole::query);
  EXPECT_EQ(tokens(tokenizer, query),
            (std::vector<std::string>{"[CLS]", "[UNK]", "deep", "[SEP]", "[MASK]", "[MASK]"}));
  EXPECT_EQ(query.attended, 4U);
  EXPECT_EQ(query.kept.size(), 6U);
  const auto cut = reader.read("deep deep deep deep deep deep deep", TextRole::query);
  EXPECT_EQ(cut.tokens.ids.size(), 6U);
  EXPECT_EQ(cut.attended, 6U);
  const auto document = reader.read("deep", TextRole::document);
  EXPECT_EQ(tokens(tokenizer, document), (std::vector<std::string>{"[CLS]", "deep", "[SEP]"}));
}

TEST_F(LateFolder, VectorsOfPunctuationCountInQueriesAlone) {
  io::write_file_atomically(folder() / "vocab.txt", io::read_file(folder() / "vocab.txt") + ",\n.\n");
  fs::remove(folder() / "tokenizer.json");
  const auto tokenizer = Tokenizer::open(folder());
  const auto words = static_cast<std::int64_t>(tokenizer.vocab_size());
  put("config.json", test::tiny_config(words).dump());
  put("model.safetensors", test::safetensors(test::tiny_shapes(words)));
  const auto model = resolve_late_model(folder());
  const LateReader reader(model, tokenizer);
  const auto document = reader.read("deep, deep.", TextRole::document);
  EXPECT_EQ(document.tokens.ids.size(), 6U);
  EXPECT_EQ(document.kept, (std::vector<std::uint32_t>{0, 1, 3, 5}));
  EXPECT_EQ(reader.read("deep, deep.", TextRole::query).kept.size(), 6U);
  // What is nothing but punctuation still has the vectors of its special tokens.
  EXPECT_EQ(reader.read(".,", TextRole::document).kept.size(), 2U);
}

}  // namespace
}  // namespace mustcite::model
