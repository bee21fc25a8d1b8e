// What makes a release a benchmark: core set, provenance of labels, mask, grades, Type IV, card and
// differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "stages/release/release.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::release {
namespace {

using mustcite::testing::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// icml cites a (kdd) in 2020; the query q of 2022 (icml) cites a, b (icml) and c (kdd, cited by nobody
/// else); a paper of 2023 cites q and a.
class BenchmarkTest : public ::testing::Test {
 protected:
  BenchmarkTest() : catalog_(temp_ / "catalog.sqlite", store::Catalog::Mode::create) {
    for (const auto& [id, year, venue] :
         std::initializer_list<std::tuple<const char*, int, const char*>>{{"a", 2018, "kdd"},
                                                                          {"b", 2019, "icml"},
                                                                          {"c", 2019, "kdd"},
                                                                          {"d", 2017, "kdd"},
                                                                          {"e", 2020, "icml"},
                                                                          {"q", 2022, "icml"},
                                                                          {"later", 2023, "icml"}}) {
      Paper paper;
      paper.id = PaperId(id);
      paper.title = std::string("Title of ") + id;
      paper.abstract = "Abstract.";
      paper.venue = venue;
      paper.date.year = year;
      catalog_.put(paper);
    }
    cite("e", "a", 2020, 1);
    cite("q", "a", 2022, 4);
    cite("q", "b", 2022, 1);
    cite("q", "c", 2022, 1);
    cite("later", "q", 2023, 1);
    cite("later", "a", 2023, 1);
    options_.name = "t";
    options_.pool = {2010, 2021};
    options_.splits["test"] = {2022, 2022};
  }

  void cite(const char* citing, const char* cited, int year, int mentions) {
    Citation citation;
    citation.citing = PaperId(citing);
    citation.cited = PaperId(cited);
    citation.citing_year = year;
    citation.mentions = mentions;
    catalog_.put(citation);
  }

  void label(const char* cited, Tier tier, int value, const char* judge, double probability = 0.9) {
    Label label;
    label.citing = PaperId("q");
    label.cited = PaperId(cited);
    label.tier = tier;
    label.value = value;
    label.judge = judge;
    label.definition = "d1";
    label.probability = probability;
    catalog_.put(label);
  }

  std::filesystem::path build(const char* name) {
    SilentProgress progress;
    report_ = release::build(catalog_, options_, temp_ / name, progress);
    EXPECT_TRUE(verify(temp_ / name).problems.empty());
    return temp_ / name;
  }

  static std::string text(const std::filesystem::path& file) { return io::read_file(file); }

  TempFolder temp_;
  store::Catalog catalog_;
  Options options_;
  Report report_;
};

TEST_F(BenchmarkTest, CoreSetHoldsTargetVenuesAndWhatTheyCite) {
  options_.core_venues = {"icml"};
  const auto without = build("without");
  EXPECT_EQ(report_.corpus, 3U);  // a by e's citation, b and e by their venue; c and d by nobody
  EXPECT_THAT(text(without / "qrels/test/all.tsv"), Not(HasSubstr("q\tc")));
  options_.query_citations = QueryCitations::count;
  const auto with = build("with");
  EXPECT_EQ(report_.corpus, 4U);
  EXPECT_THAT(text(with / "qrels/test/all.tsv"), HasSubstr("q\tc"));
  EXPECT_THAT(text(with / "README.md"), HasSubstr("it has 3 papers, with them 4; this release counts them"));
}

TEST_F(BenchmarkTest, LabelsOfTwoJudgesAreNeverMixed) {
  label("a", Tier::type1, 1, "local");
  label("b", Tier::type1, 0, "openai");
  EXPECT_EQ(testing::code_of([&] { build("mixed"); }), ErrorCode::usage);
  options_.judges = {"local"};
  const auto folder = build("local");
  EXPECT_EQ(text(folder / "qrels/test/type1.tsv"), "query-id\tcorpus-id\tscore\nq\ta\t1\n");
  EXPECT_THAT(text(folder / "README.md"), HasSubstr("Type I: 1 labels by local, d1: 1 100.0 %."));
  options_.judges = {"openai::d1"};
  EXPECT_EQ(text(build("openai") / "qrels/test/type1.tsv"), "query-id\tcorpus-id\tscore\n");
}

TEST_F(BenchmarkTest, UnsureAndMissingLabelsAreMaskedNotNegative) {
  label("a", Tier::type1, 1, "local", 0.95);
  label("b", Tier::type1, 1, "local", 0.55);
  options_.min_probability = 0.6;
  const auto folder = build("m");
  EXPECT_EQ(text(folder / "mask/test.tsv"), "query-id\tcorpus-id\ttier\nq\tb\ttype1\nq\tc\ttype1\n");
  EXPECT_EQ(text(folder / "qrels/test/type1.tsv"), "query-id\tcorpus-id\tscore\nq\ta\t1\n");
}

TEST_F(BenchmarkTest, GradesCountTheTiersThatAPairReaches) {
  label("a", Tier::type1, 1, "local");
  label("a", Tier::type2, 5, "local");
  label("b", Tier::type2, 3, "local");
  const auto folder = build("g");
  EXPECT_EQ(text(folder / "graded/test.tsv"), "query-id\tcorpus-id\tscore\nq\ta\t4\nq\tb\t1\nq\tc\t1\n");
}

TEST_F(BenchmarkTest, TheStandInCountsAsMustOnlyWithoutTypeOneLabels) {
  Citation in_tests;
  in_tests.citing = PaperId("q");
  in_tests.cited = PaperId("b");
  in_tests.exp_mentions = 1;
  catalog_.put(in_tests);
  EXPECT_EQ(text(build("stand-in") / "qrels/test/must.tsv"),
            "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t1\n");
  label("c", Tier::type1, 1, "local");
  label("b", Tier::type1, 0, "local");
  const auto folder = build("labelled");
  EXPECT_EQ(text(folder / "qrels/test/must.tsv"), "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tc\t1\n");
  EXPECT_EQ(text(folder / "qrels/test/experiments.tsv"), "query-id\tcorpus-id\tscore\nq\tb\t1\n");
  EXPECT_THAT(text(folder / "README.md"), HasSubstr("Type I: 2 of the 3 pairs of test are labelled"));
}

TEST_F(BenchmarkTest, OneRunOfAPromptCanBeChosen) {
  label("a", Tier::type1, 1, "openai");
  Label again;
  again.citing = PaperId("q");
  again.cited = PaperId("b");
  again.tier = Tier::type1;
  again.value = 1;
  again.judge = "openai";
  again.definition = "d1~2";
  catalog_.put(again);
  options_.judges = {"openai"};
  EXPECT_EQ(testing::code_of([&] { build("both"); }), ErrorCode::usage);
  options_.judges = {"openai::d1"};
  EXPECT_EQ(text(build("first") / "qrels/test/type1.tsv"), "query-id\tcorpus-id\tscore\nq\ta\t1\n");
  options_.judges = {"openai::d1~2"};
  EXPECT_EQ(text(build("second") / "qrels/test/type1.tsv"), "query-id\tcorpus-id\tscore\nq\tb\t1\n");
}

TEST_F(BenchmarkTest, CoverageTellsWhoReadThePapersAndFiltersByIt) {
  catalog_.set_fact(std::string(store::kReaderFact) + "q", "native");
  const auto folder = build("all");
  EXPECT_THAT(text(folder / "README.md"),
              HasSubstr("| imported | 1 | 1 | 100.0 % | 0.0 % |\n| native | 1 | 3 | 100.0 % | 0.0 % |"));
  options_.readers = {"native"};
  const auto native = build("native");
  EXPECT_EQ(report_.evidence, 0U);
  EXPECT_EQ(report_.splits.at("test").queries, 1U);
  EXPECT_THAT(text(native / "manifest.json"), HasSubstr("\"readers\": ["));
  options_.readers = {"grobid"};
  build("none");
  EXPECT_EQ(report_.splits.at("test").candidates, 0U);
}

TEST_F(BenchmarkTest, ALaterVersionSaysWhatChanged) {
  options_.version = "v1";
  const auto first = build("one");
  EXPECT_THAT(text(first / "README.md"), Not(HasSubstr("What changed")));
  options_.previous = first;
  options_.version = "v2";
  options_.tiers.type3_threshold = 5;
  const auto second = build("two");
  const auto card = text(second / "README.md");
  EXPECT_THAT(card, HasSubstr("## What changed since t, v1"));
  EXPECT_THAT(card, HasSubstr("- type3_threshold: 3 -> 5"));
  EXPECT_THAT(card, HasSubstr("| qrels/test/type3.tsv | 0 | 0 | 1 |"));
  const std::string manifest = text(second / "manifest.json");
  EXPECT_THAT(manifest, HasSubstr(sha256_file(first / "manifest.json")));
  EXPECT_EQ(text(build("three") / "manifest.json"), manifest);
}

TEST_F(BenchmarkTest, AgreementStandsInCardAndManifest) {
  options_.agreement_notes = {"Raters (pilot): 3 raters."};
  const auto folder = build("a");
  EXPECT_THAT(text(folder / "README.md"), HasSubstr("- Raters (pilot): 3 raters.\n"));
  EXPECT_THAT(text(folder / "manifest.json"), HasSubstr("Raters (pilot): 3 raters."));
}

TEST_F(BenchmarkTest, TheCardCountsPapersByVenueAndYear) {
  EXPECT_THAT(
      text(build("v") / "README.md"),
      HasSubstr("| venue | papers | 2017 | 2018 | 2019 | 2020 |\n|---|---|---|---|---|---|\n"
                "| kdd | 3 | 1 | 1 | 1 | 0 |\n| icml | 2 | 0 | 0 | 1 | 1 |\n| all | 5 | 1 | 1 | 2 | 1 |"));
}

/// A release with one file replaced and its manifest made to fit: what somebody who plants a leak would do.
class PlantedLeakTest : public BenchmarkTest {
 protected:
  std::vector<std::string> problems_after(const char* file, const std::string& before,
                                          const std::string& after) {
    const auto folder = build("sound");
    std::string bytes = text(folder / file);
    const auto at = bytes.find(before);
    EXPECT_NE(at, std::string::npos) << bytes;
    const std::string old_digest = sha256_file(folder / file);
    const auto old_size = std::to_string(bytes.size());
    bytes.replace(at, before.size(), after);
    io::write_file_atomically(folder / file, bytes);
    std::string manifest = text(folder / "manifest.json");
    const auto digest = manifest.find(old_digest, manifest.find("\"" + std::string(file) + "\""));
    manifest.replace(digest, old_digest.size(), sha256_hex(bytes));
    const auto size = manifest.find("\"bytes\": " + old_size, digest);
    manifest.replace(size + 9, old_size.size(), std::to_string(bytes.size()));
    io::write_file_atomically(folder / "manifest.json", manifest);
    return verify(folder).problems;
  }
};

TEST_F(PlantedLeakTest, EvidenceByAQueryIsFound) {
  EXPECT_THAT(problems_after("evidence/citations.jsonl", "\"citing_id\":\"e\"", "\"citing_id\":\"q\""),
              ElementsAre(HasSubstr("its own citations are in the evidence")));
}

TEST_F(PlantedLeakTest, EvidenceOfALaterYearIsFound) {
  EXPECT_THAT(problems_after("evidence/citations.jsonl", "\"citing_year\":2020", "\"citing_year\":2023"),
              ElementsAre(HasSubstr("is of 2023, after the cut 2021")));
}

TEST_F(PlantedLeakTest, ADocumentAsNewAsTheQueryIsFound) {
  options_.pool = {2010, 2021};
  EXPECT_THAT(problems_after("queries.jsonl", "\"year\":2022", "\"year\":2019"),
              ::testing::Contains(HasSubstr("the query of 2019 is judged on a document of 2019")));
}

TEST_F(PlantedLeakTest, AQueryInDisguiseAmongTheDocumentsIsFound) {
  EXPECT_THAT(problems_after("corpus.jsonl", "Title of a", "TITLE OF Q"),
              ::testing::Contains(HasSubstr("judged on a document of its own title")));
}

TEST_F(PlantedLeakTest, AJudgementMoreThanTheManifestCountsIsFound) {
  EXPECT_THAT(problems_after("qrels/test/type3.tsv", "q\ta\t1\n", "q\ta\t1\nq\tb\t1\n"),
              ElementsAre(HasSubstr("counts 1 queries and 1 pairs of test type3, the file holds 1 and 2")));
}

TEST_F(PlantedLeakTest, AJudgementOnAPaperThatTheQueryDoesNotCiteIsFound) {
  EXPECT_THAT(problems_after("qrels/test/type3.tsv", "q\ta", "q\te"),
              ElementsAre(HasSubstr("is no citation of the query")));
}

TEST_F(PlantedLeakTest, AMaskOfAForeignQueryIsFound) {
  label("a", Tier::type1, 1, "local");
  EXPECT_THAT(problems_after("mask/test.tsv", "q\tb", "x\tb"),
              ElementsAre(HasSubstr("names a query that is not in split test")));
}

constexpr const char* kNoJudgement = "query-id\tcorpus-id\tscore\n";

TEST_F(BenchmarkTest, TypeFourIsWhatLaterPapersCiteBesideTheQuery) {
  options_.type4 = true;
  options_.type4_threshold = 1;
  const auto once = build("once");
  EXPECT_EQ(text(once / "qrels/test/type4.tsv"), kNoJudgement + std::string("q\ta\t1\n"));
  EXPECT_EQ(report_.splits.at("test").pairs_by_tier.at("type4"), 1U);
  EXPECT_EQ(text(once / "mask/test.tsv"), "query-id\tcorpus-id\ttier\n");
  EXPECT_THAT(text(once / "README.md"), HasSubstr("Type IV, test: 1 of 1 queries are cited by that many"));
}

TEST_F(BenchmarkTest, TypeFourOfAQueryThatTooFewCiteIsUnknownNotNegative) {
  options_.type4 = true;  // two later papers, as the default has it; there is one
  const auto folder = build("twice");
  EXPECT_EQ(text(folder / "qrels/test/type4.tsv"), kNoJudgement);
  EXPECT_EQ(text(folder / "mask/test.tsv"),
            "query-id\tcorpus-id\ttier\nq\ta\ttype4\nq\tb\ttype4\nq\tc\ttype4\n");
  EXPECT_THAT(text(folder / "manifest.json"), HasSubstr("\"type4_threshold\": 2"));
}

TEST_F(BenchmarkTest, TypeFourCountsNoPaperFromBeforeTheQuery) {
  options_.type4 = true;
  options_.type4_threshold = 2;
  cite("e", "q", 2020, 1);  // e cites a, too, but cannot have known q
  EXPECT_EQ(text(build("f") / "qrels/test/type4.tsv"), kNoJudgement);
}

TEST_F(BenchmarkTest, TypeFourOfTrainingQueriesTakesNothingFromEvaluationQueries) {
  options_.type4 = true;
  options_.type4_threshold = 1;
  options_.splits["train"] = {2020, 2020};
  cite("q", "e", 2022, 1);  // the test query cites the training query e and what e cites
  EXPECT_EQ(text(build("f") / "qrels/train/type4.tsv"), kNoJudgement);
}

TEST_F(BenchmarkTest, WithoutTypeFourNothingOfItIsWritten) {
  const auto folder = build("f");
  EXPECT_FALSE(std::filesystem::exists(folder / "qrels/test/type4.tsv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "mask/test.tsv"));
  EXPECT_THAT(text(folder / "manifest.json"), Not(HasSubstr("type4")));
  EXPECT_THAT(text(folder / "README.md"), Not(HasSubstr("Type IV")));
}

TEST_F(BenchmarkTest, DifferenceCountsJudgementsThatTypeFourAdds) {
  const auto without = build("without");
  options_.type4 = true;
  options_.type4_threshold = 1;
  const auto difference = diff(without, build("with"));
  EXPECT_THAT(difference.options, ElementsAre("type4: null -> true", "type4_threshold: null -> 1"));
  ASSERT_EQ(difference.files.size(), 2U);  // the mask holds its header alone
  EXPECT_EQ(difference.files[1].path, "qrels/test/type4.tsv");
  EXPECT_EQ(difference.files[1].added, 1U);
}

TEST_F(BenchmarkTest, QueriesWithoutAMustCitePaperCanBeLeftOut) {
  options_.tiers.type3_threshold = 5;
  EXPECT_EQ((build("all"), report_.splits.at("test").queries), 1U);
  options_.must_queries_only = true;
  EXPECT_EQ((build("must"), report_.splits.at("test").queries), 0U);
  EXPECT_EQ(report_.splits.at("test").without_relevant, 1U);
}

TEST_F(BenchmarkTest, DifferenceNamesOptionsAndRows) {
  const auto first = build("one");
  options_.tiers.type3_threshold = 5;
  options_.pool = {2010, 2018};
  const auto second = build("two");
  const auto difference = diff(first, second);
  EXPECT_THAT(difference.options,
              ElementsAre("pool_years: \"2010-2021\" -> \"2010-2018\"", "type3_threshold: 3 -> 5"));
  ASSERT_FALSE(difference.files.empty());
  EXPECT_EQ(difference.files[0].path, "corpus.jsonl");
  EXPECT_EQ(difference.files[0].kept, 2U);  // a and d
  EXPECT_EQ(difference.files[0].removed, 3U);
  EXPECT_EQ(difference.files[0].added, 0U);
  EXPECT_TRUE(diff(first, first).files.empty());
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(diff(first, temp_.path())); }), ErrorCode::not_found);
}

TEST(Recipe, CoremlV1HasThePublishedRules) {
  const auto options = recipe("coreml-v1");
  EXPECT_EQ(options.pool, (Years{2018, 2024}));
  EXPECT_EQ(options.splits.at("test"), (Years{2025, 2025}));
  EXPECT_THAT(options.query_venues, ElementsAre("neurips", "icml", "iclr"));
  EXPECT_EQ(options.core_venues, options.query_venues);
  EXPECT_TRUE(options.must_queries_only);
  EXPECT_EQ(testing::code_of([] { static_cast<void>(recipe("coreml-v9")); }), ErrorCode::usage);
}

}  // namespace
}  // namespace mustcite::release
