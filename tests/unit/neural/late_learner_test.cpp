#include "engine/neural/late_learner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "core/io/file.hpp"
#include "engine/neural/token_encoder.hpp"
#include "engine/train/run.hpp"
#include "testing/child.hpp"
#include "testing/temp_folder.hpp"
#include "unit/neural/demo_training.hpp"
#include "unit/neural/late_golden.hpp"
#include "unit/train/demo_world.hpp"

// Everything that computes on LibTorch's threads runs in a child: they do not survive a fork.

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;
using mustcite::testing::in_child;

constexpr const char* kRecipe = R"(
[model]
base = "tiny"
[late]
dims = 16
query_length = 24
document_length = 24
[examples]
positives = 2
negatives = 1
first_rank = 1
last_rank = 20
[loss]
kind = "nt-xent"
[training]
batch = 4
epochs = 2
steps = 12
rate = 2e-3
max_length = 24
dropout = false
[dev]
tier = "all"
every = 4
patience = 0
documents = 20
queries = 10
)";

/// Trains on the demo corpus and writes the model to `out`.
train::Report train_into(const fs::path& world, const fs::path& out, Progress& progress,
                         std::string text = kRecipe) {
  auto recipe = train::parse_recipe(text, "test");
  recipe.examples.last_year = 2018;
  return test::train_on_demo(world, out, progress, recipe, model::resolve_model(test::fixture("tiny-bert")),
                             make_late_learner);
}

class LateLearner : public ::testing::Test {
 protected:
  void SetUp() override { test::DemoWorld().build(folder_.path()); }
  mustcite::testing::TempFolder folder_;
};

TEST_F(LateLearner, LosesLessAfterSomeStepsByBothLosses) {
  for (const std::string kind : {"nt-xent", "pairwise-softmax"}) {
    const auto code = in_child([&] {
      std::string recipe = kRecipe;
      recipe.replace(recipe.find("nt-xent"), 7, kind);
      SilentProgress progress;
      const auto report = train_into(folder_.path(), folder_ / kind, progress, recipe);
      const auto& all = report.measurements;
      return all.size() == 4 && all.back().loss < all[1].loss ? 0 : 1;
    });
    EXPECT_EQ(code, 0) << kind;
  }
}

TEST_F(LateLearner, KilledAndResumedGivesTheSameWeightsToTheBit) {
  ASSERT_EQ(in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "through", progress).resumed_at == 0 ? 0 : 1;
            }),
            0);
  ASSERT_EQ(in_child([&] {
              test::DeadlyProgress progress(7);
              train_into(folder_.path(), folder_ / "killed", progress);
              return 1;
            }),
            128 + SIGKILL);
  ASSERT_EQ(in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "killed", progress).resumed_at == 6 ? 0 : 1;
            }),
            0);
  for (const char* file : {"model.safetensors", "1_Dense/model.safetensors"})
    EXPECT_EQ(io::read_file(folder_.path() / "killed" / file),
              io::read_file(folder_.path() / "through" / file))
        << file;
}

TEST_F(LateLearner, WritesAFolderOfLateInteractionThatLoadsAgain) {
  ASSERT_EQ(in_child([&] {
              SilentProgress progress;
              train_into(folder_.path(), folder_ / "model", progress);
              return 0;
            }),
            0);
  ASSERT_TRUE(model::is_late_folder(folder_ / "model"));
  const auto model = model::resolve_late_model(folder_ / "model");
  EXPECT_EQ(model.dimensions(), 16U);
  EXPECT_EQ(model.reading.document_length, 24U);
  EXPECT_FALSE(model.reading.expand_queries);
  EXPECT_TRUE(model.reading.skip_punctuation);
  const auto code = in_child([&] {
    const auto encoder = make_token_encoder(model, load_weights(model.folder), {});
    const std::vector<std::string_view> texts{"a small model", "words"};
    const auto vectors = encoder->encode(texts, model::TextRole::document);
    return vectors.texts() == 2 && vectors.count(1) == 3 ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(LateLearner, AWrittenModelGivesTheVectorsOfPyTorchAgain) {
  const auto code = in_child([&] {
    const test::LateGolden golden;
    model::LateModel model;
    model.folder = test::tiny(model::Pooling::mean);
    model.reading.query_length = model.reading.document_length = 60;
    model.reading.skip_punctuation = false;
    Weights weights = load_weights(model.folder);
    weights.dense.push_back({{golden["network.projection"], {}}, model::Activation::identity});
    fs::create_directories(folder_ / "golden");
    write_late_model(model, weights, folder_ / "golden");
    const auto written = model::resolve_late_model(folder_ / "golden");
    dense::EncoderOptions options;
    options.precision = dense::EncoderOptions::Precision::float32;
    const std::vector<std::string_view> texts{"a small model reads words"};
    const auto found = make_token_encoder(written, load_weights(written.folder), options)
                           ->encode(texts, model::TextRole::query);
    const auto wanted = golden["network.vectors"];
    if (found.count(0) != 7) return 1;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const auto t = static_cast<std::int64_t>(i / 16);
      if (std::abs(found.values[i] - wanted[t][static_cast<std::int64_t>(i % 16)].item<float>()) > 1e-5)
        return 2;
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace mustcite::neural
