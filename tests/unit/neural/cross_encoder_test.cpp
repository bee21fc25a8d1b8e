#include "engine/neural/cross_encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/neural/encoder.hpp"
#include "engine/neural/learner.hpp"
#include "engine/neural/packed_bert.hpp"
#include "engine/train/run.hpp"
#include "testing/child.hpp"
#include "testing/temp_folder.hpp"
#include "unit/neural/demo_training.hpp"
#include "unit/neural/golden.hpp"
#include "unit/train/demo_world.hpp"

// Expected values come from transformers: scripts/make-cross-fixtures.py. What computes on several threads
// runs in a child: LibTorch's threads do not survive a fork, so the parent starts none.

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;
using test::largest_difference;

constexpr const char* kGolden = "cross-golden.safetensors";
const std::vector<std::uint32_t> kGroups{3, 2, 2};  // as in the script

struct Pair {
  std::string first, second;
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  io::LineReader lines(test::fixture("cross-pairs.jsonl"));
  std::string_view line;
  while (lines.next(line)) {
    const auto json = nlohmann::json::parse(line);
    all.push_back({json["a"], json["b"]});
  }
  return all;
}

model::ModelFolder tiny_cross() {
  return model::resolve_cross_encoder(test::fixture("tiny-cross")).encoder;
}

TEST(CrossEncoder, PairsBecomeTheTokensOfTransformers) {
  const auto folder = tiny_cross();
  const auto tokenizer = model::Tokenizer::open(folder.transformer);
  const auto expected = test::Golden(kGolden).encodings();
  const auto texts = pairs();
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto encoding = tokenizer.encode_pair(texts[i].first, texts[i].second, folder.max_length);
    EXPECT_EQ(encoding.ids, expected[i].ids) << i;
    EXPECT_EQ(encoding.types, expected[i].types) << i;
  }
}

TEST(CrossEncoder, ScoresEqualTransformers) {
  const test::Golden golden(kGolden);
  const Bert bert(tiny_cross(), load_weights(tiny_cross()));
  const auto encodings = golden.encodings();
  const auto scores = bert.vectors(make_batch(test::pointers(encodings), 0)).squeeze(1);
  EXPECT_LT(largest_difference(scores, golden["logits"]), 1e-5);
}

TEST(CrossEncoder, ScoresOnTilesAreNear) {
  const auto folder = tiny_cross();
  if (!PackedBert::fits(folder)) GTEST_SKIP() << "skipped: no AMX here";
  const test::Golden golden(kGolden);
  const auto weights = load_weights(folder);
  const PackedBert packed(folder, weights);
  PackedBert::Workspace workspace;
  const auto encodings = golden.encodings();
  auto scores = at::empty({static_cast<std::int64_t>(encodings.size())});
  std::vector<float*> rows;
  for (std::size_t i = 0; i < encodings.size(); ++i) rows.push_back(scores.data_ptr<float>() + i);
  packed.encode(test::pointers(encodings), rows, workspace);
  // Scores reach from -2.7 to 0.7; bfloat16 has three digits.
  EXPECT_LT(largest_difference(scores, golden["logits"]), 0.05);
}

TEST(CrossEncoder, LossesAndGradientsEqualPyTorch) {
  const test::Golden golden(kGolden);
  for (const std::string loss : {"logistic", "softmax"}) {
    Bert bert(tiny_cross(), load_weights(tiny_cross()));
    for (auto& [name, tensor] : bert.weights().named()) tensor->requires_grad_(true);
    const auto encodings = golden.encodings();
    const auto scores = bert.vectors(make_batch(test::pointers(encodings), 0)).squeeze(1);
    const auto value = loss == "logistic" ? pair_logistic(scores, kGroups) : pair_softmax(scores, kGroups);
    EXPECT_LT(largest_difference(value.reshape({1}), golden[loss + ".value"]), 1e-5) << loss;
    value.backward();
    const std::map<std::string, std::string> watched{
        {"embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight"},
        {"encoder.layer.0.attention.self.query.weight", "bert.encoder.layer.0.attention.self.query.weight"},
        {"dense.0.weight", "bert.pooler.dense.weight"},
        {"dense.1.weight", "classifier.weight"},
        {"dense.1.bias", "classifier.bias"}};
    std::size_t compared = 0;
    for (auto& [name, tensor] : bert.weights().named()) {
      const auto found = watched.find(name);
      if (found == watched.end()) continue;
      EXPECT_LT(largest_difference(tensor->grad(), golden[loss + ".grad." + found->second]), 1e-5) << name;
      ++compared;
    }
    EXPECT_EQ(compared, watched.size());
  }
}

TEST(CrossEncoder, ANewHeadFollowsItsSeed) {
  const auto head = [](std::uint64_t seed) {
    const auto cross = model::with_new_head(test::fixture("tiny-bert"), model::Head::mean, seed);
    return load_weights(cross.encoder).dense.back().linear.weight;
  };
  EXPECT_TRUE(at::equal(head(1), head(1)));
  EXPECT_FALSE(at::equal(head(1), head(2)));
  EXPECT_GT(head(1).abs().max().item<double>(), 0);
}

TEST(CrossEncoder, EncodersTakeEmptyAndEndlessPairs) {
  EXPECT_EQ(mustcite::testing::in_child([] {
              const auto folder = tiny_cross();
              std::string endless;
              while (endless.size() < 100000) endless += "a small model ";
              const std::vector<dense::TextPair> texts{
                  {"", ""}, {endless, endless}, {"words", endless}, {"words", "a graph"}};
              for (const auto precision :
                   {dense::EncoderOptions::Precision::float32, dense::EncoderOptions::Precision::bfloat16}) {
                const auto encoder = make_encoder(folder, load_weights(folder), {precision, 2, 64});
                if (encoder->dimensions() != 1) return 1;
                std::vector<float> scores(texts.size());
                encoder->encode_pairs(texts, scores);
                for (const float score : scores) {
                  if (!std::isfinite(score)) return 2;
                }
                float alone = 0;
                encoder->encode_pairs(std::span(texts).subspan(3, 1), {&alone, 1});
                if (std::abs(alone - scores[3]) > 1e-4F) return 3;
              }
              return 0;
            }),
            0);
}

constexpr const char* kRecipe = R"(
[model]
base = "tiny"
head = "HEAD"
[examples]
positives = 1
negatives = 3
first_rank = 1
last_rank = 20
[loss]
kind = "LOSS"
[training]
batch = 4
accumulate = 2
epochs = 2
steps = 7
rate = 1e-3
max_length = 40
[dev]
every = 3
patience = 0
held_out = 0.2
documents = 10
)";

std::string recipe_with(const std::string& head, const std::string& loss) {
  std::string text = kRecipe;
  text.replace(text.find("HEAD"), 4, head);
  text.replace(text.find("LOSS"), 4, loss);
  return text;
}

/// Trains a cross-encoder on the demo corpus into `out`. Returns the step it went on from, above 100 for what
/// must not be.
int train_into(const fs::path& world, const fs::path& out, Progress& progress,
               const std::string& recipe_text) {
  const auto recipe = train::parse_recipe(recipe_text, "test");
  const auto base = model::with_new_head(test::fixture("tiny-bert"), recipe.model.head, 5, 40).encoder;
  const auto report = test::train_on_demo(world, out, progress, recipe, base, make_learner, false);
  if (report.dev_queries == 0 || !report.measurements.front().ndcg_10) return 101;
  if (report.steps != 7) return 102;
  return static_cast<int>(report.resumed_at);
}

class CrossLearner : public ::testing::Test {
 protected:
  void SetUp() override { test::DemoWorld().build(folder_.path()); }
  mustcite::testing::TempFolder folder_;
};

TEST_F(CrossLearner, KilledAndResumedGivesTheSameWeightsToTheBit) {
  const auto recipe = recipe_with("mean", "pair-softmax");
  ASSERT_EQ(mustcite::testing::in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "through", progress, recipe);
            }),
            0);
  ASSERT_EQ(mustcite::testing::in_child([&] {
              test::DeadlyProgress progress(5);
              return train_into(folder_.path(), folder_ / "killed", progress, recipe);
            }),
            128 + SIGKILL);
  ASSERT_EQ(mustcite::testing::in_child([&] {
              SilentProgress progress;
              return train_into(folder_.path(), folder_ / "killed", progress, recipe);
            }),
            4);  // the fifth step was done, but not kept yet
  EXPECT_EQ(io::read_file(folder_.path() / "killed" / "model.safetensors"),
            io::read_file(folder_.path() / "through" / "model.safetensors"));
}

TEST_F(CrossLearner, EveryHeadAndLossMakesAFolderThatScores) {
  for (const std::string head : {"pooler", "cls", "mean"}) {
    const std::string loss = head == "cls" ? "pair-logistic" : "pair-softmax";
    const fs::path out = folder_.path() / head;
    ASSERT_EQ(mustcite::testing::in_child([&] {
                SilentProgress progress;
                return train_into(folder_.path(), out, progress, recipe_with(head, loss));
              }),
              0)
        << head;
    const auto cross = model::resolve_cross_encoder(out);
    EXPECT_EQ(model::name_of(cross.head), head);
    EXPECT_EQ(cross.encoder.max_length, 40U);
    EXPECT_TRUE(cross.sigmoid);
    EXPECT_EQ(load_weights(cross.encoder).dense.size(), head == "pooler" ? 2U : 1U);
    // transformers reads no other names.
    const auto file = model::TensorFile::open(out);
    EXPECT_NE(file.find("classifier.weight"), nullptr);
    EXPECT_EQ(file.find("bert.pooler.dense.weight") != nullptr, head == "pooler");
  }
}

std::unique_ptr<train::Learner> softmax_learner() {
  train::LearnerOptions options;
  options.loss = train::Loss::pair_softmax;
  options.dropout = false;
  options.threads = 1;
  return make_learner(tiny_cross(), options);
}

train::Batch golden_batch() {
  train::Batch batch;
  batch.pairs = test::Golden(kGolden).encodings();
  batch.group_sizes = kGroups;
  return batch;
}

TEST_F(CrossLearner, LearnsAGroupByHeart) {
  EXPECT_EQ(mustcite::testing::in_child([] {
              const auto learner = softmax_learner();
              train::Batch batch = golden_batch();
              const double before = learner->accumulate(batch, 1, 0);
              learner->update(1e-3);
              double after = before;
              for (std::uint64_t step = 1; step < 20; ++step) {
                after = learner->accumulate(batch, 1, step);
                learner->update(1e-3);
              }
              return before > 0.4 && after < before / 2 ? 0 : 1;
            }),
            0);
}

TEST_F(CrossLearner, OffsetsAreAddedToTheScores) {
  EXPECT_EQ(mustcite::testing::in_child([] {
              const auto learner = softmax_learner();
              train::Batch batch = golden_batch();
              const double without = learner->accumulate(batch, 1, 0);
              // One offset for a whole group moves no softmax.
              for (std::size_t group = 0; group < kGroups.size(); ++group)
                batch.offsets.insert(batch.offsets.end(), kGroups[group], static_cast<float>(group) - 2);
              if (std::abs(learner->accumulate(batch, 1, 0) - without) > 1e-5) return 1;
              // A cited paper far ahead already leaves nothing to learn.
              std::size_t first = 0;
              for (const auto size : kGroups) {
                batch.offsets[first] += 1000;
                first += size;
              }
              return learner->accumulate(batch, 1, 0) < 1e-5 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace mustcite::neural
