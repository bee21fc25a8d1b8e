#include "core/text/bar_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mustcite::text {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BarChart, CountsStandInFullAndTheHighestBarFillsTheHeight) {
  const auto svg = bar_chart_svg("Labels", {{"0", 28775}, {"1", 7633}}, 1);
  EXPECT_THAT(svg, HasSubstr(">28775</text>"));
  EXPECT_THAT(svg, HasSubstr(">7633</text>"));
  EXPECT_THAT(svg, HasSubstr("height=\"180.0\" fill"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_EQ(svg, bar_chart_svg("Labels", {{"0", 28775}, {"1", 7633}}, 1));
}

TEST(BarChart, IsWideEnoughForItsTitleAndCutsLongNames) {
  // 48 letters of 7.6 and a margin of 32 on both sides.
  EXPECT_THAT(bar_chart_svg(std::string(48, 'x'), {{"a", 1}}), HasSubstr("width=\"429\""));
  const auto svg = bar_chart_svg("Venues", {{"proceedings of the tenth meeting", 1}, {"plain <b>", 0}});
  EXPECT_THAT(svg, HasSubstr(">proceedings o\xE2\x80\xA6<"));
  EXPECT_THAT(svg, Not(HasSubstr("tenth")));
  EXPECT_THAT(svg, HasSubstr("plain &lt;b&gt;"));
  // A letter of several bytes is kept whole or left out.
  EXPECT_THAT(bar_chart_svg("V", {{"abcdefghijkl\xC3\xA9xyz", 1}}), HasSubstr(">abcdefghijkl\xE2\x80\xA6<"));
}

TEST(BarChart, HasNoBarForNothing) {
  EXPECT_THAT(bar_chart_svg("Empty", {{"a", 0}}), HasSubstr("height=\"0.0\" fill"));
  EXPECT_THAT(bar_chart_svg("Empty", {}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace mustcite::text
