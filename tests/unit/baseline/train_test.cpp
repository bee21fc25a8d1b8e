#include "engine/baseline/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/io/file.hpp"
#include "engine/model/tensor_file.hpp"
#include "engine/model/tensor_writer.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::baseline {
namespace {

namespace fs = std::filesystem;

/// Learns one number. Epoch n adds 1 + n / 10; a document's score falls with the distance of the number from
/// `goal`, times whether the query cites it: the nearer, the better the ranking.
class Counter final : public Learner {
 public:
  Counter(float goal, std::vector<Stage> stages, int dies_at = -1)
      : goal_(goal), stages_(std::move(stages)), dies_at_(dies_at) {}

  std::vector<Stage> stages() const override { return stages_; }
  double epoch(std::size_t stage, std::size_t number, Progress&) override {
    if (epochs_++ == dies_at_) throw std::runtime_error("killed");
    value_ += 1 + static_cast<float>(number) / 10 + static_cast<float>(stage) * 10;
    return std::abs(goal_ - value_);
  }
  void score(std::size_t, std::span<const Example> queries, std::span<const DocId> documents,
             std::span<float> out) override {
    const auto right = static_cast<std::uint32_t>(std::max(0.0F, 10 - std::abs(goal_ - value_)));
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (std::size_t d = 0; d < documents.size(); ++d) {
        const bool cited =
            std::binary_search(queries[q].positives.begin(), queries[q].positives.end(), documents[d]);
        // Only some of what is cited is found.
        out[q * documents.size() + d] = cited && documents[d].value % 10 < right ? 1.0F : 0.0F;
      }
    }
  }
  std::uint64_t weights() const override { return 1; }
  void save_state(const fs::path& file) const override {
    const auto bytes = std::as_bytes(std::span<const float>(&value_, 1));
    const model::Tensor tensor{"value", model::DType::f32, {1}, bytes};
    model::write_safetensors(file, std::span<const model::Tensor>(&tensor, 1));
  }
  void load_state(const fs::path& file) override {
    value_ = model::to_float32(*model::TensorFile::open(file).find("value"))[0];
  }
  void write(const fs::path& folder) const override { save_state(folder / kWeightsFile); }
  [[nodiscard]] float value() const { return value_; }

 private:
  float goal_;
  float value_ = 0;
  std::vector<Stage> stages_;
  int dies_at_;
  int epochs_ = 0;
};

class BaselineTraining : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TempFolder();
    test::DemoWorld().build(folder_->path());
    snapshot_ = new snapshot::Snapshot(snapshot::Snapshot::open(folder_->path()));
    text_ = new index::SparseIndex(index::SparseIndex::open(folder_->path() / "text", snapshot_->digest()));
    graph_ = new graph::CitationGraph(*snapshot_);
  }
  static void TearDownTestSuite() {
    delete graph_;
    delete text_;
    delete snapshot_;
    delete folder_;
  }
  static Data data(const std::string& training) {
    return make_data({snapshot_, graph_, text_, folder_->path(), {}, 1},
                     parse_recipe("[training]\nfeatures = \"hashed\"\nheld_out = 0.3\n" + training, "ktr"));
  }
  Card train(const Data& data, Learner& learner, const std::string& name) {
    TrainOptions options;
    options.out = out_ / name;
    options.release = "demo";
    SilentProgress progress;
    return baseline::train(data, learner, options, progress);
  }
  float kept(const std::string& name) const {
    return model::to_float32(*model::TensorFile::open(out_ / name / kWeightsFile).find("value"))[0];
  }

  testing::TempFolder out_;
  static testing::TempFolder* folder_;
  static snapshot::Snapshot* snapshot_;
  static index::SparseIndex* text_;
  static graph::CitationGraph* graph_;
};

testing::TempFolder* BaselineTraining::folder_ = nullptr;
snapshot::Snapshot* BaselineTraining::snapshot_ = nullptr;
index::SparseIndex* BaselineTraining::text_ = nullptr;
graph::CitationGraph* BaselineTraining::graph_ = nullptr;

TEST_F(BaselineTraining, KeepsTheBestEpochAndStopsWhenItGetsWorse) {
  // Values after the epochs: 1, 2.1, 3.3, 4.6, 6; the goal of 3.2 is nearest after the third.
  Counter learner(3.2F, {{"only", 20}});
  const auto card = train(data("patience = 2\n"), learner, "model");
  EXPECT_EQ(card.measurements.size(), 6U);  // before, three better, two worse
  EXPECT_FLOAT_EQ(kept("model"), 3.3F);
  EXPECT_EQ(card.name, "ktr");
  EXPECT_EQ(card.release, "demo");
  EXPECT_EQ(card.snapshot, snapshot_->digest());
  EXPECT_GT(card.peak_bytes, 1000000U);
  EXPECT_FALSE(fs::exists(out_ / "model.training"));
}

TEST_F(BaselineTraining, ANextStageStartsFromTheBestOfTheOneBefore) {
  // First stage 1, 2.1 (kept), 3.3; the second adds 11: 13.1.
  Counter learner(2.2F, {{"first", 3}, {"second", 1}});
  const auto card = train(data("patience = 1\n"), learner, "model");
  EXPECT_FLOAT_EQ(kept("model"), 2.1F);
  EXPECT_FLOAT_EQ(learner.value(), 2.1F);
  EXPECT_EQ(card.measurements.back().stage, "second");
  EXPECT_EQ(card.measurements.size(), 4U + 2U);
}

TEST_F(BaselineTraining, KilledInAnyEpochItEndsWithTheSame) {
  const auto all = data("patience = 0\n");
  const std::vector<Stage> stages{{"first", 3}, {"second", 2}};
  Counter whole(14, stages);
  const auto expected = train(all, whole, "whole");
  for (int death = 0; death < 5; ++death) {
    const std::string name = "killed" + std::to_string(death);
    Counter first(14, stages, death);
    EXPECT_THROW(train(all, first, name), std::runtime_error);
    Counter second(14, stages);
    const auto card = train(all, second, name);
    EXPECT_EQ(card.weights_digest, expected.weights_digest);
    ASSERT_EQ(card.measurements.size(), expected.measurements.size());
    for (std::size_t i = 0; i < card.measurements.size(); ++i) {
      EXPECT_EQ(card.measurements[i].recall_100, expected.measurements[i].recall_100);
      EXPECT_EQ(card.measurements[i].loss, expected.measurements[i].loss);
    }
  }
}

TEST_F(BaselineTraining, RefusesToGoOnUnderAnotherRecipe) {
  Counter first(14, {{"only", 5}}, 2);
  EXPECT_THROW(train(data("patience = 0\n"), first, "model"), std::runtime_error);
  Counter second(14, {{"only", 5}});
  EXPECT_EQ(testing::code_of([&] { train(data("patience = 0\nrate = 0.5\n"), second, "model"); }),
            ErrorCode::invalid_input);
}

TEST_F(BaselineTraining, WithoutHeldOutExamplesTheLastEpochIsKept) {
  Counter learner(1, {{"only", 4}});
  auto all = data("patience = 1\n");
  all.held_out.clear();
  train(all, learner, "model");
  EXPECT_FLOAT_EQ(kept("model"), 4.6F);
}

TEST_F(BaselineTraining, ACardReadsBackAndADamagedOneIsRefused) {
  Counter learner(2, {{"only", 1}});
  const auto card = train(data("seed = 9\n"), learner, "model");
  EXPECT_EQ(card.seed, 9U);
  EXPECT_EQ(read_card(out_ / "model").weights_digest, card.weights_digest);
  check_card(card, out_ / "model", snapshot_->digest());
  EXPECT_EQ(testing::code_of([&] { check_card(card, out_ / "model", "other"); }), ErrorCode::corrupt);
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(read_card(out_ / "nothing")); }), ErrorCode::not_found);
  for (const char* text : {"", "{}", "{\"format\": \"mustcite-baseline\", \"version\": 1}", "[1]"}) {
    io::write_file_atomically(out_ / "model" / kCardFile, text);
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(read_card(out_ / "model")); }), ErrorCode::corrupt)
        << text;
  }
}

TEST_F(BaselineTraining, ExamplesAddUpAndSeeNothingOfTheirOwnYear) {
  const auto all = data("");
  EXPECT_EQ(all.train.size() + all.held_out.size(), all.report.examples);
  EXPECT_GT(all.held_out.size(), 10U);
  std::size_t strong = 0;
  for (const auto& example : all.train) {
    EXPECT_EQ(example.grades.size(), example.positives.size());
    for (const auto grade : example.grades) strong += grade == 2 ? 1 : 0;
    const auto row = snapshot_->find_citing(example.id);
    EXPECT_LE(example.as_of.edges, snapshot_->citing(*row).evidence_begin);
    for (const DocId doc : example.positives) EXPECT_LT(doc.value, example.as_of.documents);
    EXPECT_LE(example.year, all.until);
  }
  EXPECT_GT(strong, 0U);
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(data("first_year = 3000\n")); }),
            ErrorCode::invalid_input);
}

TEST_F(BaselineTraining, QueryVectorsAreThoseOfTheirTexts) {
  const auto all = data("");
  const auto vectors = query_vectors(all, all.held_out);
  const std::size_t dims = all.features->dimensions();
  std::vector<float> expected(dims);
  for (std::size_t i = 0; i < all.held_out.size(); ++i) {
    const dense::TextParts text{all.held_out[i].title, all.held_out[i].abstract, {}};
    all.features->encode(std::span<const dense::TextParts>(&text, 1), expected);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                           vectors.begin() + static_cast<std::ptrdiff_t>(i * dims)));
  }
}

}  // namespace
}  // namespace mustcite::baseline
