#include "engine/train/paragraphs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "engine/train/sampler.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::train {
namespace {

using paragraph::Kind;
using paragraph::Paragraph;

/// A few papers. `query` (2020) cites a, b, c in related work and d elsewhere; a cites e, f and b; new is
/// newer.
class World : public snapshot::Source {
 public:
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const auto& [id, year] : std::map<std::string, int>{{"a", 2015},
                                                             {"b", 2014},
                                                             {"c", 2016},
                                                             {"d", 2017},
                                                             {"e", 2010},
                                                             {"f", 2011},
                                                             {"new", 2021},
                                                             {"query", 2020}}) {
      Paper paper;
      paper.id = PaperId(id);
      paper.title = "Title of " + id;
      paper.abstract = "Abstract of " + id + ".";
      paper.date.year = year;
      visit(paper);
    }
  }
  void each_citation(const std::function<void(const Citation&)>& visit) const override {
    const std::pair<const char*, const char*> pairs[] = {{"query", "a"}, {"query", "b"},  {"query", "c"},
                                                         {"query", "d"}, {"a", "e"},      {"a", "f"},
                                                         {"a", "b"},     {"query", "new"}};
    for (const auto& [citing, cited] : pairs) {
      Citation citation;
      citation.citing = PaperId(citing);
      citation.cited = PaperId(cited);
      citation.citing_year = citing == std::string("a") ? 2015 : 2020;
      visit(citation);
    }
  }
};

Paragraph paragraph_of(const std::string& id, Kind kind, const std::vector<std::string>& cited) {
  Paragraph paragraph;
  paragraph.id = id;
  paragraph.citing = PaperId("query");
  paragraph.kind = kind;
  paragraph.sentences = {"Trees grow (Oak, 2011).", "So they do."};
  paragraph.topic_sentence = paragraph.sentences[0];
  for (const auto& paper : cited) paragraph.cited.emplace_back(paper);
  return paragraph;
}

class ParagraphExamples : public ::testing::Test {
 protected:
  ParagraphExamples() {
    SilentProgress progress;
    snapshot::build(World(), folder_.path(), progress);
    snapshot_.emplace(snapshot::Snapshot::open(folder_.path()));
    options_.held_out = 0;
  }

  [[nodiscard]] std::set<std::string> ids(const std::vector<DocId>& docs) const {
    std::set<std::string> names;
    for (const DocId doc : docs) names.emplace(snapshot_->document(doc).id);
    return names;
  }

  ParagraphQueries make(const std::vector<Paragraph>& paragraphs) {
    report_ = {};
    auto queries = make_paragraph_queries(*snapshot_, paragraphs, options_, report_);
    EXPECT_EQ(report_.paragraphs, report_.queries + report_.held_out + report_.of_other_sections +
                                      report_.of_other_years + report_.of_unknown_paper +
                                      report_.without_abstract + report_.too_few_positives +
                                      report_.without_negative);
    return queries;
  }

  using Names = std::set<std::string>;
  testing::TempFolder folder_;
  std::optional<snapshot::Snapshot> snapshot_;
  Recipe::Examples options_;
  ParagraphReport report_;
};

TEST_F(ParagraphExamples, ThreePoolsAreElsewhereInRelatedWorkElsewhereInThePaperAndSecondOrder) {
  const auto queries = make({paragraph_of("p1", Kind::related_work, {"a", "b", "new", "unknown"}),
                             paragraph_of("p2", Kind::related_work, {"b", "c"})});
  ASSERT_EQ(queries.examples.size(), 2U);
  const Example& first = queries.examples[0];
  EXPECT_EQ(first.id, "p1");
  EXPECT_EQ(ids(first.positives), (Names{"a", "b"}));
  EXPECT_EQ(ids(first.pools[0]), (Names{"c"}));
  EXPECT_EQ(ids(first.pools[1]), (Names{"d"}));
  EXPECT_EQ(ids(first.pools[2]), (Names{"e", "f"}));  // b is cited by a as well, and known
  EXPECT_EQ(report_.unknown_cited, 2U);               // new is newer than the query, unknown is nowhere
}

TEST_F(ParagraphExamples, TopicSentencesAreMaskedAndMayBeLeftOut) {
  EXPECT_EQ(make({paragraph_of("p1", Kind::related_work, {"a", "b"})}).examples[0].topic, "Trees grow.");
  options_.topic = false;
  EXPECT_EQ(make({paragraph_of("p1", Kind::related_work, {"a", "b"})}).examples[0].topic, "");
}

TEST_F(ParagraphExamples, TheSectionsScopeTakesAllOfRelatedWorkForPositive) {
  options_.scope = Recipe::Examples::Scope::section;
  options_.pools = {0, 0, 10};
  const auto queries = make({paragraph_of("p1", Kind::related_work, {"a", "b"}),
                             paragraph_of("p2", Kind::related_work, {"b", "c"})});
  EXPECT_EQ(ids(queries.examples[0].positives), (Names{"a", "b", "c"}));
  EXPECT_TRUE(queries.examples[0].pools[1].empty());  // it has no share
  EXPECT_EQ(ids(queries.examples[0].pools[2]), (Names{"e", "f"}));
}

TEST_F(ParagraphExamples, LeavesOutAndCountsWhatCannotBeLearnt) {
  options_.related_work_only = true;
  auto unknown = paragraph_of("p4", Kind::related_work, {"a", "b"});
  unknown.citing = PaperId("nobody");
  make({paragraph_of("p1", Kind::related_work, {"a", "b"}),
        paragraph_of("p2", Kind::introduction, {"a", "b"}), paragraph_of("p3", Kind::related_work, {"a"}),
        unknown});
  EXPECT_EQ(report_.queries, 1U);
  EXPECT_EQ(report_.of_other_sections, 1U);
  EXPECT_EQ(report_.too_few_positives, 1U);
  EXPECT_EQ(report_.of_unknown_paper, 1U);
}

TEST_F(ParagraphExamples, HeldOutPapersMeasureAndNeverTrain) {
  options_.held_out = 0.999999;
  EXPECT_EQ(testing::code_of([&] {
              make({paragraph_of("p1", Kind::related_work, {"a", "b"})});
            }),
            ErrorCode::invalid_input);
}

TEST(PoolCounts, AnEmptyPoolsShareGoesToTheOthersInProportion) {
  const std::vector<std::size_t> shares{3, 3, 4};
  Example example;
  example.pools = {{DocId{1}}, {DocId{2}}, {DocId{3}}};
  EXPECT_EQ(pool_counts(example, shares), shares);
  example.pools[0].clear();  // ten in the proportion 3 : 4 are 4.3 and 5.7
  EXPECT_EQ(pool_counts(example, shares), (std::vector<std::size_t>{0, 4, 6}));
  example.pools[2].clear();
  EXPECT_EQ(pool_counts(example, shares), (std::vector<std::size_t>{0, 10, 0}));
  example.pools[1].clear();
  EXPECT_EQ(pool_counts(example, shares), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(PoolSampler, TenNegativesComeThreeThreeAndFourFromThePools) {
  Example example;
  example.older = 100;
  example.positives = {DocId{1}, DocId{2}, DocId{3}};
  example.pools = {{DocId{10}}, {DocId{20}, DocId{21}, DocId{22}, DocId{23}}, {DocId{30}, DocId{31}}};
  const std::vector<Example> examples{example};
  const Sampler sampler(examples, {Loss::quadruplet, 4, 4, 1, 7, {3, 3, 4}});
  const auto plan = sampler.epoch(0).at(0);
  ASSERT_EQ(plan.tuples.size(), 10U);
  std::map<std::uint32_t, int> by_pool;
  for (const auto& tuple : plan.tuples) {
    EXPECT_NE(tuple.first, tuple.second);
    EXPECT_LT(plan.documents[tuple.first].value, 10U);
    ++by_pool[plan.documents[tuple.negative].value / 10];
  }
  EXPECT_EQ(by_pool, (std::map<std::uint32_t, int>{{1, 3}, {2, 3}, {3, 4}}));
}

std::string examples(const std::string& keys) {
  return "[model]\nbase = \"x\"\ntokens = [\"[TS]\"]\n[examples]\nparagraphs = \"p.jsonl\"\n" + keys +
         "\n[loss]\nkind = \"triplet\"\n[dev]\nmetric = \"r-precision\"\n";
}

TEST(ParagraphRecipe, ReadsItsKeys) {
  const auto recipe =
      parse_recipe(examples("scope = \"section\"\npools = [0, 0, 10]\ntopic = false"), "test");
  EXPECT_EQ(recipe.model.tokens, std::vector<std::string>{"[TS]"});
  EXPECT_EQ(recipe.examples.paragraphs, "p.jsonl");
  EXPECT_EQ(recipe.examples.scope, Recipe::Examples::Scope::section);
  EXPECT_EQ(recipe.examples.pools, (std::vector<std::size_t>{0, 0, 10}));
  EXPECT_FALSE(recipe.examples.topic);
  EXPECT_EQ(recipe.dev.metric, Recipe::Dev::Metric::r_precision);
}

TEST(ParagraphRecipe, RefusesSharesThatAreNone) {
  for (const char* pools : {"pools = [3, 3]", "pools = [0, 0, 0]", "pools = [1, -1, 1]", "pools = 10"}) {
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(parse_recipe(examples(pools), "test")); }),
              ErrorCode::invalid_input)
        << pools;
  }
}

}  // namespace
}  // namespace mustcite::train
