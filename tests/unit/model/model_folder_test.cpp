#include "engine/model/model_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/bert_tensors.hpp"
#include "engine/model/tokenizer.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class Folder : public testing::Test {
 protected:
  Folder() { test::write_tiny_model(folder()); }
  [[nodiscard]] fs::path folder() const { return scratch_.path() / "model"; }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    io::write_file_atomically(folder() / name, text);
  }
  [[nodiscard]] std::string refusal(const FolderOptions& options = {}) const {
    return test::message_of([&] { static_cast<void>(resolve_model(folder(), options)); });
  }

  test::Scratch scratch_;
};

constexpr const char* kModules = R"([{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},
  {"idx":1,"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}])";

TEST_F(Folder, APlainOnePoolsByTheMean) {
  const ModelFolder model = resolve_model(folder());
  EXPECT_EQ(model.pooling, Pooling::mean);
  EXPECT_FALSE(model.normalise);
  EXPECT_EQ(model.max_length, 40U);
  EXPECT_EQ(model.dimensions(), 64U);
  EXPECT_EQ(model.digest.size(), 64U);
}

TEST_F(Folder, SentenceTransformersSayWhatIsComputed) {
  put("modules.json", R"([{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},
    {"idx":1,"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
    {"idx":2,"path":"2_Dense","type":"sentence_transformers.models.Dense"},
    {"idx":3,"path":"3_Normalize","type":"sentence_transformers.models.Normalize"}])");
  put("1_Pooling/config.json", R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false})");
  put("2_Dense/config.json",
      R"({"in_features":64,"out_features":8,"bias":true,"activation_function":"torch.nn.modules.activation.Tanh"})");
  put("2_Dense/model.safetensors", test::safetensors({{"linear.weight", {8, 64}}, {"linear.bias", {8}}}));
  put("sentence_bert_config.json", R"({"max_seq_length":32})");
  put("config_sentence_transformers.json", R"({"prompts":{"query":"find: "}})");
  const ModelFolder model = resolve_model(folder());
  EXPECT_EQ(model.pooling, Pooling::cls);
  EXPECT_TRUE(model.normalise);
  EXPECT_EQ(model.max_length, 32U);
  ASSERT_EQ(model.dense.size(), 1U);
  EXPECT_EQ(model.dense[0].activation, Activation::tanh);
  EXPECT_EQ(model.dimensions(), 8U);
  EXPECT_EQ(model.prompts.at("query"), "find: ");
  EXPECT_EQ(dense_tensors(TensorFile::open(model.dense[0].folder), model.dense[0]).size(), 2U);
}

TEST_F(Folder, RefusesModulesThatAreNotComputed) {
  put("modules.json", kModules);
  put("1_Pooling/config.json", R"({"pooling_mode_weightedmean_tokens":true})");
  EXPECT_THAT(refusal(), HasSubstr("weightedmean_tokens"));
  put("1_Pooling/config.json", R"({"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true})");
  EXPECT_THAT(refusal(), HasSubstr("several"));
  put("modules.json",
      R"([{"path":"","type":"sentence_transformers.models.Transformer"},{"path":"../..","type":"x.Pooling"}])");
  EXPECT_THAT(refusal(), HasSubstr("outside"));
  put("modules.json", R"([{"path":"","type":"sentence_transformers.models.CLIPModel"}])");
  EXPECT_THAT(refusal(), HasSubstr("transformer"));
  put("modules.json", "[]");
  EXPECT_THAT(refusal(), HasSubstr("no list of modules"));
}

TEST_F(Folder, ReadsAnAdapterInTheArrangementOfSpecter2) {
  const fs::path adapter = scratch_.path() / "adapter";
  fs::create_directories(adapter);
  json config = json::parse(
      R"({"name":"[PRX]","hidden_size":64,"model_type":"bert","config":{"adapter_residual_before_ln":false,
    "cross_adapter":false,"inv_adapter":null,"is_parallel":false,"leave_out":[],"ln_after":false,"ln_before":false,
    "mh_adapter":false,"non_linearity":"relu","original_ln_after":true,"original_ln_before":true,"output_adapter":true,
    "phm_layer":false,"reduction_factor":16,"residual_before_ln":true,"scaling":1.0,"use_gating":false}})");
  const auto write = [&] { io::write_file_atomically(adapter / "adapter_config.json", config.dump()); };
  write();
  const std::string layer = "bert.encoder.layer.0.output.adapters.[PRX].";
  io::write_file_atomically(adapter / "model.safetensors",
                            test::safetensors({{layer + "adapter_down.0.weight", {4, 64}},
                                               {layer + "adapter_down.0.bias", {4}},
                                               {layer + "adapter_up.weight", {64, 4}},
                                               {layer + "adapter_up.bias", {64}}}));
  FolderOptions options;
  options.adapter = adapter;
  const ModelFolder model = resolve_model(folder(), options);
  ASSERT_TRUE(model.adapter);
  EXPECT_EQ(model.adapter->bottleneck, 4);
  EXPECT_EQ(model.adapter->activation, Activation::relu);
  EXPECT_NE(model.digest, resolve_model(folder()).digest);
  const auto tensors =
      adapter_tensors(TensorFile::open(adapter_weights(*model.adapter)), *model.adapter, model.config);
  EXPECT_EQ(tensors.size(), 4U);
  EXPECT_EQ(tensors.at("layer.0.down.weight").shape, (std::vector<std::int64_t>{4, 64}));
  config["config"]["mh_adapter"] = true;
  write();
  EXPECT_THAT(refusal(options), HasSubstr("mh_adapter"));
  config["config"]["mh_adapter"] = false;
  config["hidden_size"] = 768;
  write();
  EXPECT_THAT(refusal(options), HasSubstr("hidden size"));
}

TEST_F(Folder, TheDigestFollowsWhatDecidesAVector) {
  const std::string before = resolve_model(folder()).digest;
  EXPECT_EQ(resolve_model(folder()).digest, before);
  fs::copy(folder(), scratch_.path() / "copy", fs::copy_options::recursive);
  EXPECT_EQ(resolve_model(scratch_.path() / "copy").digest, before);
  FolderOptions options;
  options.max_length = 16;
  EXPECT_NE(resolve_model(folder(), options).digest, before);
  test::write_tiny_model(folder(), 0.25F);
  EXPECT_NE(resolve_model(folder()).digest, before);
}

TEST_F(Folder, SaysWhatIsMissing) {
  fs::remove(folder() / "vocab.txt");
  EXPECT_THAT(refusal(), HasSubstr("no vocabulary"));
  test::write_tiny_model(folder());
  fs::remove(folder() / "model.safetensors");
  EXPECT_THAT(refusal(), HasSubstr("no weights"));
  fs::remove(folder() / "config.json");
  EXPECT_THAT(refusal(), HasSubstr("no config.json"));
  fs::remove_all(folder());
  EXPECT_THAT(refusal(), HasSubstr("mustcite model pull"));
}

TEST_F(Folder, RefusesArchitecturesThatAreNotComputed) {
  const auto refused = [&](const char* field, const json& value) {
    json config = test::tiny_config(72);
    config[field] = value;
    return test::message_of([&] { static_cast<void>(parse_model_config(config.dump(), "it")); });
  };
  EXPECT_THAT(refused("model_type", "roberta"), HasSubstr("roberta"));
  EXPECT_THAT(refused("position_embedding_type", "relative_key"), HasSubstr("relative_key"));
  EXPECT_THAT(refused("hidden_act", "mish"), HasSubstr("mish"));
  EXPECT_THAT(refused("num_attention_heads", 3), HasSubstr("heads"));
  EXPECT_THAT(refused("hidden_size", -1), HasSubstr("hidden_size"));
  EXPECT_THAT(refused("num_hidden_layers", 1e9), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(refused("vocab_size", std::uint64_t{1} << 63), HasSubstr("vocab_size"));
  EXPECT_THAT(refused("is_decoder", true), HasSubstr("decoder"));
  EXPECT_THAT(test::message_of([] { static_cast<void>(parse_model_config("{", "it")); }), HasSubstr("JSON"));
  EXPECT_EQ(refused("hidden_act", "gelu_new"), "");
}

TEST_F(Folder, RefusesWeightsThatDisagreeWithTheConfig) {
  const ModelConfig config = resolve_model(folder()).config;
  EXPECT_EQ(bert_tensors(TensorFile::open(folder()), config).size(), 5U + 16U);
  const auto refused = [&](const std::map<std::string, std::vector<std::int64_t>>& shapes) {
    put("model.safetensors", test::safetensors(shapes));
    return test::message_of([&] { static_cast<void>(bert_tensors(TensorFile::open(folder()), config)); });
  };
  auto shapes = test::tiny_shapes(config.vocab_size);
  shapes["encoder.layer.0.intermediate.dense.weight"] = {64, 128};
  EXPECT_THAT(refused(shapes), HasSubstr("[64, 128], and the config says [128, 64]"));
  shapes = test::tiny_shapes(config.vocab_size + 1);
  EXPECT_THAT(refused(shapes), HasSubstr("word_embeddings"));
  shapes = test::tiny_shapes(config.vocab_size);
  shapes.erase("encoder.layer.0.output.dense.bias");
  EXPECT_THAT(refused(shapes), HasSubstr("'encoder.layer.0.output.dense.bias' is missing"));
}

TEST_F(Folder, TakesOldNamesOfTensors) {
  const ModelConfig config = resolve_model(folder()).config;
  std::map<std::string, std::vector<std::int64_t>> old;
  for (const auto& [key, shape] : test::tiny_shapes(config.vocab_size)) {
    std::string name = key;
    if (name.ends_with("LayerNorm.weight")) name = name.substr(0, name.size() - 6) + "gamma";
    if (name.ends_with("LayerNorm.bias")) name = name.substr(0, name.size() - 4) + "beta";
    old["bert." + name] = shape;
  }
  put("model.safetensors", test::safetensors(old));
  const auto tensors = bert_tensors(TensorFile::open(folder()), config);
  EXPECT_TRUE(tensors.contains("embeddings.LayerNorm.weight"));
}

TEST_F(Folder, AVocabularyLargerThanTheModelIsRefused) {
  put("vocab.txt", io::read_file(folder() / "vocab.txt") + "one\nmore\n");
  const ModelFolder model = resolve_model(folder());
  EXPECT_THAT(test::message_of([&] { check_vocabulary(Tokenizer::open(folder()), model.config); }),
              HasSubstr("belong together"));
}

}  // namespace
}  // namespace mustcite::model
