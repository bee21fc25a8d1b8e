#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/train.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_training.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;
using mustcite::testing::TempFolder;

/// Scores a pair by the bytes of the document, so that no two are alike.
class ByteEncoder final : public dense::Encoder {
 public:
  explicit ByteEncoder(const model::ModelFolder& model) : digest_(model.digest) {}
  std::size_t dimensions() const override { return 1; }
  const std::string& model_digest() const override { return digest_; }
  void encode(std::span<const std::string_view>, std::span<float>) override {}
  void encode_pairs(std::span<const dense::TextPair> pairs, std::span<float> out) override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      out[i] = 0;
      for (const char c : pairs[i].second) out[i] = std::fmod(out[i] * 3 + static_cast<float>(c), 1009.0F);
    }
  }

 private:
  std::string digest_;
};

/// A ranker trained with a cross-encoder.
class PairColumns : public ::testing::Test {
 protected:
  struct World {
    explicit World(const fs::path& folder) : resources(SmallWorld().build(folder)) {
      fs::copy(MUSTCITE_SOURCE_DIR "/tests/unit/neural/fixtures/tiny-cross", folder / "cross");
      CrossRerankerOptions options;
      options.depth = 20;
      cross = std::make_unique<CrossReranker>(
          resources.snapshot(), folder / "cross",
          [](const model::ModelFolder& asked) { return std::make_unique<ByteEncoder>(asked); }, options);
      resources.attach_cross(cross.get());
      SilentProgress progress;
      static_cast<void>(train(resources, folder / "ranker", small_training(), progress));
      model = load_model(folder / "ranker");
    }
    Resources resources;
    std::unique_ptr<CrossReranker> cross;
    Model model;
  };
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    world_ = new World(folder_->path());
  }
  static void TearDownTestSuite() {
    delete world_;
    delete folder_;
  }
  static TempFolder* folder_;
  static World* world_;
};
TempFolder* PairColumns::folder_ = nullptr;
PairColumns::World* PairColumns::world_ = nullptr;

TEST_F(PairColumns, TheModelRemembersItsCrossEncoder) {
  const auto& cross = world_->model.cross;
  EXPECT_EQ(cross.recipe, "cross");
  EXPECT_EQ(cross.digest, world_->cross->model().encoder.digest);
  EXPECT_EQ(cross.depth, 20U);
  EXPECT_TRUE(fs::equivalent(cross.folder, folder_->path() / "cross"));
  const auto names = world_->model.column_names();
  ASSERT_EQ(names.size(), world_->model.width());
  EXPECT_EQ(names.back(), "cross.r");
}

TEST_F(PairColumns, TheFirstDocumentsOfTheLinearStageAreReadAndNoOthers) {
  const Query query = SmallWorld::query(3);
  const Ranking ranking = Ranker(world_->resources, world_->model).rank(query, Tier::must);
  const std::size_t size = ranking.shortlist.rows.size();
  ASSERT_GT(size, 20U);
  const std::size_t first = world_->model.width() - 3;
  std::vector<Scored> head;
  for (std::size_t i = 0; i < 20; ++i)
    head.push_back({ranking.candidates.docs[ranking.shortlist.rows[i]], 0});
  const auto scores = world_->cross->scores({&query, 1}, {&head, 1}).front();
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = ranking.shortlist.row(i);
    for (std::size_t k = first; k < row.size(); ++k) EXPECT_EQ(std::isnan(row[k]), i >= 20) << i;
    if (i >= 20) continue;
    EXPECT_EQ(row[first], scores[i]);
    const auto better = std::count_if(scores.begin(), scores.end(), [&](float s) { return s > scores[i]; });
    EXPECT_GE(row[first + 2], std::log(static_cast<float>(better + 1)) - 1e-6F);
    mean += row[first + 1] / 20;
    square += row[first + 1] * row[first + 1] / 20;
  }
  EXPECT_NEAR(mean, 0, 1e-5);
  EXPECT_NEAR(square, 1, 1e-4);
}

TEST_F(PairColumns, WithoutTheCrossEncoderTheyAreUnknownAndTheRankerAnswers) {
  const Query query = SmallWorld::query(3);
  world_->resources.attach_cross(nullptr);
  const Ranking ranking = Ranker(world_->resources, world_->model).rank(query, Tier::must);
  world_->resources.attach_cross(world_->cross.get());
  ASSERT_FALSE(ranking.ranked.empty());
  EXPECT_TRUE(std::isnan(ranking.shortlist.row(0).back()));
}

}  // namespace
}  // namespace mustcite::rank
