#include "engine/train/recipe.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "testing/error_code.hpp"

namespace mustcite::train {
namespace {

std::string refusal_of(const std::string& toml) {
  try {
    static_cast<void>(parse_recipe(toml, "some.toml"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    return error.what();
  }
  return "";
}

TEST(Recipe, ReadsEveryTable) {
  const auto recipe = parse_recipe(R"(
notes = "a test"
[model]
base = "some-model"
pooling = "cls"
normalise = true
[examples]
tier = "type3"
years = "2018-2021"
positives = 2
negatives = 3
source = "second-order"
[loss]
kind = "quadruplet"
margin = 0.5
[training]
batch = 8
accumulate = 4
epochs = 5
rate = 1e-5
beta1 = 0.99
trained_layers = 2
[dev]
every = 10
)",
                                   "some.toml");
  EXPECT_EQ(recipe.model.base, "some-model");
  EXPECT_EQ(recipe.model.pooling, model::Pooling::cls);
  EXPECT_EQ(recipe.model.normalise, true);
  EXPECT_EQ(recipe.examples.tier, Tier::type3);
  EXPECT_EQ(recipe.examples.first_year, 2018);
  EXPECT_EQ(recipe.examples.last_year, 2021);
  EXPECT_EQ(recipe.examples.source, NegativeSource::second_order);
  EXPECT_EQ(recipe.learner.loss, Loss::quadruplet);
  EXPECT_EQ(recipe.learner.margin, 0.5);
  EXPECT_EQ(recipe.learner.beta1, 0.99);
  EXPECT_EQ(recipe.learner.trained_layers, 2U);
  EXPECT_EQ(recipe.schedule.accumulate, 4U);
  EXPECT_EQ(recipe.schedule.rate, 1e-5);
  EXPECT_EQ(recipe.dev.every, 10U);
}

TEST(Recipe, NamesWhatIsWrong) {
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\npoling = \"cls\"").find("did you mean 'pooling'"),
            std::string::npos);
  EXPECT_NE(refusal_of("[modle]\nbase = \"x\"").find("did you mean 'model'"), std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[training]\nbatch = 1").find("batch of [training]"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[training]\nbatch = \"many\"").find("whole number"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[loss]\nkind = \"hinge\"").find("nt-xent"), std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[examples]\nyears = \"2021-2018\"").find("backwards"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[examples]\nyears = \"soon\"").find("2018-2021"),
            std::string::npos);
  EXPECT_NE(refusal_of("[training]\nbatch = 2").find("base"), std::string::npos);
  EXPECT_NE(refusal_of("model = 3").find("table"), std::string::npos);
  EXPECT_NE(refusal_of("[model\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[loss]\nkind = \"triplet\"\n[examples]\nnegatives = 0")
                .find("hard negatives"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[loss]\nkind = \"quadruplet\"").find("two positives"),
            std::string::npos);
}

TEST(Recipe, LateInteractionHasATableOfItsOwn) {
  const auto recipe = parse_recipe(
      "[model]\nbase = \"x\"\n[late]\ndims = 96\nquery_marker = \"[Q]\"\nquery_length = 64\nskip_punctuation "
      "= false\n"
      "[loss]\nkind = \"pairwise-softmax\"",
      "test");
  ASSERT_TRUE(recipe.learner.late.has_value());
  EXPECT_EQ(recipe.learner.late->dims, 96U);
  EXPECT_EQ(recipe.learner.late->reading.query_marker, "[Q]");
  EXPECT_FALSE(recipe.learner.late->reading.document_marker.has_value());
  EXPECT_EQ(recipe.learner.late->reading.query_length, 64U);
  EXPECT_EQ(recipe.learner.late->reading.skip_punctuation, false);
  EXPECT_EQ(recipe.learner.loss, Loss::pairwise_softmax);
  EXPECT_FALSE(parse_recipe("[model]\nbase = \"x\"", "test").learner.late.has_value());
}

TEST(Recipe, LateInteractionAndItsLossesGoTogether) {
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[loss]\nkind = \"pairwise-softmax\"").find("late interaction"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[late]\n[loss]\nkind = \"triplet\"").find("late interaction"),
            std::string::npos);
  EXPECT_NE(refusal_of("[model]\nbase = \"x\"\n[late]\ndim = 3").find("did you mean 'dims'"),
            std::string::npos);
}

TEST(Recipe, EveryRecipeThatShipsIsRead) {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MUSTCITE_SOURCE_DIR "/data/training")) {
    if (entry.path().extension() != ".toml") continue;
    const auto recipe = read_recipe(entry.path());
    EXPECT_FALSE(recipe.model.base.empty()) << entry.path();
    EXPECT_FALSE(recipe.notes.empty()) << entry.path();
    ++read;
  }
  EXPECT_GE(read, 8U);
}

}  // namespace
}  // namespace mustcite::train
