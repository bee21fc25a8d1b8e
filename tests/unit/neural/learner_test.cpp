#include "engine/neural/learner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <random>

#include "core/io/file.hpp"
#include "engine/neural/encoder.hpp"
#include "engine/neural/packed_bert.hpp"
#include "engine/train/run.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/neural/demo_training.hpp"
#include "unit/neural/golden.hpp"
#include "unit/train/demo_world.hpp"

// Everything that computes runs in a child: LibTorch's threads do not survive a fork, so the parent starts
// none.

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipe = R"(
[model]
base = "tiny"
[examples]
positives = 2
negatives = 1
first_rank = 1
last_rank = 20
[loss]
kind = "nt-xent"
[training]
batch = 4
accumulate = 2
epochs = 2
steps = 9
rate = 1e-3
max_length = 24
[dev]
tier = "all"
every = 3
patience = 0
documents = 20
queries = 10
)";

/// Trains the tiny model on the demo corpus and writes it to `out`.
int train_into(const fs::path& world, const fs::path& out, Progress& progress, train::Recipe recipe) {
  recipe.examples.last_year = 2018;
  model::FolderOptions options;
  options.pooling = model::Pooling::mean;
  const auto base = model::resolve_model(test::fixture("tiny-bert"), options);
  recipe.schedule.max_length = std::min(recipe.schedule.max_length, base.max_length);
  const auto report = test::train_on_demo(world, out, progress, recipe, base, make_learner);
  if (fs::exists(fs::path(out) += ".training")) return 1;
  if (report.measurements.size() < 2 || report.steps != report.planned_steps) return 2;
  return static_cast<int>(report.resumed_at);
}

int train_into(const fs::path& world, const fs::path& out, Progress& progress,
               const std::string& recipe_text = kRecipe) {
  return train_into(world, out, progress, train::parse_recipe(recipe_text, "test"));
}

class Learner : public ::testing::Test {
 protected:
  void SetUp() override { test::DemoWorld().build(folder_.path()); }
  mustcite::testing::TempFolder folder_;
};

/// Trains once through, once with a kill after `step` steps, and compares the weights.
void expect_same_after_a_kill(const fs::path& folder, const std::string& recipe, std::size_t step) {
  const auto through = mustcite::testing::in_child([&] {
    SilentProgress progress;
    return train_into(folder, folder / "through", progress, recipe);
  });
  ASSERT_EQ(through, 0);
  const auto killed = mustcite::testing::in_child([&] {
    test::DeadlyProgress progress(step);
    return train_into(folder, folder / "killed", progress, recipe);
  });
  ASSERT_EQ(killed, 128 + SIGKILL);
  const auto resumed = mustcite::testing::in_child([&] {
    SilentProgress progress;
    return train_into(folder, folder / "killed", progress, recipe);
  });
  ASSERT_EQ(resumed, static_cast<int>(step) - 1);  // the last step was done, but not kept yet
  const auto expected = io::read_file(folder / "through" / "model.safetensors");
  EXPECT_EQ(io::read_file(folder / "killed" / "model.safetensors"), expected);
  EXPECT_NE(io::read_file(test::fixture("tiny-bert") + "/model.safetensors"), expected);
}

std::string with(const std::string& more) {
  std::string recipe = kRecipe;
  return recipe.insert(recipe.find("max_length"), more + "\n");
}

TEST_F(Learner, KilledAndResumedGivesTheSameWeightsToTheBit) {
  expect_same_after_a_kill(folder_.path(), kRecipe, 5);
}

TEST_F(Learner, KilledAndResumedGivesTheSameWeightsOnAmxTilesAsWell) {
  if (!PackedBert::fits(test::tiny(model::Pooling::mean)))
    GTEST_SKIP() << "skipped: no AMX tiles on this processor";
  const std::size_t step = 2 + std::random_device()() % 7;
  SCOPED_TRACE("killed at step " + std::to_string(step));
  expect_same_after_a_kill(folder_.path(), with("mixed = true\ndropout = false"), step);
}

TEST_F(Learner, EveryShippedRecipeOfAnEncoderTrainsATinyModel) {
  for (const char* name :
       {"minilm-ntx", "minilm-tri", "minilm-quad", "scibert-ntx", "scincl-aclrw", "scincl-quad"}) {
    auto recipe = train::read_recipe(fs::path(MUSTCITE_SOURCE_DIR) / "data" / "training" /
                                     (std::string(name) + ".toml"));
    recipe.schedule.batch = 4;
    recipe.schedule.steps = 2;
    recipe.dev.documents = 20;
    recipe.dev.queries = 5;
    EXPECT_EQ(mustcite::testing::in_child([&] {
                SilentProgress progress;
                return train_into(folder_.path(), folder_ / name, progress, recipe);
              }),
              0)
        << name;
    EXPECT_NE(io::read_file(test::fixture("tiny-bert") + "/model.safetensors"),
              io::read_file(folder_.path() / name / "model.safetensors"))
        << name;
  }
}

TEST_F(Learner, ACheckpointOfAnotherRecipeIsRefused) {
  ASSERT_EQ(mustcite::testing::in_child([&] {
              test::DeadlyProgress progress(3);
              return train_into(folder_.path(), folder_ / "model", progress);
            }),
            128 + SIGKILL);
  EXPECT_EQ(mustcite::testing::in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "model", progress,
                                std::string(kRecipe) + "\n# other\n");
            }),
            mustcite::testing::refusal(ErrorCode::invalid_input));
}

TEST_F(Learner, ATrainedModelIsAFolderLikeAnyOther) {
  ASSERT_EQ(mustcite::testing::in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "model", progress);
            }),
            0);
  const auto folder = model::resolve_model(folder_ / "model");
  EXPECT_EQ(folder.pooling, model::Pooling::mean);
  EXPECT_EQ(folder.config.hidden_size, 64);
  EXPECT_NE(folder.digest, model::resolve_model(test::fixture("tiny-bert")).digest);
}

TEST_F(Learner, FrozenLayersStayAsTheyWere) {
  const std::string recipe = with("trained_layers = 1");
  ASSERT_EQ(mustcite::testing::in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "frozen", progress, recipe);
            }),
            0);
  const auto before = model::TensorFile::open(test::fixture("tiny-bert"));
  const auto after = model::TensorFile::open(folder_ / "frozen");
  const auto same = [&](const std::string& name) {
    return std::ranges::equal(before.find(name)->bytes, after.find(name)->bytes);
  };
  EXPECT_TRUE(same("embeddings.word_embeddings.weight"));
  EXPECT_TRUE(same("encoder.layer.0.output.dense.weight"));
  EXPECT_FALSE(same("encoder.layer.1.output.dense.weight"));
}

TEST_F(Learner, LearnsABatchByHeart) {
  EXPECT_EQ(mustcite::testing::in_child([] {
              train::LearnerOptions options;
              options.dropout = false;
              options.threads = 1;
              const auto learner = make_learner(test::tiny(model::Pooling::mean), options);
              const auto texts = test::Golden().encodings();
              train::Batch batch;
              batch.queries = {texts[0], texts[1]};
              batch.documents = {texts[2], texts[3]};
              batch.positive = {0, 1, 1, 0};
              batch.ignored = {0, 0, 0, 0};
              const double before = learner->accumulate(batch, 1, 0);
              learner->update(1e-3);
              double after = before;
              for (std::uint64_t step = 1; step < 20; ++step) {
                after = learner->accumulate(batch, 1, step);
                learner->update(1e-3);
              }
              return before > 0.1 && after < before / 2 ? 0 : 1;
            }),
            0);
}

TEST_F(Learner, EncodersOfBothPrecisionsTakeEmptyAndEndlessTexts) {
  EXPECT_EQ(mustcite::testing::in_child([&] {
              const auto folder = test::tiny(model::Pooling::mean);
              const std::string endless(100000, 'a');
              std::string words;
              while (words.size() < 100000) words += "a small model ";
              const std::vector<std::string_view> texts{"", endless, words, "a small model"};
              for (const auto precision :
                   {dense::EncoderOptions::Precision::float32, dense::EncoderOptions::Precision::bfloat16}) {
                const auto encoder = make_encoder(folder, load_weights(folder), {precision, 2, 64});
                std::vector<float> out(texts.size() * encoder->dimensions());
                encoder->encode(texts, out);
                for (const float value : out) {
                  if (!std::isfinite(value)) return 1;
                }
                std::vector<float> alone(encoder->dimensions());
                encoder->encode(std::span(texts).subspan(3, 1), alone);
                for (std::size_t i = 0; i < alone.size(); ++i) {
                  if (std::abs(alone[i] - out[3 * alone.size() + i]) > 1e-5F) return 2;
                }
              }
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace mustcite::neural
