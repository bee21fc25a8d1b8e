#include "stages/annotate/instance.hpp"

#include <gtest/gtest.h>

#include "core/io/file.hpp"
#include "stages/annotate/marker.hpp"
#include "stages/annotate/section.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::annotate {
namespace {

Instance sample() {
  Instance instance;
  instance.id = "i-1";
  instance.citing = PaperId("a");
  instance.cited = PaperId("b");
  instance.citing_title = "Sorting networks for \"small\" inputs";
  instance.citing_venue = "icml";
  instance.citing_year = 2021;
  instance.cited_title = "Odd-even merging";
  instance.cited_year = 2014;
  instance.cited_as = "Fox 2014";
  instance.mentions = 3;
  instance.contexts = {{"5 Experiments", "We compare with Fox et al. (2014)."}};
  instance.ratings = {{"r1", 1, 4, "clear"}, {"r2", std::nullopt, 3, ""}};
  return instance;
}

TEST(Instance, SurvivesJson) {
  const Instance instance = sample();
  const Instance back = instance_from_json(to_json_line(instance));
  EXPECT_EQ(to_json_line(back), to_json_line(instance));
  EXPECT_EQ(back.contexts, instance.contexts);
  EXPECT_EQ(back.mentions, 3);
  ASSERT_EQ(back.ratings.size(), 2U);
  EXPECT_EQ(back.ratings[0].note, "clear");
  EXPECT_FALSE(back.ratings[1].type1.has_value());
}

TEST(Instance, UnknownMentionsAreCountedByContexts) {
  Instance instance = sample();
  instance.mentions.reset();
  instance.contexts.push_back({"2 Related Work", "See Fox et al. (2014)."});
  EXPECT_EQ(mentions_of(instance_from_json(to_json_line(instance))), 2);
}

TEST(Instance, RefusesLabelsOutOfRangeAndMissingTitles) {
  for (
      const char* line :
      {R"({"instance_id":"x","citing_title":"t","cited_title":"u","contexts":[],"labels":[{"annotator":"a","type1":2}]})",
       R"({"instance_id":"x","citing_title":"t","cited_title":"u","contexts":[],"labels":[{"annotator":"a","type2":6}]})",
       R"({"instance_id":"x","cited_title":"u","contexts":[]})",
       R"({"citing_title":"t","cited_title":"u","contexts":[]})", "[1, 2]", "{\"instance_id\":"}) {
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(instance_from_json(line)); }),
              ErrorCode::invalid_input)
        << line;
  }
}

TEST(Instances, KeepEveryLineAsInstanceOrReject) {
  const testing::TempFolder folder;
  const std::string good = to_json_line(sample());
  io::write_file_atomically(folder / "i.jsonl", good + "\n\nnot json\n" + good + "\n");
  const auto read = read_instances(folder / "i.jsonl");
  ASSERT_EQ(read.instances.size(), 1U);
  ASSERT_EQ(read.rejects.size(), 2U);
  EXPECT_EQ(read.rejects[0].line, 3U);
  EXPECT_NE(read.rejects[1].reason.find("twice"), std::string::npos);
}

TEST(Instances, OfACatalogCarryTitlesAndYears) {
  const testing::TempFolder folder;
  store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::create);
  Paper paper;
  paper.id = PaperId("a");
  paper.title = "Citing";
  paper.venue = "icml";
  paper.date = {2021, 0, 0};
  catalog.put(paper);
  Citation citation;
  citation.citing = PaperId("a");
  citation.cited = PaperId("gone");
  citation.marker = "7";
  citation.contexts = {{"1 Introduction", "As in [7]."}};
  catalog.put(citation);
  std::vector<Instance> all;
  each_instance(catalog, [&](Instance&& one) { all.push_back(std::move(one)); });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, "a>gone");
  EXPECT_EQ(all[0].citing_title, "Citing");
  EXPECT_EQ(all[0].citing_year, 2021);
  EXPECT_TRUE(all[0].cited_title.empty());
  EXPECT_EQ(all[0].cited_as, "7");
}

TEST(SectionRole, FollowsTheHeading) {
  EXPECT_EQ(section_role("5.2 EXPERIMENTAL RESULTS"), SectionRole::experiments);
  EXPECT_EQ(section_role("2 Related Work and Discussion"), SectionRole::related);
  EXPECT_EQ(section_role("I. Introduction"), SectionRole::introduction);
  EXPECT_EQ(section_role("7 Conclusions and Future Work"), SectionRole::conclusion);
  EXPECT_EQ(section_role("3 Problem setting"), SectionRole::background);
  EXPECT_EQ(section_role("4 The Proposed Algorithm"), SectionRole::method);
  EXPECT_EQ(section_role("6 Fishes"), SectionRole::other);
  EXPECT_EQ(section_role(""), SectionRole::other);
}

TEST(SectionNumber, ReadsDigitsAndRomanNumerals) {
  EXPECT_EQ(section_number("5.2 Results"), 5);
  EXPECT_EQ(section_number("12 Appendix"), 12);
  EXPECT_EQ(section_number("IV. Experiments"), 4);
  EXPECT_EQ(section_number("XI Notes"), 11);
  EXPECT_EQ(section_number("Introduction"), 0);
  EXPECT_EQ(section_number("Very long"), 0);
  EXPECT_EQ(section_number(""), 0);
}

TEST(Marker, FindsNumbersListsAndRanges) {
  const auto one = find_marker("We follow [18] here.", "18");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].begin, 11U);
  EXPECT_EQ(one[0].group, 1U);
  const auto list = find_marker("Many works [3, 17, 18, 40] exist.", "18");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].group, 4U);
  const auto range = find_marker("Many works [15-19] exist.", "18");
  ASSERT_EQ(range.size(), 1U);
  EXPECT_EQ(range[0].group, 5U);
  EXPECT_TRUE(find_marker("Not in [181] nor in 18.", "18").empty());
  EXPECT_TRUE(find_marker("An open bracket [18", "18").empty());
}

TEST(Marker, FindsNamesWithEitherYear) {
  const std::string text =
      "Later, Fox et al. (2009a) improved on it (Bar, 2001; Fox and Hen, 2008; Ox, 2003).";
  const auto places = find_marker(text, "Fox 2008/2009a");
  ASSERT_EQ(places.size(), 2U);
  EXPECT_TRUE(places[0].is_textual);
  EXPECT_EQ(text.substr(places[0].begin, places[0].end - places[0].begin), "Fox et al. (2009a)");
  EXPECT_FALSE(places[1].is_textual);
  EXPECT_EQ(places[1].group, 3U);
  EXPECT_TRUE(find_marker(text, "Fox 1999").empty());
  EXPECT_TRUE(find_marker("Foxtrot (2008)", "Fox 2008").empty());
}

TEST(Marker, FindsTags) {
  const auto places = find_marker("Shown in [BF+13, KL14].", "BF+13");
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].group, 2U);
  EXPECT_TRUE(find_marker("anything", "").empty());
}

}  // namespace
}  // namespace mustcite::annotate
