#include "stages/annotate/consistency.hpp"

#include <gtest/gtest.h>

#include "stages/annotate/comparison.hpp"
#include "stages/annotate/mention_counts.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::annotate {
namespace {

class Consistency : public ::testing::Test {
 protected:
  Consistency() : catalog_(folder_ / "c.sqlite", store::Catalog::Mode::create) {
    cite("a", 1, {{"2 Related Work", "Many exist [1, 7, 9, 11]."}});
    cite("b", 5, {{"1 Introduction", "We build on [7]."}, {"5 Experiments", "Better than [7]."}});
    cite("c", 2, {{"5 Experiments", "Better than [7]."}, {"6 Results", "Than [7]."}});
  }
  void cite(const char* cited, int mentions, std::vector<CitationContext> contexts) {
    Citation citation;
    citation.citing = PaperId("p");
    citation.cited = PaperId(cited);
    citation.citing_year = 2020;
    citation.marker = "7";
    citation.mentions = mentions;
    citation.contexts = std::move(contexts);
    catalog_.put(citation);
  }
  void label(const char* cited, Tier tier, int value, const char* judge, const char* definition = "d1") {
    Label label;
    label.citing = PaperId("p");
    label.cited = PaperId(cited);
    label.tier = tier;
    label.value = value;
    label.judge = judge;
    label.definition = definition;
    catalog_.put(label);
  }

  testing::TempFolder folder_;
  store::Catalog catalog_;
};

TEST_F(Consistency, RulesFindWhatDoesNotFitTogether) {
  label("a", Tier::type1, 1, "x");
  label("a", Tier::type2, 4, "x");
  label("b", Tier::type1, 1, "x");
  label("b", Tier::type2, 2, "x");
  label("c", Tier::type1, 1, "x");
  label("c", Tier::type2, 5, "x");
  const auto report = check_labels(catalog_, "x");
  EXPECT_EQ(report.pairs, 3U);
  EXPECT_EQ(report.by_rule, (std::map<std::string, std::uint64_t>{{"type1-only-in-passing", 1},
                                                                  {"relevant-but-in-a-crowd", 1},
                                                                  {"type1-but-irrelevant", 1},
                                                                  {"irrelevant-but-frequent", 1}}));
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(check_labels(catalog_, "nobody")); }),
            ErrorCode::not_found);
}

TEST_F(Consistency, ComparisonCountsWhatChanged) {
  for (const char* cited : {"a", "b", "c"}) label(cited, Tier::type2, 3, "x");
  label("a", Tier::type2, 3, "y");
  label("b", Tier::type2, 5, "y");
  const auto result = compare_labels(catalog_, Tier::type2, "x", "y");
  EXPECT_EQ(result.common, 2U);
  EXPECT_EQ(result.only_a, 1U);
  EXPECT_EQ(result.only_b, 0U);
  EXPECT_DOUBLE_EQ(result.agreement, 0.5);
  EXPECT_EQ((result.confusion.at({3, 5})), 1U);
  ASSERT_EQ(result.changed.size(), 1U);
  EXPECT_EQ(result.changed[0].id, "p>b");
  EXPECT_EQ(result.by_section.at("introduction").differ, 1U);
  EXPECT_EQ(result.by_section.at("introduction").confusion, (Comparison::Confusion{{{3, 5}, 1}}));
  EXPECT_EQ(result.by_section.at("related").differ, 0U);
  EXPECT_EQ(result.by_year.at(2020).common, 2U);
}

TEST_F(Consistency, SetsOfSeveralDefinitionsHaveToBeNamed) {
  label("a", Tier::type1, 1, "x", "v1");
  label("a", Tier::type1, 0, "x", "v2");
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(check_labels(catalog_, "x")); }), ErrorCode::usage);
  const auto result = compare_labels(catalog_, Tier::type1, "x::v1", "x::v2");
  EXPECT_EQ(result.changed.size(), 1U);
  // Several definitions of Type I do not stand in the way of Type II.
  label("b", Tier::type2, 4, "x", "v2");
  EXPECT_EQ(labels_named(catalog_, Tier::type2, "x"), (LabelValues{{"p>b", 4}}));
  EXPECT_EQ(
      testing::code_of([&] { static_cast<void>(compare_labels(catalog_, Tier::type2, "x", "nobody")); }),
      ErrorCode::not_found);
}

TEST_F(Consistency, PromptsOfOneRunAreSetSideBySide) {
  std::vector<Instance> instances;
  each_instance(catalog_, [&](Instance&& instance) { instances.push_back(std::move(instance)); });
  const auto said = [](std::size_t instance, const char* definition, int value) {
    return LlmVerdict{instance, Tier::type1, definition, value, "", 0};
  };
  const auto result = compare_verdicts(
      instances,
      {said(0, "old", 1), said(1, "old", 1), said(0, "new", 0), said(1, "new", 1), said(2, "new", 0)}, "old",
      "new");
  EXPECT_EQ(result.common, 2U);
  EXPECT_EQ(result.only_b, 1U);
  ASSERT_EQ(result.changed.size(), 1U);
  EXPECT_EQ(result.changed[0].id, "p>a");
  EXPECT_EQ(result.confusion, (Comparison::Confusion{{{1, 0}, 1}, {{1, 1}, 1}}));
}

TEST_F(Consistency, MentionCountsAddUpAndSuggestAThreshold) {
  Citation unknown;
  unknown.citing = PaperId("p");
  unknown.cited = PaperId("u");
  catalog_.put(unknown);
  const auto counts = count_mentions(catalog_);
  EXPECT_EQ(counts.known, 3U);
  EXPECT_EQ(counts.unknown, 1U);
  EXPECT_DOUBLE_EQ(counts.cumulative(2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.admitted(2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.several_sections(2), 1);
  EXPECT_EQ(suggested_threshold(counts), 0);  // even 5 admits a third
  for (int i = 0; i < 5; ++i) cite(("z" + std::to_string(i)).c_str(), 1, {{"1 Introduction", "See [7]."}});
  EXPECT_EQ(suggested_threshold(count_mentions(catalog_)), 2);  // 2 of 8 have two or more, in two sections
}

}  // namespace
}  // namespace mustcite::annotate
