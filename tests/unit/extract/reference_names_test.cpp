#include "stages/extract/reference_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mustcite::extract;
using ::testing::ElementsAre;

ReferenceEntry read(const std::string& raw) {
  ReferenceEntry entry;
  entry.fields.raw = raw;
  read_fields_by_rules(entry);
  return entry;
}

TEST(PrintedAuthors, ReadsTheOrdersInUse) {
  EXPECT_THAT(printed_authors("A. B. Smith, C. Doe, and E. Poe"),
              ElementsAre("A. B. Smith", "C. Doe", "E. Poe"));
  EXPECT_THAT(printed_authors("Smith, A. B., Doe, C., and Poe, E."),
              ElementsAre("A. B. Smith", "C. Doe", "E. Poe"));
  EXPECT_THAT(printed_authors("Smith, Anna, Doe, Carl, and Poe, Eve"),
              ElementsAre("Anna Smith", "Carl Doe", "Eve Poe"));
  EXPECT_THAT(printed_authors("Smith AB, Doe C"), ElementsAre("AB Smith", "C Doe"));
  EXPECT_THAT(printed_authors("Anna Smith and Carl van der Doe"),
              ElementsAre("Anna Smith", "Carl van der Doe"));
}

TEST(PrintedAuthors, StopsWhereTheTitleBeginsInListsWithoutStops) {
  EXPECT_THAT(printed_authors("A. Smith and C. Doe, Waves in shallow water, Journal of Waves 3, 12"),
              ElementsAre("A. Smith", "C. Doe"));
}

TEST(ReferenceFields, ReadsTitleYearAndSurnamesOfPlainStyle) {
  const auto entry = read(
      "Anna Smith, Carl Doe, and Eve Poe. Learning to walk. In Proceedings of Walking, pages 1-9, 2014.");
  EXPECT_THAT(entry.surnames, ElementsAre("smith", "doe", "poe"));
  EXPECT_EQ(entry.fields.title, "Learning to walk");
  EXPECT_EQ(entry.fields.year, 2014);
}

TEST(ReferenceFields, ReadsTheYearBehindTheAuthorsAndItsLetter) {
  const auto entry =
      read("Smith, A. B., & Doe, C. (2012b). Walking and running. Journal of Gait, 3, 2001-2010.");
  EXPECT_THAT(entry.surnames, ElementsAre("smith", "doe"));
  EXPECT_EQ(entry.fields.year, 2012);
  EXPECT_EQ(entry.year_letter, 'b');
  EXPECT_EQ(entry.fields.title, "Walking and running");
}

TEST(ReferenceFields, ReadsQuotedTitlesAndIdentifiers) {
  const auto entry = read(
      "A. Smith and C. Doe, “Maps of the north,” Cartography, vol. 3, 2009, doi: 10.1234/abc.5678. "
      "arXiv:0901.12345");
  EXPECT_EQ(entry.fields.title, "Maps of the north");
  EXPECT_EQ(entry.fields.doi, "10.1234/abc.5678");
  EXPECT_EQ(entry.fields.arxiv_id, "0901.12345");
  EXPECT_THAT(entry.surnames, ElementsAre("smith", "doe"));
}

TEST(ReferenceFields, AnInitialBeforeTheTitleEndsTheAuthors) {
  const auto entry = read("Smith, A. B. and Doe, C. A theory of the sea. Waves, 2001.");
  EXPECT_THAT(entry.surnames, ElementsAre("smith", "doe"));
  EXPECT_EQ(entry.fields.title, "A theory of the sea");
}

TEST(CompositeReferences, ArePartedAtLettersAndBetweenWholeWorks) {
  EXPECT_THAT(composite_parts("(a) A. Smith, Waves 1, 2 (1999); (b) C. Doe, Waves 3, 4 (2000)."),
              ElementsAre("A. Smith, Waves 1, 2 (1999)", "C. Doe, Waves 3, 4 (2000)."));
  EXPECT_THAT(composite_parts("A. Smith and E. Poe, Waves 1, 2 (1999); C. Doe, Waves 3, 4 (2000)."),
              ElementsAre("A. Smith and E. Poe, Waves 1, 2 (1999)", "C. Doe, Waves 3, 4 (2000)."));
  const auto entry = read("A. Smith and E. Poe, Waves 1, 2 (1999); C. Doe, Waves 3, 4 (2000).");
  ASSERT_EQ(entry.parts.size(), 2u);
  EXPECT_EQ(entry.parts[1].year, 2000);
}

TEST(CompositeReferences, SemicolonsBetweenAuthorsPartNothing) {
  EXPECT_TRUE(
      composite_parts("Smith, A.; Doe, C.; and Poe, E. 1999. A paper; with a semicolon. Journal 3.").empty());
}

TEST(SurnameKey, FoldsAccentsAndKeepsTheLastWord) {
  EXPECT_EQ(surname_key("Laurens van der Maaten"), "maaten");
  EXPECT_EQ(surname_key("Jürgen Schmidhuber"), "schmidhuber");
  EXPECT_EQ(surname_key("Hal Daume III"), "daume");
}

}  // namespace
