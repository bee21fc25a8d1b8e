#include "stages/extract/mentions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/extract/reference_names.hpp"

namespace {

using namespace mustcite::extract;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A paper with a numbered list of `count` entries.
Document numbered(const std::string& text, int count) {
  Document document;
  document.text = text;
  document.style = ReferenceStyle::numeric;
  for (int i = 1; i <= count; ++i) {
    ReferenceEntry entry;
    entry.label = std::to_string(i);
    document.references.push_back(entry);
  }
  return document;
}

Document named(const std::string& text, const std::vector<std::string>& entries) {
  Document document;
  document.text = text;
  document.style = ReferenceStyle::author_year;
  for (const auto& raw : entries) {
    ReferenceEntry entry;
    entry.fields.raw = raw;
    read_fields_by_rules(entry);
    document.references.push_back(entry);
  }
  return document;
}

/// "marker>1,2": the marker's text and its entries, counted from 1.
std::vector<std::string> found(const Document& document, const std::vector<Span>& raised = {}) {
  std::vector<std::string> out;
  for (const auto& mention : find_mentions(document, raised).mentions) {
    std::string line = document.text.substr(mention.span.begin, mention.span.end - mention.span.begin) + ">";
    for (std::size_t i = 0; i < mention.references.size(); ++i)
      line += (i > 0 ? "," : "") + std::to_string(mention.references[i] + 1);
    out.push_back(line);
  }
  return out;
}

TEST(NumericMentions, ReadsGroupsRangesAndNotes) {
  EXPECT_THAT(found(numbered("As in [1], [2, 4–6] and [3, Theorem 2], see [6, p. 4] or [see 5].", 6)),
              ElementsAre("1>1", "2>2", "4–6>4,5,6", "3>3", "6>6", "5>5"));
}

TEST(NumericMentions, ARangeOfTwoBracketsNamesWhatLiesBetween) {
  EXPECT_THAT(found(numbered("Several works [1]–[4] say so.", 5)), ElementsAre("1>1", "4>2,3,4"));
}

TEST(NumericMentions, RejectsIntervalsIndicesAndNumbersOutsideTheList) {
  EXPECT_THAT(found(numbered("Let x ∈ [1, 2] and y = [3], the interval [1, 3], an array a[2], values in [0, "
                             "1], [99] and [12.5]. But method[2] and [1, 2, 3].",
                             3)),
              ElementsAre("2>2", "1>1", "2>2", "3>3"));
}

TEST(NumericMentions, AnEquationNumberIsNoCitation) {
  EXPECT_THAT(found(numbered("We solve Eqns. [1-3] as in [2].", 3)), ElementsAre("2>2"));
}

TEST(NumericMentions, TheBracketsOfOneGroupShareItsNumber) {
  const auto mentions = find_mentions(numbered("One [1, 2] and two [3].", 3), {}).mentions;
  ASSERT_EQ(mentions.size(), 3u);
  EXPECT_EQ(mentions[0].group, mentions[1].group);
  EXPECT_NE(mentions[1].group, mentions[2].group);
}

TEST(NumericMentions, UnknownNumbersAreReportedAndZeroIsNot) {
  EXPECT_EQ(find_mentions(numbered("Here [7], there [0, 1], and [1].", 2), {}).unlinked.size(), 1u);
}

TEST(NumericMentions, SuperscriptsCountOnlyWhenTheyNameMostOfTheList) {
  std::string text;
  std::vector<Span> raised;
  for (int i = 1; i <= 10; ++i) {
    text += "Some claim about words";
    raised.push_back({text.size(), text.size() + std::to_string(i).size()});
    text += std::to_string(i) + ". ";
  }
  EXPECT_EQ(found(numbered(text, 10), raised).size(), 10u);
  EXPECT_THAT(found(numbered(text, 40), raised), IsEmpty());
}

const std::vector<std::string> kEntries{"Smith, A. (2010). One author. Journal A.",
                                        "Smith, A. and Doe, C. (2011). Two authors. Journal B.",
                                        "Smith, A., Doe, C., and Poe, E. (2012a). Three authors. Journal C.",
                                        "Smith, A., Poe, E., and Doe, C. (2012b). Three others. Journal D.",
                                        "Van Mechelen, I. and Daume III, H. (2004). Particles. Journal E.",
                                        "Müller, K. and Ben-David, S. (1998). Accents. Journal F."};

TEST(AuthorYearMentions, ReadsAllForms) {
  EXPECT_THAT(
      found(named("(Smith, 2010), Smith and Doe (2011), (Smith & Doe, 2011), Smith et al. (2012a), [Smith et "
                  "al., 2012b], Smith, Poe, and Doe (2012b), Smith's (2010) view.",
                  kEntries)),
      ElementsAre("Smith, 2010>1", "Smith and Doe (2011>2", "Smith & Doe, 2011>2", "Smith et al. (2012a>3",
                  "Smith et al., 2012b>4", "Smith, Poe, and Doe (2012b>4", "Smith's (2010>1"));
}

TEST(AuthorYearMentions, YearsShareTheNamesBeforeThem) {
  EXPECT_THAT(
      found(named("(Smith et al., 2012a,b) and (Smith et al., 2012a; b) and Smith (2010, 2011)", kEntries)),
      ElementsAre("Smith et al., 2012a>3", "b>4", "Smith et al., 2012a>3", "b>4", "Smith (2010>1", "2011>2"));
}

TEST(AuthorYearMentions, ReadsParticlesSuffixesAndAccents) {
  EXPECT_THAT(found(named("(Van Mechelen & Daume III, 2004; Müller and Ben-David, 1998)", kEntries)),
              ElementsAre("Van Mechelen & Daume III, 2004>5", "Müller and Ben-David, 1998>6"));
}

TEST(AuthorYearMentions, AHyphenOfALinesEndIsNoDifference) {
  EXPECT_THAT(found(named("(Mül-ler and BenDavid, 1998)", kEntries)),
              ElementsAre("Mül-ler and BenDavid, 1998>6"));
}

TEST(AuthorYearMentions, YearsWithoutNamesOfTheListAreNone) {
  EXPECT_THAT(found(named("In 2010 we saw 2012 people; Jones (2010) and Smith (1999) differ.", kEntries)),
              IsEmpty());
}

TEST(AuthorYearMentions, ASlipOfOneLetterIsForgivenWhereTheYearLeavesOneEntry) {
  const std::vector<std::string> entries{"Greene, W. (2012). Alone. Press A.",
                                         "Godfrey, L., Orme, C., and Silva, J. (2006). Three. Journal B.",
                                         "Reed, A. (2012). Short. Journal C."};
  EXPECT_THAT(found(named("(Green, 2012), Goffrey et al. (2006)", entries)),
              ElementsAre("Green, 2012>1", "Goffrey et al. (2006>2"));
  // Short names, other years and names of a letter more are others.
  EXPECT_THAT(found(named("(Reid, 2012), (Green, 2013), (Greenes and Doe, 2012)", entries)), IsEmpty());
}

TEST(AuthorYearMentions, NamesAtTheHeadOfAnEntryCountWhereItsAuthorsWereNotRead) {
  const std::vector<std::string> entries{
      "Joakim. Nivre and Jens Nilsson. 2005. Pseudo-projective parsing. In Proceedings of A, pages 99-106.",
      "Joakim Nivre, Johan Hall, and Jens Nilsson. 2004. Memory-based parsing. In Proceedings of B."};
  EXPECT_THAT(found(named("Nivre and Nilsson (2005) and Nivre et al. (2004)", entries)),
              ElementsAre("Nivre and Nilsson (2005>1", "Nivre et al. (2004>2"));
}

TEST(AuthorYearMentions, AnUnknownNameInBracketsIsReported) {
  EXPECT_EQ(find_mentions(named("As shown (Jones, 2010) and (Smith, 2010).", kEntries), {}).unlinked.size(),
            1u);
}

TEST(TagMentions, ReadsTagsOfTheListOnly) {
  Document document;
  document.style = ReferenceStyle::alpha;
  document.text = "See [KPR+ 17, Smi04] and [Smi04, Theorem 3], not [Foo99] or [x].";
  for (const char* label : {"KPR+17", "Smi04"}) {
    ReferenceEntry entry;
    entry.label = label;
    document.references.push_back(entry);
  }
  EXPECT_THAT(found(document), ElementsAre("KPR+ 17>1", "Smi04>2", "Smi04>2"));
}

}  // namespace
