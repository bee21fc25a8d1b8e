#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/reproduce/reproduce.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::reproduce {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RunClaim : public ::testing::Test {
 protected:
  RunClaim() {
    std::filesystem::create_directories(folder_ / "experiments");
    options_.work = folder_ / "work";
    options_.shared = folder_ / "shared";
    options_.mustcite = "/bin/echo";
  }
  /// A claim whose last step prints {"x": 0.52, "name": "bm25"}.
  Claim claim(std::vector<Expected> expected) {
    Claim claim;
    claim.name = "claim";
    claim.statement = "it prints";
    claim.file = folder_ / "experiments/claim.toml";
    claim.steps = {{"/bin/sh", "-c", "echo once >> counter"},
                   {"printf", "{\"x\": 0.52, \"name\": \"bm25\"}"}};
    claim.expected = std::move(expected);
    return claim;
  }
  static Expected number(double value, double absolute = 0) {
    Expected expected;
    expected.name = "x";
    expected.pointer = "/x";
    expected.value = value;
    expected.absolute = absolute;
    return expected;
  }
  Outcome run_it(const Claim& claim) {
    SilentProgress progress;
    return run(claim, options_, progress);
  }

  testing::TempFolder folder_;
  Options options_;
};

TEST_F(RunClaim, JudgesExactTolerantAndWrongValues) {
  EXPECT_EQ(run_it(claim({number(0.52)})).verdict, Verdict::ok);
  EXPECT_EQ(run_it(claim({number(0.525, 0.01)})).verdict, Verdict::within_tolerance);
  EXPECT_EQ(run_it(claim({number(0.525, 0.001)})).verdict, Verdict::fail);
  EXPECT_EQ(run_it(claim({number(0.52), number(0.6)})).verdict, Verdict::fail);
}

TEST_F(RunClaim, RelativeToleranceIsAShareOfTheExpectedValue) {
  Expected expected = number(0.5);
  expected.relative = 0.05;
  EXPECT_EQ(run_it(claim({expected})).verdict, Verdict::within_tolerance);
  expected.relative = 0.03;
  EXPECT_EQ(run_it(claim({expected})).verdict, Verdict::fail);
}

TEST_F(RunClaim, BoundsAndTextsAreJudged) {
  Expected bounds = number(0);
  bounds.value.reset();
  bounds.min = 0.5;
  EXPECT_EQ(run_it(claim({bounds})).verdict, Verdict::ok);
  bounds.max = 0.51;
  EXPECT_EQ(run_it(claim({bounds})).verdict, Verdict::fail);
  Expected text;
  text.name = "method";
  text.pointer = "/name";
  text.value = "bm25";
  EXPECT_EQ(run_it(claim({text})).verdict, Verdict::ok);
  text.value = "specter";
  EXPECT_EQ(run_it(claim({text})).verdict, Verdict::fail);
}

TEST_F(RunClaim, ValuesThatCannotBeFoundFailWithTheirReason) {
  Expected expected = number(1);
  expected.pointer = "/y/0";
  EXPECT_THAT(run_it(claim({expected})).measurements[0].problem, HasSubstr("has nothing at /y/0"));
  expected.pointer = "/name";
  EXPECT_THAT(run_it(claim({expected})).measurements[0].problem,
              HasSubstr("has a string at /name, not a number"));
  expected.file = "none.json";
  EXPECT_THAT(run_it(claim({expected})).measurements[0].problem, HasSubstr("none.json does not exist"));
  auto broken = claim({number(1)});
  broken.steps = {{"printf", "oops"}};
  const auto outcome = run_it(broken);
  EXPECT_EQ(outcome.verdict, Verdict::fail);
  EXPECT_THAT(outcome.measurements[0].problem, HasSubstr("is no JSON"));
}

TEST_F(RunClaim, FilesOfTheWorkFolderAreMeasured) {
  auto with_file = claim({number(3)});
  with_file.expected[0].file = "out/r.json";
  with_file.steps = {{"mkdir", "{work}/out"}, {"/bin/sh", "-c", "printf '{\"x\":3}' > out/r.json"}};
  EXPECT_EQ(run_it(with_file).verdict, Verdict::ok);
}

TEST_F(RunClaim, FailingStepsEndItWithTheirLastWords) {
  auto failing = claim({number(1)});
  failing.steps = {{"/bin/sh", "-c", "echo no such index >&2; exit 3"},
                   {"/bin/sh", "-c", "echo reached > {work}/reached"}};
  const auto outcome = run_it(failing);
  EXPECT_EQ(outcome.verdict, Verdict::fail);
  EXPECT_THAT(outcome.problem, AllOf(HasSubstr("step 1 of 2"), HasSubstr("exit status 3: no such index")));
  EXPECT_FALSE(std::filesystem::exists(options_.work / "claim/reached"));
}

TEST_F(RunClaim, ProgramsThatDoNotExistAndSignalsAreReported) {
  auto failing = claim({number(1)});
  failing.steps = {{"no-such-program-here"}};
  EXPECT_THAT(run_it(failing).problem, HasSubstr("cannot start: No such file"));
  failing.steps = {{"/bin/sh", "-c", "kill -9 $$"}};
  EXPECT_THAT(run_it(failing).problem, HasSubstr("signal 9"));
}

TEST_F(RunClaim, TimeOutEndsAStepThatNeverFinishes) {
  auto slow = claim({number(1)});
  slow.timeout_s = 0.2;
  slow.steps = {{"/bin/sh", "-c", "tail -f /dev/null & wait"}};
  const auto outcome = run_it(slow);
  EXPECT_EQ(outcome.verdict, Verdict::fail);
  EXPECT_THAT(outcome.problem, HasSubstr("time-out"));
}

TEST_F(RunClaim, PlaceholdersAreReplaced) {
  auto places = claim({number(1)});
  places.steps = {{"{mustcite}", "-n", "{\"x\": 1, \"work\": \"{work}\"}"}};
  Expected work;
  work.name = "work";
  work.pointer = "/work";
  work.value = (options_.work / "claim").string();
  places.expected.push_back(work);
  EXPECT_EQ(run_it(places).verdict, Verdict::ok);
}

TEST_F(RunClaim, UnmetNeedsAreUnavailableAndNothingRuns) {
  auto needy = claim({number(0.52)});
  needy.needs = {Need::shared};
  auto outcome = run_it(needy);
  EXPECT_EQ(outcome.verdict, Verdict::unavailable);
  EXPECT_THAT(outcome.problem, HasSubstr("set MUSTCITE_SHARED"));
  EXPECT_THAT(render(outcome), StartsWith("[UNAVAILABLE] claim: needs the shared folder"));
  EXPECT_FALSE(std::filesystem::exists(options_.work));
  std::filesystem::create_directories(options_.shared);
  EXPECT_EQ(run_it(needy).verdict, Verdict::ok);
  needy.needs = {Need::network};
  EXPECT_EQ(run_it(needy).verdict, Verdict::unavailable);
  needy.needs = {Need::neural};
  EXPECT_EQ(run_it(needy).verdict, Verdict::unavailable);
  options_.neural = true;
  EXPECT_EQ(run_it(needy).verdict, Verdict::ok);
}

TEST_F(RunClaim, MissingAndChangedInputsFailBeforeAnyStep) {
  auto with_input = claim({number(0.52)});
  with_input.inputs = {{"data.txt", sha256_hex("right")}};
  EXPECT_THAT(run_it(with_input).problem, HasSubstr("data.txt does not exist"));
  std::ofstream(folder_ / "experiments/data.txt") << "wrong";
  const auto changed = run_it(with_input);
  EXPECT_EQ(changed.verdict, Verdict::fail);
  EXPECT_EQ(changed.steps_run, 0u);
  EXPECT_THAT(changed.problem, HasSubstr(sha256_hex("wrong")));
  std::ofstream(folder_ / "experiments/data.txt") << "right";
  EXPECT_EQ(run_it(with_input).verdict, Verdict::ok);
  std::filesystem::create_directories(options_.shared);
  std::filesystem::rename(folder_ / "experiments/data.txt", options_.shared / "data.txt");
  with_input.inputs[0].path = "$MUSTCITE_SHARED/data.txt";
  EXPECT_EQ(run_it(with_input).verdict, Verdict::ok);
}

TEST_F(RunClaim, ResumesFinishedStepsOnlyWhenAsked) {
  const auto it = claim({number(0.52)});
  EXPECT_EQ(run_it(it).steps_run, 2u);
  EXPECT_EQ(run_it(it).steps_run, 2u);
  EXPECT_EQ(io::read_file(options_.work / "claim/counter"), "once\n");  // a new folder each time
  options_.resume = true;
  const auto resumed = run_it(it);
  EXPECT_EQ(resumed.steps_run, 0u);
  EXPECT_EQ(resumed.steps_resumed, 2u);
  EXPECT_EQ(resumed.verdict, Verdict::ok);
  EXPECT_EQ(io::read_file(options_.work / "claim/counter"), "once\n");
}

TEST_F(RunClaim, ResumeRunsAgainWhatChangedAndWhatFollowsIt) {
  auto it = claim({number(0.52)});
  (void)run_it(it);
  options_.resume = true;
  it.steps[0][2] += " ";
  EXPECT_EQ(run_it(it).steps_run, 2u);
  EXPECT_EQ(io::read_file(options_.work / "claim/counter"), "once\nonce\n");
}

TEST_F(RunClaim, ForeignFoldersAreNotEmptied) {
  std::filesystem::create_directories(options_.work / "claim");
  std::ofstream(options_.work / "claim/thesis.tex") << "mine";
  EXPECT_THROW((void)run_it(claim({number(0.52)})), Error);
  EXPECT_TRUE(std::filesystem::exists(options_.work / "claim/thesis.tex"));
}

TEST_F(RunClaim, ReportsAsTextAndJson) {
  const std::vector<Outcome> outcomes{run_it(claim({number(0.52)})), run_it(claim({number(0.525, 0.01)})),
                                      run_it(claim({number(0.7)}))};
  EXPECT_EQ(render(outcomes[0]), "[OK] claim\n  [OK] x: 0.52, expected 0.52\n");
  EXPECT_EQ(render(outcomes[1]),
            "[OK within tolerance] claim\n  [OK within tolerance] x: 0.52, expected 0.525 ± 0.01\n");
  EXPECT_EQ(render(outcomes[2]), "[FAIL] claim\n  [FAIL] x: 0.52, expected 0.7\n");
  EXPECT_TRUE(any_failed(outcomes));
  EXPECT_FALSE(any_failed(std::span(outcomes).first(2)));
  const auto json = nlohmann::json::parse(render_json(outcomes));
  EXPECT_EQ(json.at("/counts/fail"_json_pointer), 1);
  EXPECT_EQ(json.at("/claims/0/values/0/measured"_json_pointer), 0.52);
}

}  // namespace
}  // namespace mustcite::reproduce
