#include "core/schema/bibtex.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace mustcite {
namespace {

Paper paper_of(const std::string& title, std::vector<std::string> authors, int year,
               const std::string& venue = "") {
  Paper paper;
  paper.id = PaperId("p");
  paper.title = title;
  paper.authors = std::move(authors);
  paper.date.year = year;
  paper.venue = venue;
  return paper;
}

TEST(ToBibtex, WritesAnEntryReadyToPaste) {
  Paper paper =
      paper_of("The BERT & $\\alpha$ Way: 100% of it", {"Ada van der Berg", "Bo Łuk"}, 2019, "neurips");
  paper.url = "https://x.org/a_b";
  EXPECT_EQ(to_bibtex(paper),
            "@inproceedings{vanderberg2019bert,\n"
            "  title = {The {BERT} \\& $\\alpha$ Way: 100\\% of it},\n"
            "  author = {Ada van der Berg and Bo Łuk},\n"
            "  booktitle = {Advances in Neural Information Processing Systems},\n"
            "  year = {2019},\n"
            "  url = {https://x.org/a_b},\n"
            "}\n");
}

TEST(ToBibtex, TellsEqualKeysApart) {
  const std::vector<Paper> papers{paper_of("Deep Nets", {"A Li"}, 2020),
                                  paper_of("Deep Sets", {"B Li"}, 2020), paper_of("Other", {"C Wu"}, 2021)};
  const text::BibFile file = text::parse_bibtex(to_bibtex(papers));
  ASSERT_EQ(file.entries.size(), 3U);
  EXPECT_EQ(file.entries[0].key, "li2020deepa");
  EXPECT_EQ(file.entries[1].key, "li2020deepb");
  EXPECT_EQ(file.entries[2].key, "wu2021other");
}

TEST(ToBibtex, NeverLacksAKey) {
  EXPECT_EQ(bibtex_key(paper_of("深度", {}, 0)), "paper");
}

TEST(ToBibtex, IsReadBackByOurParserWithTheSameTitle) {
  EXPECT_TRUE(rc::check([] {
    const auto word = rc::gen::element<std::string>("Deep", "BERT", "&", "100%", "a_b", "#1", "{", "}", "~x",
                                                    "c^2", "é", "C++", "\"q\"", "$5", "@x", "B{C}");
    const auto words = *rc::gen::container<std::vector<std::string>>(word);
    std::string title = "T";
    for (const std::string& part : words) title += " " + part;
    const text::BibFile file = text::parse_bibtex(to_bibtex(paper_of(title, {"A B"}, 2020)));
    RC_ASSERT(file.entries.size() == 1U);
    RC_ASSERT(file.problems.empty());
    RC_ASSERT(file.entries[0].year() == 2020);
  }));
  for (const std::string title : {"ResNet & co: 5% {0, 1} a_b", "On $O(n^{2})$ Bounds", "C# ~ ^"}) {
    EXPECT_EQ(text::parse_bibtex(to_bibtex(paper_of(title, {}, 0))).entries.at(0).text("title"), title);
  }
}

TEST(ReferenceFromBibtex, FindsArxivIdsAndDois) {
  const text::BibFile file = text::parse_bibtex(R"(
@article{a, title = {{X}.}, journal = {arXiv preprint arXiv:1706.03762v5}, doi = {https://doi.org/10.1000/ABC}}
@misc{b, title = {Y}, eprint = {2001.00001}, archivePrefix = {arXiv}, booktitle = {Proc.}}
@misc{c, title = {Z}, url = {http://arxiv.org/pdf/1412.6980.pdf}}
)");
  EXPECT_EQ(reference_from_bibtex(file.entries.at(0)).arxiv_id, "1706.03762v5");
  EXPECT_EQ(reference_from_bibtex(file.entries[0]).doi, "10.1000/abc");
  EXPECT_EQ(reference_from_bibtex(file.entries[0]).title, "X");
  EXPECT_EQ(reference_from_bibtex(file.entries.at(1)).arxiv_id, "2001.00001");
  EXPECT_EQ(reference_from_bibtex(file.entries[1]).venue, "Proc.");
  EXPECT_EQ(reference_from_bibtex(file.entries.at(2)).arxiv_id, "1412.6980");
}

}  // namespace
}  // namespace mustcite
