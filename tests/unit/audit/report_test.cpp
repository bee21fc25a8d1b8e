#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/audit/report.hpp"
#include "mustcite/error.hpp"

namespace mustcite::audit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Report sample() {
  Report report;
  report.title = "<script>alert(1)</script> & \"tea\"";
  report.main_file = "main.tex";
  report.ranked = true;
  report.coverage = {5, 2018, 2021, {"icml"}};
  Finding missing;
  missing.kind = FindingKind::missing;
  missing.severity = Severity::warning;
  missing.subject = "p1";
  missing.where = {"main.tex", 0};
  missing.message = "A Title";
  missing.paper.id = PaperId("p1");
  missing.paper.title = "A <b>Title</b>";
  missing.paper.authors = {"Ann Doe", "Bo Roe", "Cy Poe", "Di Moe", "Ed Loe"};
  missing.paper.venue = "icml";
  missing.paper.date.year = 2020;
  missing.paper.url = "javascript:alert(1)";
  missing.probability = {{Tier::must, 0.9}};
  missing.reasons = {"cited by 3 of your *nearest* papers\nand more"};
  missing.bibtex = "@misc{p1,\n  title = {A ``` Title}\n}\n";
  Finding undefined;
  undefined.kind = FindingKind::undefined;
  undefined.severity = Severity::error;
  undefined.subject = "a,b:c";
  undefined.where = {"part,1:x.tex", 7};
  undefined.message = "100% gone\nhere\x1b[31m";
  report.findings = {missing, undefined};
  return report;
}

TEST(Report, EscapesEverythingInHtmlAndLoadsNothing) {
  const std::string html = render(sample(), ReportFormat::html);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;tea&quot;"));
  EXPECT_THAT(html, HasSubstr("A &lt;b&gt;Title&lt;/b&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("javascript:")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("Doe, Roe, Poe and 2 others."));
}

TEST(Report, WritesJsonThatReadsBack) {
  const auto json = nlohmann::json::parse(render(sample(), ReportFormat::json));
  ASSERT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][0]["kind"], "missing");
  EXPECT_EQ(json["findings"][0]["probability"]["must"], 0.9);
  EXPECT_EQ(json["findings"][1]["line"], 7);
  EXPECT_EQ(json["coverage"]["papers"], 5);
}

// The escapes are those of GitHub's documentation: %25, %0D, %0A in messages, and %3A, %2C in properties.
TEST(Report, WritesGithubWorkflowCommands) {
  const std::string text = render(sample(), ReportFormat::github);
  EXPECT_THAT(text, HasSubstr("::warning file=main.tex,title=mustcite missing::Doe, Roe, Poe and 2 others. A <b>Title</b>. icml, 2020%0Acited by"));
  EXPECT_THAT(text, HasSubstr("::error file=part%2C1%3Ax.tex,line=7,title=mustcite undefined::100%25 gone%0Ahere[31m\n"));
}

TEST(Report, WritesMarkdownInWhichTextStaysText) {
  const std::string text = render(sample(), ReportFormat::markdown);
  EXPECT_THAT(text, HasSubstr("# Audit of \\<script\\>"));
  EXPECT_THAT(text, HasSubstr("\\*nearest\\*"));
  EXPECT_THAT(text, HasSubstr("````bibtex\n"));
}

TEST(Report, KeepsEscapeSequencesFromTheTerminal) {
  const std::string text = render(sample(), ReportFormat::terminal);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, AllOf(HasSubstr("Missing (1)"), HasSubstr("part,1:x.tex:7")));
}

TEST(Report, SaysSoWhenThereIsNothingToReport) {
  for (const auto format : {ReportFormat::terminal, ReportFormat::markdown, ReportFormat::html}) {
    EXPECT_THAT(render(Report{}, format), HasSubstr("Nothing to report."));
  }
  EXPECT_EQ(render(Report{}, ReportFormat::github), "");
}

TEST(Gate, FailsFromItsNumberOn) {
  EXPECT_THAT(failed_gates(sample(), parse_gates("missing:1")), ElementsAre(HasSubstr("1 findings of kind missing")));
  EXPECT_THAT(failed_gates(sample(), parse_gates("missing:2")), IsEmpty());
  EXPECT_THAT(failed_gates(sample(), parse_gates("missing:2,undefined")), ElementsAre(HasSubstr("undefined")));
}

TEST(Gate, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"", "nonsense:1", "missing:", "missing:0", "missing:-1", "missing:x", "missing:1,,"}) {
    try {
      (void)parse_gates(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    }
  }
  EXPECT_THROW((void)parse_report_format("pdf"), Error);
}

}  // namespace
}  // namespace mustcite::audit
