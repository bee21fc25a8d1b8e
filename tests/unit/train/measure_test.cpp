#include "engine/train/measure.hpp"

#include <gtest/gtest.h>

#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::train {
namespace {

/// Gives the query (1, 0), one paper (10, 0) and every other paper (0.8, 0.6).
class FixedVectors final : public Learner {
 public:
  FixedVectors(Nearness nearness, std::string query, std::string far_ahead)
      : nearness_(nearness), query_(std::move(query)), far_ahead_(std::move(far_ahead)) {}

  void similarities(std::span<const std::string_view> queries, std::span<const std::string_view> documents,
                    std::span<float> out) override {
    compare(vectors_of(queries), vectors_of(documents), 2, nearness_, out);
  }
  void score(std::span<const TextPair>, std::span<float>) override {}
  double accumulate(const Batch&, double, std::uint64_t) override { return 0; }
  double update(double) override { return 0; }
  std::uint64_t trained_weights() const override { return 0; }
  std::uint64_t weights() const override { return 0; }
  void save_state(const std::filesystem::path&) const override {}
  void load_state(const std::filesystem::path&) override {}
  void write_model(const std::filesystem::path&) const override {}

 private:
  [[nodiscard]] std::vector<float> vectors_of(std::span<const std::string_view> texts) const {
    std::vector<float> out;
    for (const auto text : texts) {
      const bool straight = text == query_ || text == far_ahead_;
      out.push_back(text == far_ahead_ ? 10.0F : straight ? 1.0F : 0.8F);
      out.push_back(straight ? 0.0F : 0.6F);
    }
    return out;
  }

  Nearness nearness_;
  std::string query_;
  std::string far_ahead_;
};

class DevSetMeasure : public ::testing::Test {
 protected:
  void SetUp() override { test::DemoWorld().build(folder_.path()); }

  Measurement measure(Loss loss) {
    const auto snapshot = snapshot::Snapshot::open(folder_.path());
    const auto relevant = snapshot.document(DocId{7});
    Recipe recipe;
    recipe.learner.loss = loss;
    recipe.dev.documents = snapshot.size();
    const DevSet dev(snapshot, recipe, {{"a query", "of a few words", std::nullopt, {DocId{7}}, {}}});
    FixedVectors learner(nearness_of(loss), paper_text("a query", "of a few words"),
                         paper_text(relevant.title, relevant.abstract));
    return dev.measure(learner, 1);
  }

  mustcite::testing::TempFolder folder_;
};

TEST_F(DevSetMeasure, RanksByTheAngleForNtXent) {
  // cos(q, p) = 1 against 0.8 of all others.
  const auto measured = measure(Loss::nt_xent);
  EXPECT_EQ(measured.mrr, 1);
  EXPECT_EQ(measured.recall_100, 1);
}

TEST_F(DevSetMeasure, RanksByTheDistanceForTripletsAndQuadruplets) {
  // d(q, p) = 9 against the root of 0.4 of 349 others: beyond rank 100.
  for (const Loss loss : {Loss::triplet, Loss::quadruplet}) {
    EXPECT_EQ(measure(loss).recall_100, 0);
    EXPECT_EQ(measure(loss).mrr, 0);
  }
}

}  // namespace
}  // namespace mustcite::train
