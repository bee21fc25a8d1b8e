#include "engine/rank/bibliography_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

/// Values by paper and feature.
using Values = std::map<std::string, std::map<std::string, float>>;

/// One world for all tests of the suite; paper p1011 mentions a method that p1005 introduced.
class BibliographyFeatures : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    SmallWorld world;
    world.papers[11].abstract += " We build on Net5X.";
    resources_ = new Resources(world.build(folder_->path()));
  }
  static void TearDownTestSuite() {
    delete resources_;
    delete folder_;
  }
  static Values values_of(const std::vector<std::string>& known, const std::vector<std::string>& papers) {
    Query query = SmallWorld::query(3);
    for (const auto& id : known) query.known.emplace_back(id);
    const QueryContext context = make_context(*resources_, query);
    std::vector<DocId> docs;
    for (const auto& id : papers) docs.push_back(*resources_->snapshot().find(id));
    const std::size_t width = bibliography_features().size();
    std::vector<std::vector<float>> columns(width, std::vector<float>(docs.size(), -1.0F));
    std::size_t column = 0;
    write_bibliography_features(context, docs, [&] { return std::span<float>(columns.at(column++)); });
    EXPECT_EQ(column, width);
    Values values;
    for (std::size_t f = 0; f < width; ++f) {
      for (std::size_t i = 0; i < papers.size(); ++i)
        values[papers[i]][bibliography_features()[f].name] = columns[f][i];
    }
    return values;
  }

  static TempFolder* folder_;
  static Resources* resources_;
};
TempFolder* BibliographyFeatures::folder_ = nullptr;
Resources* BibliographyFeatures::resources_ = nullptr;

TEST_F(BibliographyFeatures, NothingIsKnownWithoutABibliography) {
  const Values values = values_of({}, {"p1005"});
  for (const auto& [feature, value] : values.at("p1005"))
    EXPECT_TRUE(std::isnan(value)) << feature;
}

TEST_F(BibliographyFeatures, SharedAuthorsCountEachWorkOnce) {
  // Authors by number, first and second: 1001 (1, 1), 1011 (1, 5), 1002 (2, 2).
  auto values = values_of({"p1001", "p1011", "p1002"}, {"p1004", "p1005", "p1006", "p1021", "p1031"});
  EXPECT_TRUE(std::isnan(values["p1004"]["bib-author-works"])) << "it names no author";
  EXPECT_EQ(values["p1006"]["bib-author-works"], 0) << "6 and 0";
  EXPECT_FLOAT_EQ(values["p1005"]["bib-author-works"], std::log(2.0F)) << "5 and 5: the second of one work";
  EXPECT_EQ(values["p1005"]["bib-author-first"], 0);
  EXPECT_FLOAT_EQ(values["p1021"]["bib-author-works"], std::log(3.0F)) << "1 and 3: the first of two works";
  EXPECT_EQ(values["p1021"]["bib-author-first"], 2);
  EXPECT_FLOAT_EQ(values["p1031"]["bib-author-works"], std::log(3.0F))
      << "1 and 1: two works, one of them twice";
  // The first author of two works has two of the candidates, the second of one work has one.
  EXPECT_FLOAT_EQ(values["p1021"]["bib-author-share"], 2.0F / 3);
  EXPECT_FLOAT_EQ(values["p1005"]["bib-author-share"], 0.5F);
}

TEST_F(BibliographyFeatures, ANameThatTheBibliographyMentionsPointsToWhoseItIs) {
  auto values = values_of({"p1001", "p1011"}, {"p1005", "p1010"});
  const float documents = static_cast<float>(resources_->snapshot().prefix(Date{2018, 0, 0}) + 1);
  // Half of the works mention it, and two papers in all.
  EXPECT_FLOAT_EQ(values["p1005"]["bib-name.prefix"], std::log1p(50.0F) * std::log(documents / 3));
  EXPECT_FLOAT_EQ(values["p1005"]["bib-name.any"], values["p1005"]["bib-name.prefix"]);
  EXPECT_EQ(values["p1010"]["bib-name.prefix"], 0) << "nobody mentions Net10X";
}

TEST_F(BibliographyFeatures, VenueAndYearAreComparedWithTheBibliographys) {
  // All of 2010 and of venue two; p1003 is of venue one, p1040 of 2011.
  auto values = values_of({"p1001", "p1011", "p1002"}, {"p1003", "p1004", "p1040"});
  EXPECT_GT(values["p1004"]["bib-venue"], 0);
  EXPECT_LT(values["p1003"]["bib-venue"], 0);
  EXPECT_EQ(values["p1004"]["bib-year"], 1);
  EXPECT_EQ(values["p1004"]["bib-year-distance"], 0);
  EXPECT_EQ(values["p1040"]["bib-year"], 0);
  EXPECT_EQ(values["p1040"]["bib-year-distance"], 1);
  EXPECT_FLOAT_EQ(values["p1003"]["bib-size"], std::log(4.0F));
}

}  // namespace
}  // namespace mustcite::rank
