#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "apps/reproduce/reproduce.hpp"
#include "apps/reproduce/substitution.hpp"
#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::reproduce {
namespace {

using ::testing::HasSubstr;

const std::string kDigest(64, 'a');

class ClaimFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string refusal(const std::string& text) {
    try {
      (void)load(write("claim.toml", text));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input);
      return error.what();
    }
    return "accepted";
  }

  testing::TempFolder folder_;
};

const std::string kSteps = "statement = \"it prints\"\nsteps = [[\"printf\", \"{}\"]]\n";
const std::string kExpected = "[[expected]]\nname = \"x\"\npointer = \"/x\"\nvalue = 1\n";

TEST_F(ClaimFile, IsReadWithAllItsKeys) {
  const auto claim = load(write("bm25-dev.toml", R"(
name = "bm25-dev"
statement = "BM25 finds half"
needs = ["shared", "network"]
timeout_s = 90
steps = [["{mustcite}", "import", "{shared}/pool"], ["{mustcite}", "evaluate"]]
[[inputs]]
path = "$MUSTCITE_SHARED/pool"
sha256 = ")" + kDigest + R"("
[[expected]]
name = "Recall@100"
pointer = "/tables/0/recall"
value = 0.52
absolute = 0.001
[[expected]]
name = "method"
file = "out.json"
pointer = "/method"
value = "bm25"
[[expected]]
name = "queries"
pointer = "/n"
min = 500
max = 600
)"));
  EXPECT_EQ(claim.name, "bm25-dev");
  EXPECT_EQ(claim.needs, (std::vector<Need>{Need::shared, Need::network}));
  EXPECT_EQ(claim.timeout_s, 90);
  ASSERT_EQ(claim.steps.size(), 2u);
  EXPECT_EQ(claim.steps[0][2], "{shared}/pool");
  ASSERT_EQ(claim.expected.size(), 3u);
  EXPECT_EQ(std::get<double>(*claim.expected[0].value), 0.52);
  EXPECT_EQ(std::get<std::string>(*claim.expected[1].value), "bm25");
  EXPECT_EQ(claim.expected[2].min, 500.0);
}

TEST_F(ClaimFile, UnknownKeysAreRefusedWithTheNearestName) {
  EXPECT_THAT(refusal("statment = \"x\"\n" + kSteps + kExpected),
              AllOf(HasSubstr("'statment'"), HasSubstr("did you mean 'statement'?"), HasSubstr(".toml:1")));
  EXPECT_THAT(refusal(kSteps + kExpected + "absolut = 1\n"), HasSubstr("did you mean 'absolute'?"));
  EXPECT_THAT(refusal(kSteps + kExpected + "[[inputs]]\npath = \"a\"\nsha265 = \"b\"\n"),
              HasSubstr("did you mean 'sha256'?"));
}

TEST_F(ClaimFile, BrokenTomlIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("a = 1\nb = = 2\n"), HasSubstr("claim.toml:2"));
}

TEST_F(ClaimFile, WhatCannotBeJudgedIsRefused) {
  EXPECT_THAT(refusal(kSteps), HasSubstr("'expected' is missing"));
  EXPECT_THAT(refusal("statement = \"x\"\n" + kExpected), HasSubstr("'steps' is missing"));
  EXPECT_THAT(refusal("statement = \"x\"\nsteps = []\n" + kExpected), HasSubstr("'steps' is empty"));
  EXPECT_THAT(refusal("statement = \"x\"\nsteps = [\"printf\"]\n" + kExpected), HasSubstr("a list of words"));
  EXPECT_THAT(refusal("statement = \"x\"\nsteps = [[\"printf\", 3]]\n" + kExpected),
              HasSubstr("numbers in quotes"));
  EXPECT_THAT(refusal(kSteps + "[[expected]]\nname = \"x\"\npointer = \"/x\"\n"),
              HasSubstr("neither value nor min"));
  EXPECT_THAT(refusal(kSteps + "[[expected]]\nname = \"x\"\npointer = \"x\"\nvalue = 1\n"),
              HasSubstr("begin with '/'"));
  EXPECT_THAT(refusal(kSteps + kExpected + "absolute = -1\n"), HasSubstr("must be above 0"));
  EXPECT_THAT(refusal(kSteps + kExpected + "min = 3\nmax = 2\n"), HasSubstr("min is above max"));
  EXPECT_THAT(refusal(kSteps + kExpected + "file = \"../x\"\n"), HasSubstr("in the work folder"));
  EXPECT_THAT(refusal(kSteps + "[[expected]]\nname = \"x\"\npointer = \"/x\"\nvalue = nan\n"),
              HasSubstr("finite"));
  EXPECT_THAT(
      refusal(kSteps + "[[expected]]\nname = \"x\"\npointer = \"/x\"\nvalue = \"a\"\nrelative = 0.1\n"),
      HasSubstr("needs a number"));
}

TEST_F(ClaimFile, InputsNeedADigest) {
  EXPECT_THAT(refusal(kSteps + kExpected + "[[inputs]]\npath = \"a\"\n"), HasSubstr("'sha256' is missing"));
  EXPECT_THAT(refusal(kSteps + kExpected + "[[inputs]]\npath = \"a\"\nsha256 = \"12\"\n"),
              HasSubstr("64 hexadecimal"));
}

TEST_F(ClaimFile, UsingTheSharedFolderMustBeSaid) {
  EXPECT_THAT(refusal("statement = \"x\"\nsteps = [[\"cat\", \"{shared}/a\"]]\n" + kExpected),
              HasSubstr("needs = [\"shared\"]"));
  EXPECT_THAT(refusal("needs = [\"moon\"]\n" + kSteps + kExpected),
              HasSubstr("'moon' is nothing a claim can need"));
}

TEST_F(ClaimFile, UnknownPlaceholdersAreRefusedAndOtherBracesKept) {
  EXPECT_THAT(refusal("statement = \"x\"\nsteps = [[\"cat\", \"{wrok}\"]]\n" + kExpected),
              HasSubstr("{wrok} stands for"));
  const Places places{"/bin/mustcite", "/w", "/s", "/src"};
  EXPECT_EQ(substitute("{work}/a{source}", places.words()), "/w/a/src");
  EXPECT_EQ(substitute("{\"work\": {}}", places.words()), "{\"work\": {}}");
  EXPECT_EQ(substitute("{{mustcite}", places.words()), "{/bin/mustcite");
  EXPECT_EQ(unknown_placeholder("{\"a\": {B}, {}}", Places{}.words()), std::nullopt);
}

TEST_F(ClaimFile, TheNameMustBeTheFilesName) {
  EXPECT_THAT(refusal("name = \"other\"\n" + kSteps + kExpected), HasSubstr("make them the same"));
}

TEST_F(ClaimFile, FoldersAreListedByNameAndUnknownClaimsRefused) {
  write("b-two.toml", kSteps + kExpected);
  write("a-one.toml", "needs = [\"neural\"]\n" + kSteps + kExpected);
  write("README.md", "no claim");
  const auto claims = list(folder_.path());
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].name, "a-one");
  EXPECT_EQ(render_list(claims, ListFormat::terminal), "a-one  it prints (needs neural)\nb-two  it prints\n");
  EXPECT_THAT(render_list(claims, ListFormat::json), HasSubstr("\"claim\": \"b-two\""));
  EXPECT_EQ(find(claims, "b-two").name, "b-two");
  try {
    (void)find(claims, "b-tow");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'b-two'?"));
  }
}

TEST_F(ClaimFile, FoldersWithoutClaimsAreRefused) {
  EXPECT_THROW((void)list(folder_.path()), Error);
  EXPECT_THROW((void)list(folder_ / "none"), Error);
}

}  // namespace
}  // namespace mustcite::reproduce
