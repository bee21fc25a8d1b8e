#include "engine/baseline/recipe.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "testing/error_code.hpp"

namespace mustcite::baseline {
namespace {

TEST(BaselineRecipe, NamesBelongToTheirFamilies) {
  EXPECT_EQ(family_of("ar-gnn"), "ar-gnn");
  EXPECT_EQ(family_of("ar-gnn-gat"), "ar-gnn");
  EXPECT_EQ(family_of("ar-gnnx"), "");
  EXPECT_EQ(family_of("bm25"), "");
}

TEST(BaselineRecipe, ReadsBothTables) {
  const auto recipe = parse_recipe(
      "notes = \"n\"\n[training]\nepochs = 3\nrate = 1\n[model]\nsize = 7\nwide = true\n", "litfm-wide");
  EXPECT_EQ(recipe.baseline, "litfm");
  EXPECT_EQ(recipe.training.epochs, 3U);
  EXPECT_EQ(recipe.training.rate, 1.0);  // a whole number is a number
  EXPECT_EQ(recipe.model.count("size", 1, 1, 10), 7U);
  EXPECT_TRUE(recipe.model.flag("wide", false));
  EXPECT_EQ(recipe.model.text("missing", "default"), "default");
  recipe.model.finish();
}

TEST(BaselineRecipe, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"[training]\nepoch = 3\n", "[training]\nepochs = \"3\"\n", "[training]\nrate = -1.0\n", "[other]\n",
        "training = 3\n", "baseline = \"bert\"\n", "baseline = 3\n", "[training\n",
        "[model]\nlist = [1]\n"}) {
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(parse_recipe(text, "ktr")); }),
              ErrorCode::invalid_input)
        << text;
  }
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(parse_recipe("", "nameless")); }),
            ErrorCode::invalid_input);
}

TEST(BaselineRecipe, RefusesKeysThatNobodyReads) {
  const auto recipe = parse_recipe("[model]\nhiden = 3\n", "ktr");
  EXPECT_EQ(recipe.model.count("hidden", 5, 1, 9), 5U);
  try {
    recipe.model.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'hidden'"), std::string::npos) << error.what();
  }
}

TEST(BaselineRecipe, TheOnesThatShipAreRead) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MUSTCITE_SOURCE_DIR "/data/baselines")) {
    if (entry.path().extension() != ".toml") continue;
    const auto recipe = read_recipe(entry.path());
    EXPECT_EQ(recipe.baseline, family_of(recipe.name)) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 4U);
}

}  // namespace
}  // namespace mustcite::baseline
