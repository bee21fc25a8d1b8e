#include "core/text/bibtex.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mustcite::text {
namespace {

using Names = std::vector<std::string>;

TEST(Bibtex, ReadsEntriesWithLinesBracesQuotesAndNumbers) {
  const BibFile file = parse_bibtex(R"(A remark about a@b.org.

@InProceedings{key:1,
  Title = {Deep {Nets} in
           Practice},
  author = "Ada Lovelace and Turing, Alan M.",
  year = 2020,
}
@article(other, title = {Second}, year = {1999})
)");
  ASSERT_EQ(file.entries.size(), 2U);
  EXPECT_TRUE(file.problems.empty());
  const BibEntry& first = file.entries[0];
  EXPECT_EQ(first.type, "inproceedings");
  EXPECT_EQ(first.key, "key:1");
  EXPECT_EQ(first.line, 3U);
  EXPECT_EQ(first.text("title"), "Deep Nets in Practice");
  EXPECT_EQ(first.people("author"), (Names{"Ada Lovelace", "Alan M. Turing"}));
  EXPECT_EQ(first.year(), 2020);
  EXPECT_EQ(file.entries[1].line, 9U);
  EXPECT_EQ(file.entries[1].text("title"), "Second");
}

TEST(Bibtex, JoinsPartsAndExpandsMacros) {
  const BibFile file = parse_bibtex(R"(@string{ conf = "Conference on " }
@STRING(topic = {Things})
@preamble{"\newcommand{\x}{y}"}
@comment{ @article{hidden, title={no}} }
@misc{k, booktitle = conf # topic # { } # 2020, month = jan, note = undefinedname})");
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].text("booktitle"), "Conference on Things 2020");
  EXPECT_EQ(file.entries[0].text("month"), "January");
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_NE(file.problems[0].reason.find("undefinedname"), std::string::npos);
  EXPECT_EQ(file.problems[0].line, 5U);
}

TEST(Bibtex, LosesOnlyTheBrokenEntry) {
  const BibFile file = parse_bibtex(R"(@article{open, title = {never closed,
  year = 2001
@article{good, title = {Fine}, year = 2002}
@article{nocomma, title = {One} year = 2003}
@article{empty}
@article{junk, title = {Kept}, ???}
@book{last, title = "Last"
)");
  std::vector<std::string> keys;
  for (const BibEntry& entry : file.entries) keys.push_back(entry.key);
  EXPECT_EQ(keys, (Names{"good", "nocomma", "junk", "last"}));
  EXPECT_EQ(file.entries[1].year(), 2003);
  EXPECT_EQ(std::count_if(file.problems.begin(), file.problems.end(),
                          [](const BibProblem& p) { return p.entry_lost; }),
            2);
}

TEST(Bibtex, ReadsLatin1AsWindows1252) {
  const BibFile file =
      parse_bibtex("@misc{k, author = {Sch\xF6lkopf, B.}, title = {Caf\xE9 \x93quoted\x94}}");
  EXPECT_EQ(file.repaired_bytes, 4U);
  EXPECT_EQ(file.entries.at(0).text("title"), "Café “quoted”");
  EXPECT_EQ(file.entries[0].people("author"), (Names{"B. Schölkopf"}));
}

TEST(Bibtex, DecodesLatexInTextButNotInAddresses) {
  const BibFile file =
      parse_bibtex(R"(@misc{k, title = {G{\"o}del, {\L}ukasz \& $\alpha$~sets --- 100\% \emph{sure}},
    url = {\url{http://x.org/~a_b\_c}}, doi = {10.1000/ab\_c}})");
  EXPECT_EQ(file.entries.at(0).text("title"), "Gödel, Łukasz & $\\alpha$ sets — 100% sure");
  EXPECT_EQ(file.entries[0].verbatim("url"), "http://x.org/~a_b_c");
  EXPECT_EQ(file.entries[0].verbatim("doi"), "10.1000/ab_c");
}

TEST(Bibtex, KeepsTheFirstOfTwoEqualFieldsAndSaysSo) {
  const BibFile file = parse_bibtex("@misc{k, title = {A}, TITLE = {B}}");
  EXPECT_EQ(file.entries.at(0).text("title"), "A");
  EXPECT_EQ(file.problems.size(), 1U);
}

TEST(Bibtex, ReadsTheYearOfABiblatexDate) {
  EXPECT_EQ(parse_bibtex("@online{k, date = {2021-05-03}}").entries.at(0).year(), 2021);
  EXPECT_EQ(parse_bibtex("@online{k, year = {in press}}").entries.at(0).year(), 0);
}

TEST(BibtexPeople, FollowsTheRulesForNames) {
  EXPECT_EQ(bibtex_people("Ludwig van Beethoven and van Beethoven, Ludwig"),
            (Names{"Ludwig van Beethoven", "Ludwig van Beethoven"}));
  EXPECT_EQ(bibtex_people("King, Jr., Martin Luther and others"), (Names{"Martin Luther King Jr."}));
  EXPECT_EQ(bibtex_people("{Barnes and Noble, Inc.} AND\n  Ada Lovelace"),
            (Names{"Barnes and Noble, Inc.", "Ada Lovelace"}));
  EXPECT_EQ(bibtex_people("family=Doe, given=Jane, prefix=von"), (Names{"Jane von Doe"}));
  EXPECT_EQ(bibtex_people("Anderson and and Sandy"), (Names{"Anderson", "Sandy"}));
  EXPECT_TRUE(bibtex_people("").empty());
}

TEST(Bibtex, BoundsMacrosThatExpandEachOther) {
  // Forty doublings would be 10^12 bytes.
  std::string text = "@string{a0 = {0123456789}}\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string last = "a" + std::to_string(i - 1);
    text += "@string{a" + std::to_string(i) + " = " + last + " # " + last + "}\n";
  }
  text += "@misc{k, title = a40, note = {x}}";
  const BibFile file = parse_bibtex(text);
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_LE(file.entries[0].raw("title")->size(), std::size_t{1} << 20);
  EXPECT_FALSE(file.problems.empty());
}

TEST(Bibtex, TakesLinearTimeOnHostileInput) {
  for (const char* piece :
       {"@", "@a{", "@a{b,c={", "{", "@string{", "@comment{", "@a{b,c=\"", "@a{b,\n", "#", "@a{b,c=d#"}) {
    std::string text;
    while (text.size() < 2000000) text += piece;
    EXPECT_LE(parse_bibtex(text).problems.size(), 10000U) << piece;
  }
}

}  // namespace
}  // namespace mustcite::text
