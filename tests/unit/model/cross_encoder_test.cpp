#include "engine/model/cross_encoder.hpp"

#include <gtest/gtest.h>

#include "core/io/file.hpp"
#include "engine/model/tensor_file.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using test::code_of;
using test::message_of;
using test::Scratch;

/// A tiny model whose weights have these tensors besides.
void write_model(const fs::path& folder, const std::map<std::string, std::vector<std::int64_t>>& more,
                 const nlohmann::json& fields = nlohmann::json::object()) {
  test::write_tiny_model(folder);
  auto config = nlohmann::json::parse(io::read_file(folder / "config.json"));
  auto shapes = test::tiny_shapes(config["vocab_size"].get<std::int64_t>());
  for (const auto& [name, shape] : more) shapes[name] = shape;
  config.update(fields);
  io::write_file_atomically(folder / "config.json", config.dump());
  io::write_file_atomically(folder / "model.safetensors", test::safetensors(shapes));
}

TEST(CrossEncoderFolder, ABertForSequenceClassificationIsPoolerThenClassifier) {
  const Scratch scratch;
  write_model(scratch.path(), {{"bert.pooler.dense.weight", {64, 64}},
                               {"bert.pooler.dense.bias", {64}},
                               {"classifier.weight", {1, 64}},
                               {"classifier.bias", {1}}});
  const CrossEncoder cross = resolve_cross_encoder(scratch.path());
  EXPECT_EQ(cross.head, Head::pooler);
  EXPECT_EQ(cross.encoder.pooling, Pooling::cls);
  EXPECT_EQ(cross.encoder.dimensions(), 1U);
  ASSERT_EQ(cross.encoder.dense.size(), 2U);
  EXPECT_EQ(cross.encoder.dense[0].tensor, "bert.pooler.dense");
  EXPECT_EQ(cross.encoder.dense[0].activation, Activation::tanh);
  EXPECT_EQ(cross.encoder.dense[1].activation, Activation::identity);
  EXPECT_EQ(head_of(cross.encoder), Head::pooler);
}

TEST(CrossEncoderFolder, WithoutAPoolerTheClassifierReadsClsOrWhatTheConfigSays) {
  const Scratch scratch;
  write_model(scratch.path(), {{"classifier.weight", {1, 64}}});
  EXPECT_EQ(resolve_cross_encoder(scratch.path()).head, Head::cls);
  EXPECT_FALSE(resolve_cross_encoder(scratch.path()).encoder.dense.back().bias);
  const std::string config = io::read_file(scratch.path() / "config.json");
  io::write_file_atomically(scratch.path() / "config.json", cross_encoder_config(config, Head::mean, "test"));
  const CrossEncoder mean = resolve_cross_encoder(scratch.path());
  EXPECT_EQ(mean.head, Head::mean);
  EXPECT_EQ(mean.encoder.pooling, Pooling::mean);
}

TEST(CrossEncoderFolder, TheActivationOfSentenceTransformersIsRead) {
  const Scratch scratch;
  const std::map<std::string, std::vector<std::int64_t>> head{{"classifier.weight", {1, 64}}};
  write_model(scratch.path(), head);
  EXPECT_TRUE(resolve_cross_encoder(scratch.path()).sigmoid);
  write_model(scratch.path(), head,
              {{"sentence_transformers", {{"activation_fn", "torch.nn.modules.linear.Identity"}}}});
  EXPECT_FALSE(resolve_cross_encoder(scratch.path()).sigmoid);
  write_model(scratch.path(), head,
              {{"sbert_ce_default_activation_function", "torch.nn.modules.activation.Sigmoid"}});
  EXPECT_TRUE(resolve_cross_encoder(scratch.path()).sigmoid);
  write_model(scratch.path(), head, {{"sentence_transformers", {{"activation_fn", "my.module.Evil"}}}});
  EXPECT_EQ(code_of([&] { (void)resolve_cross_encoder(scratch.path()); }), ErrorCode::invalid_input);
}

TEST(CrossEncoderFolder, AModelWithoutAHeadIsRefusedAndToldHowToGetOne) {
  const Scratch scratch;
  test::write_tiny_model(scratch.path());
  EXPECT_FALSE(has_head(scratch.path()));
  EXPECT_EQ(code_of([&] { (void)resolve_cross_encoder(scratch.path()); }), ErrorCode::invalid_input);
  EXPECT_NE(message_of([&] { (void)resolve_cross_encoder(scratch.path()); }).find("mustcite train"),
            std::string::npos);
}

TEST(CrossEncoderFolder, SeveralLabelsAndOneTokenTypeAreRefused) {
  const Scratch scratch;
  write_model(scratch.path(), {{"classifier.weight", {3, 64}}});
  EXPECT_EQ(code_of([&] { (void)resolve_cross_encoder(scratch.path()); }), ErrorCode::invalid_input);
  write_model(scratch.path(),
              {{"classifier.weight", {1, 64}}, {"embeddings.token_type_embeddings.weight", {1, 64}}},
              {{"type_vocab_size", 1}});
  EXPECT_EQ(code_of([&] { (void)resolve_cross_encoder(scratch.path()); }), ErrorCode::invalid_input);
}

TEST(CrossEncoderFolder, WithoutAVocabularyNothingIsFound) {
  const Scratch scratch;
  write_model(scratch.path(), {{"classifier.weight", {1, 64}}});
  fs::remove(scratch.path() / "vocab.txt");
  EXPECT_EQ(code_of([&] { (void)resolve_cross_encoder(scratch.path()); }), ErrorCode::not_found);
}

TEST(CrossEncoderFolder, ANewHeadTakesOverThePoolerThatIsThere) {
  const Scratch scratch;
  test::write_tiny_model(scratch.path());
  const auto fresh = with_new_head(scratch.path(), Head::pooler, 7).encoder;
  ASSERT_EQ(fresh.dense.size(), 2U);
  EXPECT_TRUE(fresh.dense[0].fresh);
  EXPECT_TRUE(fresh.dense[1].fresh);
  write_model(scratch.path(), {{"pooler.dense.weight", {64, 64}}, {"pooler.dense.bias", {64}}});
  const auto kept = with_new_head(scratch.path(), Head::pooler, 7).encoder;
  EXPECT_FALSE(kept.dense[0].fresh);
  EXPECT_EQ(kept.dense[0].tensor, "pooler.dense");
  EXPECT_EQ(kept.dense[1].fresh, 7U);
}

TEST(CrossEncoderFolder, TheDigestTellsHeadsLengthsAndEncodersApart) {
  const Scratch scratch;
  write_model(scratch.path(), {{"classifier.weight", {1, 64}}});
  const auto cross = resolve_cross_encoder(scratch.path()).encoder.digest;
  EXPECT_NE(cross, resolve_model(scratch.path()).digest);
  EXPECT_NE(cross, resolve_cross_encoder(scratch.path(), 12).encoder.digest);
  EXPECT_NE(with_new_head(scratch.path(), Head::cls, 1).encoder.digest,
            with_new_head(scratch.path(), Head::cls, 2).encoder.digest);
  EXPECT_EQ(cross, resolve_cross_encoder(scratch.path()).encoder.digest);
}

TEST(CrossEncoderFolder, HeadsHaveOneNameEach) {
  for (const Head head : {Head::pooler, Head::cls, Head::mean})
    EXPECT_EQ(parse_head(name_of(head), "test"), head);
  EXPECT_EQ(code_of([] { (void)parse_head("max", "test"); }), ErrorCode::invalid_input);
}

TEST(PairText, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(pair_text("a", "b"), "a [SEP] b");
  EXPECT_EQ(pair_text("a", ""), "a");
  EXPECT_EQ(pair_text("a", "b", "c"), "a [SEP] b [SEP] c");
}

}  // namespace
}  // namespace mustcite::model
