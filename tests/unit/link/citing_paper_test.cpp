#include "stages/link/citing_paper.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mustcite::link {
namespace {

Paper paper(const std::string& id, const std::string& title, std::vector<std::string> authors, int year) {
  Paper result;
  result.id = PaperId(id);
  result.title = title;
  result.authors = std::move(authors);
  result.date.year = year;
  return result;
}

LinkIndex catalog() {
  LinkIndexBuilder builder;
  builder.add(paper("kettle", "Sparse Kettles with Variational Boiling Schedules", {"Ann Doe"}, 2018));
  builder.add(paper("cups", "Learning to Stack Porcelain Cups from Demonstrations", {"Bo Roe"}, 2019));
  builder.add(paper("self", "Tea Robots that Explain their Brewing Decisions", {"Cy Poe"}, 2021));
  builder.add(paper("self-arxiv", "Tea robots that explain their brewing decisions", {"Cy Poe"}, 2020));
  return builder.build();
}

CitedReference cited(const std::string& title, const std::string& author, int year) {
  CitedReference result;
  result.reference.title = title;
  result.reference.authors = {author};
  result.reference.year = year;
  return result;
}

MentionPlace place(const std::string& text, bool experiments) {
  MentionPlace result;
  result.in_experiments = experiments;
  result.marker = "3";
  result.context = {experiments ? "4 Experiments" : "1 Introduction", text};
  return result;
}

TEST(CitingPaper, AddsUpMentionsOfEntriesThatMeanTheSamePaper) {
  CitingPaper citing;
  citing.references = {cited("Sparse kettles with variational boiling schedules", "A. Doe", 2018),
                       cited("Sparse Kettles with Variational Boiling Schedules.", "Ann Doe", 2018)};
  citing.references[0].mentions = {place("One.", false), place("One.", false), place("Two.", true)};
  citing.references[1].mentions = {place("Three.", true)};
  const LinkedPaper linked = link_paper(catalog(), citing, PaperId("self"), 2021, {});
  ASSERT_EQ(linked.citations.size(), 1u);
  const Citation& citation = linked.citations[0];
  EXPECT_EQ(citation.citing.str(), "self");
  EXPECT_EQ(citation.cited.str(), "kettle");
  EXPECT_EQ(citation.citing_year, 2021);
  EXPECT_EQ(citation.mentions, 4);
  EXPECT_EQ(citation.exp_mentions, 2);
  EXPECT_EQ(citation.contexts.size(), 3u);  // the same window is kept once
  EXPECT_EQ(citation.marker, "3");
  EXPECT_TRUE(counts_for(citation, Tier::type3, {}));
}

TEST(CitingPaper, AnEntryWithoutALocatedMentionLeavesTheCountUnknown) {
  CitingPaper citing;
  citing.references = {cited("Learning to Stack Porcelain Cups from Demonstrations", "Bo Roe", 2019)};
  const LinkedPaper linked = link_paper(catalog(), citing, PaperId("self"), 2021, {});
  ASSERT_EQ(linked.citations.size(), 1u);
  EXPECT_FALSE(linked.citations[0].mentions.has_value());
  EXPECT_FALSE(linked.citations[0].exp_mentions.has_value());
}

TEST(CitingPaper, RefusesThePaperItselfInAnyVersionAndItsCountsAddUp) {
  CitingPaper citing;
  citing.self.title = "Tea Robots that Explain their Brewing Decisions";
  citing.references = {cited("Tea Robots that Explain their Brewing Decisions", "Cy Poe", 2020),
                       cited("Sparse Kettles with Variational Boiling Schedules", "Ann Doe", 2018),
                       cited("A paper that no catalog holds at all", "Di Foe", 2001)};
  for (const char* id : {"self", "self-arxiv", "not-in-the-catalog"}) {
    const LinkedPaper linked = link_paper(catalog(), citing, PaperId(id), 2021, {});
    EXPECT_EQ(linked.report.works, 3u);
    EXPECT_EQ(linked.report.self, 1u) << id;
    EXPECT_EQ(linked.report.linked, 1u);
    EXPECT_EQ(linked.report.unresolved, 1u);
    EXPECT_EQ(linked.report.linked + linked.report.ambiguous + linked.report.unresolved + linked.report.self,
              linked.report.works);
    EXPECT_EQ(linked.citations.size(), 1u);
  }
}

TEST(CitingPaper, LinksEveryWorkOfAnEntryThatListsSeveral) {
  CitingPaper citing;
  citing.references = {cited("", "", 0)};
  citing.references[0].parts = {
      cited("Sparse Kettles with Variational Boiling Schedules", "Ann Doe", 2018).reference,
      cited("Learning to Stack Porcelain Cups from Demonstrations", "Bo Roe", 2019).reference};
  citing.references[0].mentions = {place("Both.", false)};
  const LinkedPaper linked = link_paper(catalog(), citing, PaperId("self"), 2021, {});
  EXPECT_EQ(linked.report.works, 2u);
  ASSERT_EQ(linked.citations.size(), 2u);
  EXPECT_EQ(linked.citations[0].cited.str(), "cups");
  EXPECT_EQ(linked.citations[1].mentions, 1);
}

TEST(CitingPaper, FindsTheCitingPaperByTitleAndAuthorsOrNot) {
  const LinkIndex index = catalog();
  const auto row = find_citing(
      index, cited("Learning to stack porcelain cups from demonstrations", "Bo Roe", 0).reference, {});
  ASSERT_NE(row, kNoRow);
  EXPECT_EQ(index.record(row).id, "cups");
  EXPECT_EQ(find_citing(index, cited("Nothing like it in the catalog", "Bo Roe", 0).reference, {}), kNoRow);
}

}  // namespace
}  // namespace mustcite::link
