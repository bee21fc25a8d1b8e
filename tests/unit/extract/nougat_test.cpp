#include "stages/extract/nougat/read_nougat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/extract/nougat/digit_confusion.hpp"
#include "stages/extract/nougat/failure_modes.hpp"
#include "stages/extract/nougat/markup.hpp"
#include "stages/extract/nougat/nougat_references.hpp"

namespace {

using namespace mustcite::extract;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const char* const kNames[] = {"Adams", "Brown", "Clark", "Davis", "Evans", "Frank", "Green", "Hills",
                              "Irwin", "Jones", "Klein", "Lewis", "Moore", "Nolan", "Owens", "Parker"};
const char* const kWords[] = {"alpine",  "birches",  "canyons", "deserts", "estuary", "forests",
                              "glacier", "harbour",  "islands", "jungles", "kelpbed", "lagoons",
                              "meadows", "northsea", "oceans",  "prairie"};

std::string entry_text(int i) {
  const auto at = static_cast<std::size_t>(i);
  return std::string("Ann ") + kNames[at] + ". Measuring " + kWords[at] +
         " with careful instruments. _Journal of " + kWords[at] + "_, 20" + (i < 10 ? "0" : "") +
         std::to_string(i) + ".";
}

/// A list of numbered entries, `count` of them.
std::string numbered_list(int count) {
  std::string list = "## References\n\n";
  for (int i = 0; i < count; ++i) list += "* [" + std::to_string(i + 1) + "] " + entry_text(i) + "\n";
  return list;
}

std::string paper(const std::string& body, const std::string& list) {
  return "# A Title\n\nAnn Smith\\({}^{1}\\), Bob Doe\\({}^{2}\\)\n\nUniversity of Somewhere\n\n###### "
         "Abstract\n\nWe "
         "look.\n\n## 1 Introduction\n\n" +
         body + "\n\n" + list;
}

Document read(const std::string& markup, const Document* native = nullptr) {
  return read_nougat(markup, "paper.mmd", native, {});
}

std::vector<std::string> found(const Document& document) {
  std::vector<std::string> out;
  for (const auto& mention : document.mentions) {
    std::string line = document.text.substr(mention.span.begin, mention.span.end - mention.span.begin) + ">";
    for (std::size_t i = 0; i < mention.references.size(); ++i)
      line += (i > 0 ? "," : "") + std::to_string(mention.references[i] + 1);
    out.push_back(line);
  }
  return out;
}

std::vector<ProblemKind> kinds(const Document& document, bool mended = false) {
  std::vector<ProblemKind> out;
  for (const auto& problem : document.problems) {
    if (problem.mended == mended) out.push_back(problem.kind);
  }
  return out;
}

TEST(NougatMarkup, PlainTextDropsEmphasisAndKeepsFormulas) {
  EXPECT_EQ(nougat::plain("**Bold** and _slanted_ in snake\\_case_x, \\(a_{1}*b\\) and 5\\%"),
            "Bold and slanted in snake_case_x, \\(a_{1}*b\\) and 5%");
  EXPECT_EQ(nougat::plain("See [the page](https://example.org/a) for [3](2017)."),
            "See the page for [3](2017).");
}

TEST(NougatMarkup, RaisedNumbersAreRecordedWithoutTheirFormula) {
  nougat::PlainText out;
  nougat::append_plain("as shown\\({}^{3,5-7}\\) before", out);
  EXPECT_EQ(out.text, "as shown3,5-7 before");
  ASSERT_THAT(out.raised, SizeIs(1));
  EXPECT_EQ(out.raised[0], (Span{8, 13}));
}

TEST(NougatMarkup, BlocksAreHeadingsItemsTablesAndMarks) {
  const auto blocks = nougat::read_blocks(
      "# Title\n\nTwo\nlines\n\n* item\n** [2] starred\n**bold** words\n\n\\begin{table}\n\\begin{tabular}{l "
      "c}\na & "
      "\\multicolumn{2}{c}{b} \\\\ \\hline\n\\end{tabular}\n\\end{table}\nTable 1: A "
      "table\n\n[MISSING_PAGE_FAIL:3]\n\n+++ "
      "==WARNING: Truncated because of repetitions==\nx x x\n+++\n\n\\[x=1\\] where [3] is\n");
  using Kind = nougat::Block::Kind;
  std::vector<Kind> order;
  for (const auto& block : blocks) order.push_back(block.kind);
  EXPECT_THAT(
      order, ElementsAre(Kind::heading, Kind::paragraph, Kind::item, Kind::item, Kind::table, Kind::paragraph,
                         Kind::lost_page, Kind::repetition, Kind::formula, Kind::paragraph));
  EXPECT_EQ(blocks[1].text, "Two lines");
  EXPECT_EQ(blocks[3].text, "[2] starred **bold** words");
  EXPECT_THAT(blocks[4].text, Not(HasSubstr("\\")));
  EXPECT_THAT(blocks[4].text, HasSubstr("a    b"));
  EXPECT_EQ(blocks[9].text, "where [3] is");
}

TEST(Nougat, ReadsTitleAuthorsAbstractSectionsAndMentions) {
  const Document document =
      read(paper("As in [1, 3] and [2-4], but \\(x\\in[1,2]\\) is a range.\n\n### 1.1 Data\n\nSee "
                 "[5].",
                 numbered_list(6)));
  EXPECT_EQ(document.title, "A Title");
  EXPECT_THAT(document.authors, ElementsAre("Ann Smith", "Bob Doe"));
  EXPECT_EQ(document.abstract, "We look.");
  ASSERT_THAT(document.references, SizeIs(6));
  EXPECT_EQ(document.references[2].fields.year, 2002);
  EXPECT_EQ(document.references[2].label, "3");
  EXPECT_THAT(document.references[2].surnames, ElementsAre("clark"));
  EXPECT_THAT(found(document), ElementsAre("1>1", "3>3", "2-4>2,3,4", "5>5"));
  ASSERT_THAT(document.sections, SizeIs(3));
  EXPECT_THAT(document.sections[2].path, ElementsAre("1 Introduction", "1.1 Data"));
  EXPECT_EQ(document.mentions[3].section, 2u);
  EXPECT_THAT(document.text, Not(HasSubstr("Measuring")));
}

TEST(Nougat, NamesOfNougatsOwnLabelsAreMatched) {
  const Document document = read(paper("As Adams et al. (2001a) and Brown (2002) say.",
                                       "## References\n\n* Adams et al. (2001a) Ann Adams, Bo Evans, and Cy "
                                       "Frank. 2001a. On alpine plants. In "
                                       "_Plants_.\n* Brown (2002) Bo Brown. 2002. On birches. _Trees_."));
  ASSERT_THAT(document.references, SizeIs(2));
  EXPECT_EQ(document.style, ReferenceStyle::author_year);
  EXPECT_EQ(document.references[0].year_letter, 'a');
  EXPECT_THAT(document.references[0].fields.raw, HasSubstr("Ann Adams, Bo Evans"));
  EXPECT_THAT(document.references[0].fields.raw, Not(HasSubstr("et al.")));
  EXPECT_THAT(found(document), ElementsAre("Adams et al. (2001a>1", "Brown (2002>2"));
}

TEST(NougatList, GluedEntriesArePartedAndLostLabelsInferred) {
  const std::string list = "## References\n\n* [1] " + entry_text(0) + "* [2] " + entry_text(1) + "\n* " +
                           entry_text(2) + "\n* [4] " + entry_text(3) + "\n";
  const Document document = read(paper("See [2] and [3].", list));
  ASSERT_THAT(document.references, SizeIs(4));
  EXPECT_EQ(document.references[1].label, "2");
  EXPECT_EQ(document.references[2].label, "3");
  EXPECT_THAT(found(document), ElementsAre("2>2", "3>3"));
}

TEST(NougatList, NumbersLostOverAWholePageFollowFromTheirCount) {
  std::string list = "## References\n\n";
  for (int i = 0; i < 10; ++i) {
    // Entries 4 to 7 carry names, and one of them a stray number.
    const bool named = i >= 3 && i < 7;
    const std::string label =
        i == 4 ? "[2]" : std::string(kNames[static_cast<std::size_t>(i)]) + " [200" + std::to_string(i) + "]";
    list += "* " + (named ? label : "[" + std::to_string(i + 1) + "]") + " " + entry_text(i) + "\n";
  }
  const Document document = read(paper("See [5, 7].", list));
  ASSERT_THAT(document.references, SizeIs(10));
  EXPECT_EQ(document.references[4].label, "5");
  EXPECT_THAT(found(document), ElementsAre("5>5", "7>7"));
}

TEST(NougatList, WithoutAHeadingARunOfLabelledItemsIsTheList) {
  std::string list = numbered_list(6);
  list.erase(0, list.find('*'));
  EXPECT_THAT(read(paper("See [2].", list)).references, SizeIs(6));
}

TEST(NougatFailure, AListThatSkipsManyNumbersIsLost) {
  std::string list = "## References\n\n";
  for (int i = 0; i < 14; ++i) {
    if (i >= 4 && i < 10) continue;
    list += "* [" + std::to_string(i + 1) + "] " + entry_text(i) + "\n";
  }
  const Document document = read(paper("See [1].", list));
  EXPECT_THAT(kinds(document), Contains(ProblemKind::no_references));
}

TEST(NougatFailure, TypeOneNeedsThePdfAndIsFoundByTheWordsOfTheEntries) {
  const Document native = read(paper("See [1] and [2] and [3].", numbered_list(8)));
  // The same works, counted in another order.
  std::string list = "## References\n\n";
  const int order[] = {4, 0, 1, 2, 3, 5, 6, 7};
  for (int i = 0; i < 8; ++i) list += "* [" + std::to_string(i + 1) + "] " + entry_text(order[i]) + "\n";
  const std::string body = paper("See [1] and [2] and [3].", list);
  EXPECT_THAT(kinds(read(body)), Not(Contains(ProblemKind::renumbered_references)));
  const Document compared = read(body, &native);
  EXPECT_THAT(kinds(compared), Contains(ProblemKind::renumbered_references));
  EXPECT_THAT(compared.problems.back().message, HasSubstr("5 of 8"));
  EXPECT_THAT(kinds(read(paper("See [1] and [2] and [3].", numbered_list(8)), &native)),
              Not(Contains(ProblemKind::renumbered_references)));
}

TEST(NougatFailure, TypeTwoIsMendedWhereOneReadingFits) {
  const Document document = read(paper("As in [l0, 3] and [1O] and [4].", numbered_list(12)));
  EXPECT_THAT(found(document), ElementsAre("l0>10", "3>3", "1O>10", "4>4"));
  EXPECT_DOUBLE_EQ(document.mentions[0].confidence, 0.85);
  EXPECT_THAT(kinds(document, true), Contains(ProblemKind::digit_confusion));
  EXPECT_THAT(kinds(document), Not(Contains(ProblemKind::digit_confusion)));
}

TEST(NougatFailure, TypeTwoIsToldWhereNoReadingFits) {
  const Document document = read(paper("As in [l9] and [3].", numbered_list(12)));
  EXPECT_THAT(found(document), ElementsAre("3>3"));
  EXPECT_THAT(kinds(document), Contains(ProblemKind::digit_confusion));
}

TEST(NougatFailure, VariablesAreNotTakenForDigits) {
  std::vector<ReferenceEntry> entries(12);
  for (std::size_t i = 0; i < 12; ++i) entries[i].label = std::to_string(i + 1);
  std::string text = "[l] and [0, l] and [i, S] and [2, l]";
  const std::string before = text;
  EXPECT_THAT(nougat::mend_digits(text, entries), IsEmpty());
  EXPECT_EQ(text, before);
}

std::string tagged_list(int tagged, int numbered) {
  std::string list = "## References\n\n";
  for (int i = 0; i < tagged + numbered; ++i)
    list += "* [" + (i < tagged ? "ABC" + std::to_string(10 + i) : std::to_string(i + 1)) + "] " +
            entry_text(i) + "\n";
  return list;
}

TEST(NougatFailure, TypeThreeIsMoreThanThirtyPercentTagsAgainstNumbers) {
  const std::string body = "See [1], [2], [3] and [4, 5].";
  EXPECT_THAT(kinds(read(paper(body, tagged_list(10, 0)))), Contains(ProblemKind::alpha_tag_mismatch));
  EXPECT_THAT(kinds(read(paper(body, tagged_list(4, 6)))), Contains(ProblemKind::alpha_tag_mismatch));
  EXPECT_THAT(kinds(read(paper(body, tagged_list(3, 7)))), Not(Contains(ProblemKind::alpha_tag_mismatch)));
  EXPECT_THAT(kinds(read(paper("See [ABC10], [ABC11].", tagged_list(10, 0)))),
              Not(Contains(ProblemKind::alpha_tag_mismatch)));
}

TEST(NougatFailure, TypeFourNamesThatNoEntryHasAreInvented) {
  std::string body;
  for (const char* name : {"Stein", "Stil", "Vogel", "Weber", "Xaver", "Young", "Zorn"})
    body += std::string("It holds (") + name + ", 2017). ";
  EXPECT_THAT(kinds(read(paper(body + "See [1].", numbered_list(8)))),
              Contains(ProblemKind::invented_citations));
  EXPECT_THAT(kinds(read(paper("See [1], [2] and (Stein, 2017).", numbered_list(8)))),
              Not(Contains(ProblemKind::invented_citations)));
}

TEST(NougatFailure, TypeFourLostListPagesAndRepetitionsAreTold) {
  EXPECT_THAT(kinds(read(paper("See [1].", ""))), Contains(ProblemKind::no_references));
  EXPECT_THAT(kinds(read(paper("See [1].\n\n[MISSING_PAGE_EMPTY:4]", numbered_list(5)))),
              Contains(ProblemKind::missing_pages));
  std::string loop;
  for (int i = 0; i < 40; ++i) loop += "over and ";
  EXPECT_THAT(kinds(read(paper("See [1]. " + loop, numbered_list(5)))), Contains(ProblemKind::repetition));
  EXPECT_THAT(kinds(read(paper("See [1].", numbered_list(5)))), Not(Contains(ProblemKind::repetition)));
}

TEST(NougatFailure, SectionsThatThePdfHasAndTheOutputLacksAreNamed) {
  const Document native =
      read(paper("See [1].\n\n## 2 Method\n\nWe do.\n\n## 3 Results\n\nIt works.", numbered_list(5)));
  const Document compared = read(paper("See [1].\n\n## 3 Results\n\nIt works.", numbered_list(5)), &native);
  EXPECT_THAT(kinds(compared), Contains(ProblemKind::missing_pages));
  EXPECT_THAT(compared.problems.back().message, HasSubstr("2 Method"));
}

TEST(Nougat, AnyBytesAreAccepted) {
  for (const char* bytes : {"", "\n\n", "\\(", "[", "* [", "# ", "\\begin{table}", "+++", "\xff\xfe"})
    EXPECT_THAT(read(bytes).references, IsEmpty()) << bytes;
}

}  // namespace
