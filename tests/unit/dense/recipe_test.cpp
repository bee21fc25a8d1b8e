#include "engine/dense/recipe.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "unit/model/scratch.hpp"

namespace mustcite::dense {
namespace {

TEST(Recipe, FillsItsPlaces) {
  const Recipe recipe = parse_recipe(
      "name = 'e5'\nmodel = 'org/e5'\ndocument = 'passage: {title}. {abstract}'\n"
      "query = 'query: {title}'\ntopic_query = '{topic}|{title}'\nmetric = 'dot'\n",
      "it");
  EXPECT_EQ(document_text(recipe, {"T", "A", ""}), "passage: T. A");
  EXPECT_EQ(query_text(recipe, {"T", "A", ""}), "query: T");
  EXPECT_EQ(query_text(recipe, {"T", "A", "S"}), "S|T");
  EXPECT_EQ(recipe.metric, Metric::dot);
}

TEST(Recipe, ReadsBackWhatItWrites) {
  Recipe recipe;
  recipe.name = "x";
  recipe.model = "org/x";
  recipe.adapter = "org/a";
  recipe.pooling = model::Pooling::cls;
  recipe.max_length = 77;
  recipe.metric = Metric::l2;
  recipe.query = "a \"quoted\" {title}\n";
  const Recipe back = parse_recipe(recipe_text(recipe), "it");
  EXPECT_EQ(recipe_text(back), recipe_text(recipe));
  EXPECT_EQ(back.pooling, model::Pooling::cls);
  EXPECT_EQ(back.max_length, 77U);
  EXPECT_EQ(back.query, recipe.query);
}

TEST(Recipe, RefusesWhatItDoesNotKnow) {
  const std::string start = "name = 'x'\nmodel = 'org/x'\n";
  const auto message = [&](const std::string& rest) {
    return test::message_of([&] { static_cast<void>(parse_recipe(start + rest, "it")); });
  };
  EXPECT_EQ(message(""), "");
  EXPECT_THAT(message("pooling = 'last'"), testing::HasSubstr("last"));
  EXPECT_THAT(message("metric = 'l1'"), testing::HasSubstr("l1"));
  EXPECT_THAT(message("query = '{titel}'"), testing::HasSubstr("{titel}"));
  EXPECT_THAT(message("query = '{title'"), testing::HasSubstr("place"));
  EXPECT_THAT(message("length = 3"), testing::HasSubstr("length"));
  EXPECT_THAT(message("max_length = 1"), testing::HasSubstr("max_length"));
  EXPECT_THAT(message("metric = "), testing::HasSubstr("TOML"));
  EXPECT_NE(test::message_of([] { static_cast<void>(parse_recipe("name = 'x'", "it")); }), "");
}

TEST(Recipe, ThoseThatShipAreRead) {
  std::size_t read = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(MUSTCITE_SOURCE_DIR) / "data/recipes")) {
    if (entry.path().extension() != ".toml") continue;
    // Those of late interaction have a reader of their own.
    if (io::read_file(entry.path()).find("kind = \"late\"") != std::string::npos) continue;
    EXPECT_EQ(read_recipe(entry.path()).name, entry.path().stem().string());
    ++read;
  }
  EXPECT_GE(read, 5U);
}

}  // namespace
}  // namespace mustcite::dense
