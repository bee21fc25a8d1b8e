#include "apps/cli/pdf_draft.hpp"

#include <gtest/gtest.h>

namespace mustcite::cli {
namespace {

extract::ReferenceEntry entry(const std::string& label, const std::string& author, int year) {
  extract::ReferenceEntry result;
  result.label = label;
  result.fields.authors = {author};
  result.fields.year = year;
  result.fields.title = "About " + author;
  result.box = {7, 0, 0, 1, 1};
  return result;
}

/// Two sections, three entries, one of which lists two works; the second sentence mentions the first two.
extract::Document document() {
  extract::Document result;
  result.provenance.source = "draft.pdf";
  result.title = "A Draft";
  result.text = "1 Introduction\n\nNothing here. Tea is old [1, 2].\n\n2 Results\n\nNo more.";
  result.sections = {{"1 Introduction", {"1 Introduction"}, extract::SectionKind::introduction, {0, 50}},
                     {"2 Results", {"2 Results"}, extract::SectionKind::experiments, {50, 70}}};
  result.sentences = {{16, 29}, {30, 48}, {61, 69}};
  result.references = {entry("1", "Ann Doe", 2001), entry("2", "Bo Roe", 2002), entry("3", "Cy Poe", 2003)};
  result.references[1].parts = {result.references[1].fields, result.references[2].fields};
  result.style = extract::ReferenceStyle::numeric;
  for (std::uint32_t i = 0; i < 2; ++i) {
    extract::Mention mention;
    mention.span = {42 + 3 * i, 43 + 3 * i};
    mention.references = {i};
    mention.box = {2, 0, 0, 1, 1};
    result.mentions.push_back(mention);
  }
  result.problems = {
      {extract::ProblemKind::uncited_references, "no mention was found for 33 % of 3 entries"}};
  return result;
}

TEST(PdfDraft, KeepsEntriesMentionsSectionsAndPlaces) {
  const audit::Draft draft = draft_of(document());
  EXPECT_EQ(draft.format, audit::DraftFormat::pdf);
  EXPECT_TRUE(draft.printed_bibliography);
  ASSERT_EQ(draft.bibliography.size(), 4u);
  EXPECT_EQ(draft.bibliography[0].reference.key, "1");
  EXPECT_EQ(draft.bibliography[1].reference.key, "2(a)");
  EXPECT_EQ(draft.bibliography[2].reference.key, "2(b)");
  EXPECT_EQ(draft.bibliography[0].where, (audit::SourcePosition{"draft.pdf", 0, 7}));
  ASSERT_EQ(draft.mentions.size(), 3u);
  EXPECT_EQ(draft.mentions[0].key, "1");
  EXPECT_EQ(draft.sentence(draft.mentions[0]), "Tea is old [1, 2].");
  EXPECT_EQ(draft.mentions[2].key, "2(b)");
  EXPECT_EQ(draft.mentions[2].where, (audit::SourcePosition{"draft.pdf", 0, 2}));
  ASSERT_EQ(draft.sections.size(), 2u);
  EXPECT_EQ(draft.sections[1].kind, audit::SectionKind::experiments);
  ASSERT_EQ(draft.problems.size(), 1u);
}

TEST(PdfDraft, NamesEntriesWithoutLabelsByNameAndYearAndTwinsApart) {
  extract::Document paper = document();
  paper.mentions.clear();
  paper.references = {entry("", "Ann Doe", 2001), entry("", "Zoe Doe", 2001), entry("", "", 0)};
  const audit::Draft draft = draft_of(paper);
  EXPECT_EQ(draft.bibliography[0].reference.key, "Doe 2001");
  EXPECT_EQ(draft.bibliography[1].reference.key, "Doe 2001 (2)");
  EXPECT_EQ(draft.bibliography[2].reference.key, "reference 3");
}

}  // namespace
}  // namespace mustcite::cli
