// Tables of all methods: runs made once, rows that say why they have no values, measured values.
#include "core/base/hash.hpp"
#include "table_fixture.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"

namespace mustcite::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Table = TableFixture;

constexpr TableFormat kFormats[] = {TableFormat::terminal, TableFormat::markdown, TableFormat::latex,
                                    TableFormat::html, TableFormat::json};

/// What the call refuses with; empty when it does not.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Table, ValuesAreThoseOfTheRuns) {
  const auto report = make(table(method("bm25") + method("other")));
  EXPECT_DOUBLE_EQ(mean(report, 0, "bm25", 0), 1);                    // MAP
  EXPECT_DOUBLE_EQ(mean(report, 0, "bm25", 2), (1 + 0.5 + 1) / 3);    // Recall@1: q2 has two
  EXPECT_DOUBLE_EQ(mean(report, 0, "other", 0), (0 + 0.25 + 1) / 3);  // q2: 1/2 of two
  EXPECT_DOUBLE_EQ(mean(report, 0, "other", 1), (0 + 0.5 + 1) / 3);   // MRR
  EXPECT_DOUBLE_EQ(mean(report, 0, "other", 3), 1.0 / 3);             // HR@1
  EXPECT_TRUE(report.tiers[0].values.cell(1, 0).test);
  EXPECT_TRUE(report.tiers[0].values.cell(1, 0).interval);
}

TEST_F(Table, TheSecondCallMakesNothingAndPrintsTheSameBytes) {
  const auto definition = table(method("bm25") + method("other"));
  const auto first = make(definition);
  EXPECT_EQ(made_.made, 2U);
  const auto second = make(definition);
  EXPECT_EQ(made_.made, 0U);
  EXPECT_EQ(made_.reused, 2U);
  EXPECT_EQ(calls(), 2U);
  for (const auto format : kFormats) EXPECT_EQ(text(first, format), text(second, format));
}

TEST_F(Table, OneThreadOrMoreGiveTheSameBytes) {
  const auto definition = table(method("bm25") + method("other"));
  const auto one = make(definition);
  options_.threads = 3;
  EXPECT_EQ(text(make(definition), TableFormat::json), text(one, TableFormat::json));
}

TEST_F(Table, AKilledCallGoesOnWithTheNextRun) {
  const auto definition = table(method("bm25") + method("other"));
  const std::string program = io::read_file(temp_ / "program");
  // The second method's command kills the program that called it, as a power cut would.
  write("program", program + "case \"$run\" in *other*) kill -9 $PPID;; esac\n");
  EXPECT_EQ(testing::in_child([&] { return make(definition).rows.empty() ? 1 : 0; }), 128 + SIGKILL);
  write("program", program);
  const auto report = make(definition);
  EXPECT_EQ(made_.reused, 1U);
  EXPECT_EQ(made_.made, 1U);
  options_.work = temp_ / "fresh";
  for (const auto format : kFormats) EXPECT_EQ(text(report, format), text(make(definition), format));
}

TEST_F(Table, ARunIsMadeAgainWhenWhatItWasMadeFromChanges) {
  const std::string need = "needs = [{ path = \"{models}/m\", make = \"train m\" }]\n";
  write("models/m/weights", "1");
  const auto definition = table(method("bm25") + method("other", need));
  static_cast<void>(make(definition));
  write("models/m/weights", "22");
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 1U);  // other alone
  write("index/text.bin", "new");
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 2U);
  options_.depth = 10;
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 2U);
  options_.settings = {"index.k1=1.2"};
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 2U);
  write("work/runs/bm25.trec", "q1 Q0 d1 1 3 forged\n");
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 1U);
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 0U);
}

TEST_F(Table, WhereTheModelsLieChangesNothing) {
  const auto definition = table(method("bm25"));
  static_cast<void>(make(definition));
  std::filesystem::rename(temp_ / "index", temp_ / "elsewhere");
  options_.places["index"] = (temp_ / "elsewhere").string();
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.reused, 1U);
}

TEST_F(Table, ARowThatLacksSomethingIsListedWithTheCommandThatMakesIt) {
  const auto report = make(
      table(method("bm25") +
            method("other", "needs = [{ path = \"{models}/none\", make = \"mustcite train {method}\" }]\n")));
  EXPECT_EQ(report.rows[1].state, RowState::unavailable);
  EXPECT_EQ(calls(), 1U);
  for (const auto format : kFormats) EXPECT_THAT(text(report, format), HasSubstr("mustcite train other"));
}

TEST_F(Table, AFailedRowSaysWhyAndIsTriedAgain) {
  std::filesystem::rename(temp_ / "answers/other.trec", temp_ / "kept");
  const auto definition = table(method("bm25") + method("other"));
  const auto report = make(definition);
  EXPECT_EQ(report.rows[1].state, RowState::failed);
  EXPECT_THAT(report.rows[1].problem, HasSubstr("other.trec"));
  for (const auto format : kFormats) EXPECT_THAT(text(report, format), HasSubstr("failed"));
  std::filesystem::rename(temp_ / "kept", temp_ / "answers/other.trec");
  EXPECT_EQ(make(definition).rows[1].state, RowState::measured);
  EXPECT_EQ(made_.reused, 1U);
}

TEST_F(Table, ARunThatIsNoneIsAFailedRow) {
  write("answers/other.trec", "q1 Q0 d1 one two three\n");
  const auto report = make(table(method("bm25") + method("other")));
  EXPECT_EQ(report.rows[1].state, RowState::failed);
}

TEST_F(Table, QueriesWithoutAnswerAreCountedShownAndZero) {
  write("answers/other.trec", "q3 Q0 d4 1 3 x\n");
  const auto report = make(table(method("bm25") + method("other")));
  EXPECT_DOUBLE_EQ(mean(report, 0, "other", 0), 1.0 / 3);
  EXPECT_EQ(report.tiers[0].unanswered.at("other"), 2U);
  EXPECT_THAT(text(report, TableFormat::terminal),
              HasSubstr("other leaves 2 of 3 queries of \"Type III\" without an answer"));
}

TEST_F(Table, ARunThatAnswersNoQueryOfATierIsANote) {
  write("answers/other.trec", "t1 Q0 d4 1 3 x\n");
  const auto report = make(table(method("bm25") + method("other")));
  EXPECT_THAT(report.tiers[0].rows, ElementsAre(0U));
  EXPECT_THAT(text(report, TableFormat::markdown), HasSubstr("other answers no query of \"Type III\""));
}

TEST_F(Table, SeedsAreAveragedQueryByQuery) {
  write("answers/s1.trec", "q1 Q0 d1 1 3 x\n");
  write("answers/s2.trec", "q3 Q0 d4 1 3 x\nq2 Q0 d2 1 3 x\n");
  const auto report = make(table(method("bm25") + method("other", "seeds = [1, 2]\n", "s{seed}")));
  EXPECT_EQ(report.rows[1].runs, 2U);
  // MAP: seed 1 finds q1 alone, 1/3; seed 2 finds q3 and half of q2, 1.5/3; their mean, and its deviation.
  EXPECT_NEAR(mean(report, 0, "other", 0), (1.0 / 3 + 0.5) / 2, 1e-15);
  EXPECT_NEAR(report.tiers[0].deviation.at("other")[0], (0.5 - 1.0 / 3) / std::sqrt(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(report.tiers[0].values.value(0, 1, 0), 0.5);  // q1: 1 and 0
  EXPECT_THAT(text(report, TableFormat::markdown), HasSubstr("mean of 2 seeds"));
}

TEST_F(Table, AMissingSeedIsSaid) {
  write("answers/s1.trec", "q1 Q0 d1 1 3 x\n");
  write("models/m1/x", "");
  const auto report =
      make(table(method("bm25") + method("other",
                                         "seeds = [1, 2]\nneeds = [{ path = \"{models}/m{seed}\", make = "
                                         "\"train --seed {seed}\" }]\n",
                                         "s{seed}")));
  EXPECT_THAT(text(report, TableFormat::terminal),
              HasSubstr("other: 1 of 2 seeds; the others wait for train --seed 2"));
}

TEST_F(Table, EveryFolderThatNoOtherRowNamesIsARow) {
  for (const char* name : {"a", "b", "bm25", ".hidden"})
    std::filesystem::create_directories(temp_ / "index" / "dense" / name);
  write("answers/a.trec", "q1 Q0 d1 1 3 x\n");
  write("answers/b.trec", "q1 Q0 d1 1 3 x\n");
  write("index/dense/a/recipe.toml", "model = \"org/a\"\n");
  const auto report = make(
      table(method("bm25") + "[[methods]]\nname = \"{each}\"\neach = \"{index}/dense\"\ngroup = \"g\"\n"
                             "weights = [\"{index}/dense/{each}/recipe.toml:model\"]\n"
                             "steps = [[\"recommend\", \"--method\", \"{each}\", \"--run\", \"{run}\"]]\n"));
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[1].name, "a");
  EXPECT_EQ(report.rows[1].weights, "org/a");
  EXPECT_EQ(report.rows[2].name, "b");
}

TEST_F(Table, AStandInIsNamedAndATierWithoutQueriesSaysSo) {
  write("release/qrels/dev/type1.tsv", kHeader);
  write("release/qrels/dev/type2.tsv", kHeader);
  const std::string tiers =
      "[[tiers]]\nname = \"type1\"\nlabel = \"Type I\"\nqrels = \"{release}/qrels/{split}/type1.tsv\"\n"
      "stand_in = \"{release}/qrels/{split}/experiments.tsv\"\nstand_in_label = \"in experiments\"\n"
      "[[tiers]]\nname = \"type2\"\nlabel = \"Type II\"\nqrels = \"{release}/qrels/{split}/type2.tsv\"\n"
      "[[tiers]]\nname = \"type4\"\nlabel = \"Type IV\"\nqrels = "
      "\"{release}/qrels/{split}/type4.tsv\"\noptional = true\n";
  const auto report = make(table(method("bm25") + method("other"), tiers));
  ASSERT_EQ(report.tiers.size(), 3U);  // Type IV is optional
  EXPECT_TRUE(report.tiers[0].is_stand_in);
  for (const auto format : kFormats) {
    EXPECT_THAT(text(report, format), HasSubstr("in experiments"));
    EXPECT_THAT(text(report, format), HasSubstr("no query of the split has such a paper"));
    EXPECT_THAT(text(report, format), Not(HasSubstr("Type IV")));
  }
  EXPECT_THAT(text(report, TableFormat::terminal), HasSubstr("\"in experiments\" has one query"));
}

TEST_F(Table, ASampleIsDrawnByIdsAndNamed) {
  options_.sample = 2;
  const auto definition = table(method("bm25") + method("other"));
  const auto report = make(definition);
  EXPECT_EQ(report.tiers[0].values.queries.size(), 2U);
  EXPECT_THAT(text(report, TableFormat::terminal), HasSubstr("a sample of 2 of the 3 of the split dev"));
  // Those whose ids have the smallest digests.
  std::vector<std::string> ids{"q1", "q2", "q3"};
  std::sort(ids.begin(), ids.end(),
            [](const auto& a, const auto& b) { return sha256_hex(a) < sha256_hex(b); });
  ids.resize(2);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(report.tiers[0].values.queries, ids);
}

TEST_F(Table, ChosenRowsAloneAreMadeAndUnknownOnesRefused) {
  const auto definition = table(method("bm25") + method("other"));
  options_.only = {"other"};
  const auto report = make(definition);
  EXPECT_EQ(report.rows.size(), 1U);
  EXPECT_FALSE(report.tested);
  options_.only = {"ohter"};
  EXPECT_THAT(refusal([&] { static_cast<void>(make(definition)); }), HasSubstr("did you mean 'other'?"));
}

TEST_F(Table, AWorkFolderOfAnotherReleaseIsRefusedOrRenewed) {
  const auto definition = table(method("bm25"));
  static_cast<void>(make(definition));
  write("release/manifest.json", manifest(101));
  EXPECT_THAT(refusal([&] { static_cast<void>(make(definition)); }), HasSubstr("another release"));
  options_.renew = true;
  static_cast<void>(make(definition));
  EXPECT_EQ(made_.made, 1U);
}

TEST_F(Table, AFolderOfOtherFilesIsNotTaken) {
  write("work/thesis.tex", "precious");
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(make(table(method("bm25")))); }),
            ErrorCode::invalid_input);
  EXPECT_EQ(io::read_file(temp_ / "work/thesis.tex"), "precious");
}

TEST_F(Table, AFolderThatIsNoReleaseOrLacksTheSplitIsRefused) {
  options_.split = "test";
  EXPECT_THAT(refusal([&] { static_cast<void>(make(table(method("bm25")))); }),
              HasSubstr("it has: dev, train"));
  options_.release = temp_ / "index";
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(make(table(method("bm25")))); }), ErrorCode::not_found);
  options_.release = temp_ / "release";
  write("release/manifest.json", "{\"format\":\"mustcite-release\"}");
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(make(table(method("bm25")))); }), ErrorCode::corrupt);
}

}  // namespace
}  // namespace mustcite::reproduce
