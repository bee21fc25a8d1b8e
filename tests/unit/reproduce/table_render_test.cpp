// The five forms of a table.
#include <nlohmann/json.hpp>

#include "apps/reproduce/tables/plot.hpp"
#include "table_fixture.hpp"
#include "testing/error_code.hpp"

namespace mustcite::reproduce {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TableText : public TableFixture {
 protected:
  TableReport report(const std::string& more = "") {
    return make(
        table(method("bm25", "label = \"A&B_100%\"") + method("other", "label = \"<other>\"") + more));
  }
};

TEST_F(TableText, MarkdownHasARowForEachMethodWithTheBestInBold) {
  const std::string shown = text(report(), TableFormat::markdown);
  EXPECT_THAT(shown, HasSubstr("| method | MAP | MRR | R@1 | HR@1 |\n|---|---:|---:|---:|---:|\n| A&B_100% | "
                               "**1.0000** ±0.0000 |"));
  EXPECT_THAT(shown, HasSubstr("| \\<other> | 0.4167 ±"));
  EXPECT_THAT(shown, HasSubstr("pool of 100 papers of 2000-2021, 7 citations as evidence"));
  EXPECT_THAT(shown, HasSubstr("Queries: 3 of the split dev, papers of 2022, all venues"));
}

TEST_F(TableText, TheTerminalsColumnsStandBelowEachOther) {
  std::istringstream lines(text(report(), TableFormat::terminal));
  std::vector<std::string> grid;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Type III")) inside = true;
    if (line.empty()) inside = false;
    if (inside) grid.push_back(line);
  }
  ASSERT_EQ(grid.size(), 6U);  // title, header, two rows of two lines
  EXPECT_EQ(grid[1].find("MAP") + 3, grid[2].find("1.0000") + 6);
}

TEST_F(TableText, LatexIsADocumentWithNothingUnescaped) {
  const std::string shown = text(report(), TableFormat::latex);
  EXPECT_TRUE(shown.starts_with("\\documentclass"));
  EXPECT_THAT(shown, HasSubstr("\\usepackage{booktabs}"));
  EXPECT_THAT(shown, HasSubstr("A\\&B\\_100\\%"));
  EXPECT_THAT(shown, HasSubstr("\\textless{}other\\textgreater{}"));
  EXPECT_TRUE(
      std::all_of(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  std::map<std::string, int> open;
  for (std::size_t at = shown.find('{'); at != std::string::npos; at = shown.find('{', at + 1)) ++open["{"];
  for (std::size_t at = shown.find('}'); at != std::string::npos; at = shown.find('}', at + 1)) ++open["}"];
  EXPECT_EQ(open["{"], open["}"]);
}

TEST_F(TableText, ThePageIsSelfContainedAndEscaped) {
  const std::string shown = text(report(), TableFormat::html);
  EXPECT_THAT(shown, HasSubstr("<meta name=\"viewport\""));
  EXPECT_THAT(shown, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(shown, HasSubstr("&lt;other&gt;"));
  EXPECT_THAT(shown, HasSubstr("<polyline"));
  for (const char* outside : {"<script", "http://", "https://", "<other>", "url(", "@import", "src="})
    EXPECT_THAT(shown, Not(HasSubstr(outside)));
}

TEST_F(TableText, JsonHasEveryDigit) {
  const auto json = nlohmann::json::parse(text(report(), TableFormat::json));
  EXPECT_EQ(json["collection"]["papers"], 100);
  EXPECT_EQ(json["tiers"][0]["values"]["other"]["MAP"]["mean"].get<double>(), 1.25 / 3);
  EXPECT_EQ(json["tiers"][0]["values"]["other"]["MAP"]["interval"].size(), 2U);
  EXPECT_TRUE(json["tiers"][0]["values"]["other"]["MAP"].contains("p_holm"));
  EXPECT_EQ(json["tiers"][0]["curves"]["bm25"]["Recall@2"]["mean"].get<double>(), 1);
}

TEST_F(TableText, FormatsHaveNames) {
  EXPECT_EQ(parse_table_format("md"), TableFormat::markdown);
  EXPECT_EQ(testing::code_of([] { static_cast<void>(parse_table_format("pdf")); }), ErrorCode::usage);
}

TEST(Plot, AValueStandsWhereItsAxisSaysIt) {
  // Axis to 0.5: 0.25 is in the middle between y 216 (0) and y 28 (0.5); K 10 between 1 and 100 on a log
  // scale.
  const std::string svg = curve_svg("t", {1, 10, 100}, {{"m", 0, {0, 0.25, 0.5}}});
  EXPECT_THAT(svg, HasSubstr("points=\"38.0,216.0 190.0,122.0 342.0,28.0\""));
  EXPECT_THAT(svg, HasSubstr("<title>m: 1: 0.000 10: 0.250 100: 0.500</title>"));
}

TEST(Plot, AllZeroAndOneKAreDrawn) {
  EXPECT_THAT(curve_svg("t", {10}, {{"m", 0, {0}}}), Not(HasSubstr("nan")));
  EXPECT_THAT(dots_svg("t", {"a"}, {{"m", {PlotDot{0, 0, 0}}}, {"n", {std::nullopt}}}),
              Not(HasSubstr("nan")));
}

TEST(Plot, StylesRepeatInColourButNotInDashes) {
  EXPECT_NE(swatch_svg(0), swatch_svg(8));
  EXPECT_NE(swatch_svg(8), swatch_svg(16));
}

}  // namespace
}  // namespace mustcite::reproduce
