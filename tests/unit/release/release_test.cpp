#include "stages/release/release.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "core/base/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::release {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using mustcite::testing::TempFolder;

Paper paper(const std::string& id, int year, const std::string& venue = "icml") {
  Paper result;
  result.id = PaperId(id);
  result.title = "On the matter of " + id;
  result.abstract = "We study " + id + " with care.";
  result.authors = {"Ada Example"};
  result.venue = venue;
  result.date.year = year;
  return result;
}

Citation citation(const std::string& citing, const std::string& cited, int year, std::optional<int> mentions,
                  std::optional<int> exp_mentions) {
  Citation result;
  result.citing = PaperId(citing);
  result.cited = PaperId(cited);
  result.citing_year = year;
  result.mentions = mentions;
  result.exp_mentions = exp_mentions;
  result.contexts = {{"Introduction", "As shown before [1]."}};
  return result;
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = slurp(entry.path());
  }
  return files;
}

/// Old papers a, b, c (2018, 2019, 2021), a query q1 of 2022 citing all, a query q2 of 2022 without relevant paper,
/// a query without abstract, an evidence paper e of 2020, and a paper of the query's own year.
class ReleaseTest : public ::testing::Test {
 protected:
  ReleaseTest() : catalog_(temp_ / "catalog.sqlite", store::Catalog::Mode::create) {
    store::Catalog::Batch batch(catalog_);
    for (const auto& p : {paper("a", 2018), paper("b", 2019), paper("c", 2021), paper("e", 2020), paper("q1", 2022),
                          paper("q2", 2022, "uai"), paper("same-year", 2022)}) {
      catalog_.put(p);
    }
    Paper bare = paper("q3", 2022);
    bare.abstract.clear();
    catalog_.put(bare);
    catalog_.put(citation("e", "a", 2020, 2, 1));
    catalog_.put(citation("q1", "a", 2022, 4, 0));
    catalog_.put(citation("q1", "b", 2022, std::nullopt, std::nullopt));
    catalog_.put(citation("q1", "c", 2022, 1, 1));
    catalog_.put(citation("q1", "same-year", 2022, 9, 9));
    catalog_.put(citation("q2", "same-year", 2022, 3, 0));
    catalog_.put(citation("q3", "a", 2022, 1, 0));
    batch.commit();
  }

  Options options() const {
    Options result;
    result.name = "v1";
    result.pool = {2000, 2021};
    result.splits["dev"] = {2022, 2022};
    return result;
  }

  Report build(const Options& options, const std::string& name = "v1") {
    SilentProgress progress;
    return release::build(catalog_, options, temp_ / name, progress);
  }

  TempFolder temp_;
  store::Catalog catalog_;
};

TEST_F(ReleaseTest, CountsAddUpAndQrelsFollowTheTiers) {
  const auto report = build(options());
  const auto& dev = report.splits.at("dev");
  EXPECT_EQ(report.corpus, 4u);  // a, b, c, e
  EXPECT_EQ(dev.candidates, 3u);
  EXPECT_EQ(dev.candidates, dev.queries + dev.without_abstract + dev.without_relevant);
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/all.tsv"),
            "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t1\nq1\tc\t1\n");
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/type3.tsv"), "query-id\tcorpus-id\tscore\nq1\ta\t1\n");
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/experiments.tsv"), "query-id\tcorpus-id\tscore\nq1\tc\t1\n");
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/must.tsv"), "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tc\t1\n");
}

TEST_F(ReleaseTest, EvidenceEndsAtTheCutAndHoldsNoQuery) {
  build(options());
  const auto evidence = slurp(temp_ / "v1/evidence/citations.jsonl");
  EXPECT_THAT(evidence, HasSubstr("\"citing_id\":\"e\""));
  EXPECT_THAT(evidence, ::testing::Not(HasSubstr("q1")));
}

TEST_F(ReleaseTest, IsByteIdenticalWhenRebuilt) {
  build(options(), "first");
  build(options(), "second");
  EXPECT_EQ(contents(temp_ / "first"), contents(temp_ / "second"));
}

TEST_F(ReleaseTest, KeepsQueryVenuesAndThresholdAsAsked) {
  auto asked = options();
  asked.query_venues = {"uai"};
  const auto uai = build(asked).splits.at("dev");
  EXPECT_EQ(uai.candidates, 1u);
  EXPECT_EQ(uai.queries, 0u);
  asked = options();
  asked.tiers.type3_threshold = 5;
  build(asked);
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/type3.tsv"), "query-id\tcorpus-id\tscore\n");
}

TEST_F(ReleaseTest, LabelsMakeTheirOwnQrels) {
  Label label;
  label.citing = PaperId("q1");
  label.cited = PaperId("b");
  label.tier = Tier::type2;
  label.value = 4;
  label.judge = "test";
  label.definition = "rubric-1";
  catalog_.put(label);
  build(options());
  EXPECT_EQ(slurp(temp_ / "v1/qrels/dev/type2.tsv"), "query-id\tcorpus-id\tscore\nq1\tb\t1\n");
  EXPECT_FALSE(fs::exists(temp_ / "v1/qrels/dev/type1.tsv"));
}

TEST_F(ReleaseTest, RefusesOverlappingSplitsAndMissingYears) {
  auto overlapping = options();
  overlapping.splits["test"] = {2021, 2022};
  EXPECT_THROW(build(overlapping), Error);
  Options empty;
  empty.name = "v1";
  EXPECT_THROW(build(empty), Error);
  EXPECT_FALSE(fs::exists(temp_ / "v1"));
}

TEST_F(ReleaseTest, WithoutContextsThereIsNoSentence) {
  auto bare = options();
  bare.with_contexts = false;
  build(bare);
  EXPECT_THAT(slurp(temp_ / "v1/evidence/citations.jsonl"), ::testing::Not(HasSubstr("As shown")));
}

TEST_F(ReleaseTest, VerifyAcceptsWhatBuildMade) {
  build(options());
  const auto verdict = verify(temp_ / "v1");
  EXPECT_THAT(verdict.problems, IsEmpty());
  EXPECT_EQ(verdict.files, 13u);
}

TEST_F(ReleaseTest, VerifyNoticesAChangedAMissingAndAStrangeFile) {
  build(options());
  std::ofstream(temp_ / "v1/queries.jsonl", std::ios::app) << "{}\n";
  fs::remove(temp_ / "v1/qrels/dev/all.tsv");
  std::ofstream(temp_ / "v1/notes.txt") << "hello";
  const auto problems = verify(temp_ / "v1").problems;
  EXPECT_THAT(problems, Contains(HasSubstr("queries.jsonl has another size")));
  EXPECT_THAT(problems, Contains(HasSubstr("all.tsv is missing")));
  EXPECT_THAT(problems, Contains(HasSubstr("notes.txt is not in the manifest")));
}

TEST_F(ReleaseTest, VerifyCatchesAPlantedLeak) {
  // A dev query that also cites in the years of the evidence: its own citations would help to answer it.
  auto leaky = options();
  leaky.pool = {2000, 2022};
  build(leaky);
  EXPECT_THAT(verify(temp_ / "v1").problems, Contains(HasSubstr("its own citations are in the evidence")));
}

TEST(ParseYears, ReadsYearsAndRangesAndRefusesTheRest) {
  EXPECT_EQ(parse_years("2022"), (Years{2022, 2022}));
  EXPECT_EQ(parse_years("2018-2021"), (Years{2018, 2021}));
  for (const char* bad : {"", "22", "2021-2018", "2018-", "abcd", "2018-2021-2022"}) {
    EXPECT_THROW((void)parse_years(bad), Error) << bad;
  }
}

TEST(Verify, RefusesAFolderThatIsNoRelease) {
  TempFolder temp;
  EXPECT_THROW((void)verify(temp.path()), Error);
}

}  // namespace
}  // namespace mustcite::release
