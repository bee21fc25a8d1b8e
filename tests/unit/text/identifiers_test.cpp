#include "core/text/identifiers.hpp"

#include <gtest/gtest.h>

#include "core/text/html_escape.hpp"
#include "core/text/printed_years.hpp"

namespace mustcite::text {
namespace {

TEST(FindArxivId, FindsNewAndOldIdsWhereverTheWordLeads) {
  EXPECT_EQ(find_arxiv_id("arXiv preprint arXiv:1706.03762v5 [cs.CL]"), "1706.03762");
  EXPECT_EQ(find_arxiv_id("https://arxiv.org/abs/cs/0112017"), "cs/0112017");
  EXPECT_EQ(find_arxiv_id("arXiv:math.CO/0112017"), "math.co/0112017");
  EXPECT_EQ(find_arxiv_id("CoRR, abs/1412.6980"), "1412.6980");
  EXPECT_EQ(find_arxiv_id("https://arxiv.org/pdf/1412.6980.pdf"), "1412.6980");
}

TEST(FindArxivId, TakesNoBareNumbersAndNoMonthsThatDoNotExist) {
  EXPECT_EQ(find_arxiv_id("pages 1706.03762"), "");
  EXPECT_EQ(find_arxiv_id("arXiv:1799.03762"), "");
  EXPECT_EQ(find_arxiv_id("arXiv paper 11706.03762"), "");
}

TEST(FindDoi, EndsAtTheMarksThatCloseIt) {
  EXPECT_EQ(find_doi("see https://doi.org/10.1145/3292500.3330701."), "10.1145/3292500.3330701");
  EXPECT_EQ(find_doi("(doi:10.1000/ABC.1)"), "10.1000/abc.1");
  EXPECT_EQ(find_doi("10.1000/one, and more"), "10.1000/one");
  EXPECT_EQ(find_doi("\\url{https://doi.org/10.1000/a\\_b}"), "10.1000/a_b");
  EXPECT_EQ(find_doi("10.1016/0191-491X(95)00015-M."), "10.1016/0191-491x(95)00015-m");
  EXPECT_EQ(find_doi("10.1000/stem“quoted”"), "10.1000/stem");
}

TEST(FindDoi, TakesNoVersionsAndNoDecimals) {
  EXPECT_EQ(find_doi("version 3.10.1000/abc"), "");
  EXPECT_EQ(find_doi("10.12/abc"), "");
  EXPECT_EQ(find_doi("10.1000"), "");
}

TEST(FindUrl, LeavesOutClosingMarks) {
  EXPECT_EQ(find_url("Available at (http://a.example/b_c/)."), "http://a.example/b_c/");
  EXPECT_EQ(find_url("www.a.example, 2010"), "www.a.example");
  EXPECT_EQ(find_url("no address"), "");
}

TEST(PlainIdentifiers, MeetInOneForm) {
  for (const char* doi : {"10.1000/AbC", "https://doi.org/10.1000/abc", "http://dx.doi.org/10.1000/abc",
                          "doi:10.1000/abc.", "https://www.doi.org/10.1000/abc"})
    EXPECT_EQ(plain_doi(doi), "10.1000/abc") << doi;
  for (const char* id : {"1706.03762", "arXiv:1706.03762v5", "https://arxiv.org/abs/1706.03762v2",
                         "http://www.arxiv.org/pdf/1706.03762", "https://arxiv.org/pdf/1706.03762v1.pdf"})
    EXPECT_EQ(plain_arxiv_id(id), "1706.03762") << id;
  EXPECT_EQ(plain_arxiv_id("hep-th/9901001v2"), "hep-th/9901001");
}

TEST(PrintedYears, TakesYearsAndLettersButNoPagesIdsOrDecimals) {
  const auto years = printed_years(
      "Doe, J. 2010a. A paper. Journal 12:1998-2010, arXiv:1901.02345, doi 10.1/2003.04, pp. 2001–2009, "
      "2011.");
  ASSERT_EQ(years.size(), 2u);
  EXPECT_EQ(years[0].year, 2010);
  EXPECT_EQ(years[0].letter, 'a');
  EXPECT_EQ(years[1].year, 2011);
}

TEST(PrintedYears, TheLastOneCountsWhereOneIsAskedFor) {
  EXPECT_EQ(last_printed_year("arXiv:1907.11692, pp. 1990-1999, 2019"), 2019);
  EXPECT_EQ(last_printed_year("Presented in 1899, printed in 1901"), 1901);
  EXPECT_EQ(last_printed_year("Presented in 1899"), 0);
  EXPECT_EQ(last_printed_year("no year, 12345"), 0);
}

TEST(EscapeHtml, LeavesNothingThatAPageCouldRead) {
  EXPECT_EQ(escape_html("<a href=\"x\">R&D's</a>"), "&lt;a href=&quot;x&quot;&gt;R&amp;D&#39;s&lt;/a&gt;");
  EXPECT_EQ(escape_html(std::string_view("a\x01\tb\0c\x7f\n", 8)), "a bc\n");
  EXPECT_EQ(escape_html("caf\xc3\xa9 \xff"), "caf\xc3\xa9 \xef\xbf\xbd");
}

}  // namespace
}  // namespace mustcite::text
