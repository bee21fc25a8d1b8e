#include "engine/late/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "unit/model/scratch.hpp"

namespace mustcite::late {
namespace {

TEST(Recipe, SaysWhatChangesAModelsReading) {
  const Recipe recipe = parse_recipe(
      "name = 'x'\nkind = 'late'\nmodel = 'org/x'\nmax_length = 180\nquery_length = 32\nquery_marker = "
      "'[Q]'\n"
      "document_marker = '[D]'\nexpand_queries = true\nattend_to_expansion = false\nskip_punctuation = "
      "false\n",
      "it");
  EXPECT_EQ(recipe.text.name, "x");
  EXPECT_EQ(recipe.reading.query_length, 32U);
  EXPECT_EQ(recipe.reading.query_marker, "[Q]");
  EXPECT_EQ(recipe.reading.expand_queries, true);
  EXPECT_EQ(late_options(recipe).document_length, 180U);
  const Recipe again = parse_recipe(recipe_text(recipe), "itself");
  EXPECT_EQ(recipe_text(again), recipe_text(recipe));
  EXPECT_EQ(again.reading.document_marker, "[D]");
  EXPECT_EQ(again.reading.skip_punctuation, false);
}

TEST(Recipe, LeavesToTheModelWhatItDoesNotSay) {
  const Recipe recipe = parse_recipe("name = 'x'\nkind = 'late'\nmodel = 'org/x'\nquery = '{title}'", "it");
  EXPECT_FALSE(recipe.reading.query_length.has_value());
  EXPECT_FALSE(recipe.reading.expand_queries.has_value());
  EXPECT_FALSE(late_options(recipe).document_length.has_value());
  EXPECT_EQ(dense::query_text(recipe.text, {"a", "b", ""}), "a");
}

TEST(Recipe, RefusesWhatMeansNothing) {
  const auto message = [](const std::string& rest) {
    return test::message_of(
        [&] { static_cast<void>(parse_recipe("name = 'x'\nmodel = 'y'\nkind = 'late'\n" + rest, "it")); });
  };
  EXPECT_EQ(message(""), "");
  EXPECT_THAT(message("pooling = 'cls'"), ::testing::HasSubstr("pooling"));
  EXPECT_THAT(message("metric = 'l2'"), ::testing::HasSubstr("metric"));
  EXPECT_THAT(message("expand_queries = 1"), ::testing::HasSubstr("wrong type"));
  EXPECT_THAT(message("query_length = 2"), ::testing::HasSubstr("query_length"));
  EXPECT_THAT(message("query_lenght = 32"), ::testing::HasSubstr("query_lenght"));
  EXPECT_THAT(message("query = '{titel}'"), ::testing::HasSubstr("{titel}"));
  EXPECT_THAT(message("query = "), ::testing::HasSubstr("TOML"));
  EXPECT_THAT(test::message_of([] { static_cast<void>(parse_recipe("name = 'x'\nmodel = 'y'", "it")); }),
              ::testing::HasSubstr("kind"));
}

TEST(Recipe, ThoseThatShipAreRead) {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MUSTCITE_SOURCE_DIR "/data/recipes")) {
    if (entry.path().extension() != ".toml" || !is_late_recipe(entry.path())) continue;
    EXPECT_EQ(read_recipe(entry.path()).text.name, entry.path().stem().string());
    ++read;
  }
  EXPECT_EQ(read, 2U);
}

}  // namespace
}  // namespace mustcite::late
