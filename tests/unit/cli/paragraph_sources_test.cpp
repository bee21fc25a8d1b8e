#include "apps/cli/paragraph_sources.hpp"

#include <gtest/gtest.h>

namespace mustcite::cli {
namespace {

using Ids = std::vector<PaperId>;

TEST(PlainParagraphs, EmptyLinesPartThemAndMarksEndNoSentence) {
  const auto paragraphs =
      plain_paragraphs("Trees grow. Oak et al. (2019) say so.\n \nElms (cf. Ash, 2020) fall.\n\n\n", "notes");
  ASSERT_EQ(paragraphs.size(), 2U);
  EXPECT_EQ(paragraphs[0].id, "notes-1");
  EXPECT_EQ(paragraphs[0].sentences, (std::vector<std::string>{"Trees grow.", "Oak et al. (2019) say so."}));
  EXPECT_EQ(paragraphs[1].sentences, (std::vector<std::string>{"Elms (cf. Ash, 2020) fall."}));
  EXPECT_TRUE(paragraphs[1].cited.empty());
}

TEST(PlainParagraphs, NoTextIsNoParagraph) {
  EXPECT_TRUE(plain_paragraphs("", "nothing").empty());
  EXPECT_TRUE(plain_paragraphs("\n \n\n", "nothing").empty());
}

/// Two sections; the second has two paragraphs, and its marks cite entries 0 and 1.
extract::Document document() {
  extract::Document document;
  document.text =
      "1 Introduction\n\nTrees grow [1].\n\n2 Related Work\n\nOaks fall [2]. Elms do [1, 2].\n\nNothing "
      "here.";
  const auto at = [&](const char* text) { return document.text.find(text); };
  extract::Section first;
  first.heading = "1 Introduction";
  first.kind = extract::SectionKind::introduction;
  first.span = {0, at("2 Related")};
  extract::Section second;
  second.heading = "2 Related Work";
  second.kind = extract::SectionKind::related_work;
  second.span = {at("2 Related"), document.text.size()};
  document.sections = {first, second};
  const std::pair<std::size_t, std::vector<std::uint32_t>> marks[] = {
      {at("1]."), {0}}, {at("2]. Elms"), {1}}, {at("1, 2"), {0}}, {at("2].\n\nNothing"), {1}}};
  for (const auto& [begin, references] : marks) {
    extract::Mention mention;
    mention.span = {begin, begin + 1};
    mention.references = references;
    document.mentions.push_back(mention);
  }
  document.references.resize(2);
  extract::set_sentences(document);
  return document;
}

TEST(ParagraphsOf, SentencesCarryWhatTheirMarksCite) {
  const auto read = document();
  ParagraphSource source;
  source.document = &read;
  source.name = "paper";
  source.citing_year = 2020;
  source.works = {{PaperId("a")}, {}};
  const auto related = paragraphs_of(source, Sections::related);
  ASSERT_EQ(related.size(), 2U);
  EXPECT_EQ(related[0].section, "2 Related Work");
  EXPECT_EQ(related[0].sentences.size(), 2U);
  EXPECT_EQ(related[0].cited, (Ids{PaperId("a")}));  // entry 1 is not in the catalog
  EXPECT_TRUE(related[0].cited_by_sentence[0].empty());
  EXPECT_EQ(related[0].cited_by_sentence[1], (Ids{PaperId("a")}));
  EXPECT_TRUE(related[1].cited.empty());
  EXPECT_EQ(related[1].citing.str(), "paper");
  const auto leading = paragraphs_of(source, Sections::leading);
  ASSERT_EQ(leading.size(), 3U);
  EXPECT_EQ(leading[0].kind, paragraph::Kind::introduction);
  EXPECT_EQ(leading[0].cited, (Ids{PaperId("a")}));
}

}  // namespace
}  // namespace mustcite::cli
