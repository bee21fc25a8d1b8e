#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/error.hpp"
#include "engine/dense/build.hpp"
#include "engine/rank/features.hpp"
#include "engine/rank/methods.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/train.hpp"
#include "engine/rank/views.hpp"
#include "testing/temp_folder.hpp"
#include "unit/model/tiny_model.hpp"
#include "unit/rank/small_training.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

/// A fixed direction per word, summed: texts that share words are near.
class WordEncoder final : public dense::Encoder {
 public:
  explicit WordEncoder(const model::ModelFolder& model) : dims_(model.dimensions()), digest_(model.digest) {}
  std::size_t dimensions() const override { return dims_; }
  const std::string& model_digest() const override { return digest_; }

  void encode(std::span<const std::string_view> texts, std::span<float> out) override {
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::span<float> row = out.subspan(i * dims_, dims_);
      std::istringstream words{std::string(texts[i])};
      for (std::string word; words >> word;) {
        std::mt19937_64 random(std::hash<std::string>{}(word));
        for (float& value : row) value += static_cast<float>(random() >> 40) * 0x1p-23F - 1;
      }
      float square = 0;
      for (const float value : row) square += value * value;
      for (float& value : row) value /= std::sqrt(square);
    }
  }

 private:
  std::size_t dims_;
  std::string digest_;
};

/// A world with the vectors of its papers.
struct WorldWithVectors {
  WorldWithVectors(const SmallWorld& world, const std::filesystem::path& folder)
      : resources(world.build(folder)) {
    test::write_tiny_model(folder / "tiny");
    dense::Recipe recipe;
    recipe.name = "words";
    recipe.model = "org/tiny";
    const auto model = model::resolve_model(folder / "tiny", dense::folder_options(recipe, std::nullopt));
    const dense::EncoderFactory factory = [](const model::ModelFolder& asked) {
      return std::make_unique<WordEncoder>(asked);
    };
    SilentProgress progress;
    static_cast<void>(
        dense::build_vectors(resources.snapshot(), recipe, model, factory, folder / "vectors", {}, progress));
    retriever =
        std::make_unique<dense::Retriever>(folder / "vectors", resources.snapshot().digest(), factory);
    resources.attach(retriever.get());
  }

  [[nodiscard]] std::vector<Scored> found_by(const std::string& view, const Query& query) const {
    const QueryContext context = make_context(resources, query);
    return make_view(view)->prepare(context)->candidates(20);
  }

  Resources resources;
  std::unique_ptr<dense::Retriever> retriever;
};

/// One world for all tests of the suite.
class DenseViews : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    world_ = new WorldWithVectors(SmallWorld(), folder_->path());
  }
  static void TearDownTestSuite() {
    delete world_;
    delete folder_;
  }

  static void expect_field(const std::string& view, const Query& query, int field) {
    const std::vector<Scored> found = world_->found_by(view, query);
    ASSERT_GE(found.size(), 5U) << view;
    for (const Scored& item : std::span(found).first(5)) {
      const std::string id(world_->resources.snapshot().document(item.doc).id);
      EXPECT_EQ(std::stoi(id.substr(1)) % 8, field) << view << " finds " << id;
    }
  }

  static TempFolder* folder_;
  static WorldWithVectors* world_;
};
TempFolder* DenseViews::folder_ = nullptr;
WorldWithVectors* DenseViews::world_ = nullptr;

TEST_F(DenseViews, FindTheFieldOfTheQuery) {
  expect_field("dense", SmallWorld::query(3), 3);
  expect_field("dense-neighbours", SmallWorld::query(3), 3);
}

TEST_F(DenseViews, FindTheFieldOfWhatIsCited) {
  Query query;
  query.title = "common words of every paper";
  query.before = Date{2018, 0, 0};
  query.known = {PaperId("p1005"), PaperId("p1013"), PaperId("p1021")};
  expect_field("bib-dense", query, 5);
  for (const Scored& item : world_->found_by("bib-dense", query)) {
    const PaperId id(std::string(world_->resources.snapshot().document(item.doc).id));
    EXPECT_EQ(std::count(query.known.begin(), query.known.end(), id), 0);
  }
  query.known.clear();
  EXPECT_TRUE(world_->found_by("bib-dense", query).empty());
}

TEST_F(DenseViews, FindNothingNewerThanTheQuery) {
  const Query query = SmallWorld::query(3);
  const std::uint32_t documents = world_->resources.snapshot().prefix(query.before);
  for (const char* view : {"dense", "dense-neighbours"}) {
    for (const Scored& item : world_->found_by(view, query)) EXPECT_LT(item.doc.value, documents) << view;
  }
}

TEST_F(DenseViews, AFutureCitationGivesNoVote) {
  const TempFolder after;
  SmallWorld world;
  Paper later = world.papers[3];  // the words of field 3
  later.id = PaperId("later");
  later.date.year = 2018;
  world.papers.push_back(later);
  for (int i = 0; i < 6; ++i)
    world.citations.push_back(SmallWorld::make_citation(later, world.papers[4], 10, 5));
  const WorldWithVectors changed(world, after.path());
  const auto before_scores = world_->found_by("dense-neighbours", SmallWorld::query(3));
  const auto after_scores = changed.found_by("dense-neighbours", SmallWorld::query(3));
  ASSERT_EQ(before_scores.size(), after_scores.size());
  for (std::size_t i = 0; i < before_scores.size(); ++i) {
    EXPECT_EQ(before_scores[i].doc, after_scores[i].doc);
    EXPECT_EQ(before_scores[i].score, after_scores[i].score);
  }
}

TEST_F(DenseViews, AMethodOfOneViewNeedsNoEncoder) {
  const TempFolder folder;
  Resources resources = SmallWorld().build(folder.path());
  const dense::Retriever refusing(folder_->path() / "vectors", resources.snapshot().digest(),
                                  [](const model::ModelFolder&) -> std::unique_ptr<dense::Encoder> {
                                    fail(ErrorCode::internal, "an encoder was asked for");
                                  });
  for (const char* name : {"citance", "neighbours", "cocitation", "feedback"}) {
    const auto alone = make_method(name, resources, nullptr, Tier::must)->rank(SmallWorld::query(3), 20);
    resources.attach(&refusing);
    const auto found = make_method(name, resources, nullptr, Tier::must)->rank(SmallWorld::query(3), 20);
    resources.attach(nullptr);
    ASSERT_EQ(found.size(), alone.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].doc, alone[i].doc) << name;
  }
}

TEST_F(DenseViews, TheModelRemembersItsEncoderAndReadsItsColumns) {
  SilentProgress progress;
  static_cast<void>(train(world_->resources, *folder_ / "with", small_training(), progress));
  const Model model = load_model(*folder_ / "with");
  EXPECT_EQ(model.dense.recipe, "words");
  EXPECT_EQ(model.dense.digest, world_->retriever->vectors().info().model_digest);
  const auto names = model.column_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "dense.raw"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "bib-dense.raw"),
            names.end());  // no bibliography asked for
}

TEST_F(DenseViews, QueriesThatTheEncoderHasSeenAreLeftOut) {
  TrainOptions options = small_training();
  options.encoder_trained_until = 2017;
  SilentProgress progress;
  const TrainReport report = train(world_->resources, *folder_ / "later", options, progress);
  EXPECT_GT(report.seen_by_encoder, 0U);
  EXPECT_EQ(report.queries,
            report.trained_on + report.without_abstract + report.without_target + report.seen_by_encoder);
  options.encoder_trained_until = 2019;
  try {
    static_cast<void>(train(world_->resources, *folder_ / "none", options, progress));
    ADD_FAILURE() << "trained on queries that the encoder has seen";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_NE(std::string(error.what()).find("2019"), std::string::npos);
  }
}

}  // namespace
}  // namespace mustcite::rank
