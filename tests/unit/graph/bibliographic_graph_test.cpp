#include "engine/graph/bibliographic_graph.hpp"

#include <gtest/gtest.h>

#include "core/io/file.hpp"
#include "engine/snapshot/snapshot.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::graph {
namespace {

class Papers : public snapshot::Source {
 public:
  explicit Papers(std::vector<Paper> papers) : papers_(std::move(papers)) {}
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const Paper& paper : papers_) visit(paper);
  }
  void each_citation(const std::function<void(const Citation&)>&) const override {}

 private:
  std::vector<Paper> papers_;
};

Paper paper(const std::string& id, int year, const std::string& title, const std::string& abstract) {
  Paper paper;
  paper.id = PaperId(id);
  paper.title = title;
  paper.abstract = abstract;
  paper.date = Date{year, 0, 0};
  return paper;
}

/// Four papers of 2019 about graph neural networks, three of 2020 about topic models, one of 2021.
std::vector<Paper> library() {
  std::vector<Paper> papers;
  for (int i = 0; i < 4; ++i)
    papers.push_back(paper("a" + std::to_string(i), 2019,
                           "Graph neural networks for case " + std::to_string(i), "We learn on molecules."));
  for (int i = 0; i < 3; ++i)
    papers.push_back(paper("b" + std::to_string(i), 2020, "A topic model of the 42 things",
                           "Topic models and graph neural networks."));
  papers.push_back(paper("c", 2021, "Sparse routing", "Sparse routing again."));
  return papers;
}

class KeywordTest : public ::testing::Test {
 protected:
  KeywordTest() {
    SilentProgress progress;
    snapshot::build(Papers(library()), folder_.path(), progress);
    snapshot_ = std::make_unique<snapshot::Snapshot>(snapshot::Snapshot::open(folder_.path()));
    options_.min_titles = 3;
    options_.max_share = 1;
  }
  static std::vector<std::string> phrases(const Keywords& keywords, const std::vector<std::uint32_t>& ids) {
    std::vector<std::string> all;
    for (const auto id : ids) all.push_back(keywords.phrase(id));
    std::sort(all.begin(), all.end());
    return all;
  }

  testing::TempFolder folder_;
  std::unique_ptr<snapshot::Snapshot> snapshot_;
  KeywordOptions options_;
};

TEST_F(KeywordTest, TheLongestPhraseOfEnoughTitlesCounts) {
  const auto keywords = Keywords::mine(*snapshot_, 8, options_);
  EXPECT_EQ(phrases(keywords, keywords.of("Graph neural networks", "A topic model, and networks")),
            (std::vector<std::string>{"graph neural networks", "topic model"}));
  // Stop words, numbers and phrases of one title are none.
  EXPECT_TRUE(keywords.of("of the 42 sparse routing", "").empty());
}

TEST_F(KeywordTest, FrequenciesAreThoseOfWholeTexts) {
  const auto keywords = Keywords::mine(*snapshot_, 8, options_);
  for (std::uint32_t id = 0; id < keywords.size(); ++id) {
    if (keywords.phrase(id) == "graph neural networks") EXPECT_EQ(keywords.documents_with(id), 7U);
    if (keywords.phrase(id) == "topic model") EXPECT_EQ(keywords.documents_with(id), 3U);
  }
}

TEST_F(KeywordTest, NothingNewerIsMined) {
  const auto keywords = Keywords::mine(*snapshot_, 4, options_);
  EXPECT_TRUE(keywords.of("A topic model", "").empty());
  EXPECT_EQ(keywords.of("Graph neural networks", "").size(), 1U);
}

TEST_F(KeywordTest, NoDocumentsGiveNoKeywordsAndAGraphWithoutThem) {
  const auto none = Keywords::mine(*snapshot_, 0, options_);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_TRUE(none.of("Graph neural networks", "anything").empty());
  const CitationGraph citations(*snapshot_);
  const BibliographicGraph graph(*snapshot_, citations, none);
  EXPECT_EQ(graph.nodes(), 8U);  // no author and no venue is known either
  EXPECT_TRUE(graph.about(0).empty());
}

TEST_F(KeywordTest, AFileGivesBackTheSame) {
  options_.per_text = 1;
  const auto keywords = Keywords::mine(*snapshot_, 8, options_);
  keywords.write(folder_ / "keywords.tsv");
  const auto again = Keywords::read(folder_ / "keywords.tsv");
  ASSERT_EQ(again.size(), keywords.size());
  const std::string text = "graph neural networks and a topic model";
  EXPECT_EQ(again.of(text, ""), keywords.of(text, ""));
  EXPECT_EQ(again.of(text, "").size(), 1U);
}

TEST_F(KeywordTest, RefusesABrokenFile) {
  for (const char* text :
       {"", "three documents\n", "8 documents, 5 keywords a text\nno tab\n",
        "8 documents, 5 keywords a text\nx\tmany\n", "8 documents, 5 keywords a text\nx\t1\nx\t2\n"}) {
    io::write_file_atomically(folder_ / "keywords.tsv", text);
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(Keywords::read(folder_ / "keywords.tsv")); }),
              ErrorCode::corrupt)
        << text;
  }
}

TEST(BibliographicGraph, JoinsPapersByAuthorVenueAndKeyword) {
  const CitationGraph citations(3, {}, {});
  const BibliographicGraph graph(
      {{{"José Díaz", "Ann A"}, "icml", {1}}, {{"Jose Diaz"}, "ICML", {0, 1}}, {{"", "?"}, "", {}}},
      citations, 2);
  EXPECT_EQ(graph.authors(), 3U);  // a name without letters is still a name; an empty one is not
  EXPECT_EQ(graph.venues(), 1U);
  EXPECT_EQ(graph.keywords(), 2U);
  const auto author = *graph.author_node("jose diaz");
  EXPECT_EQ(graph.kind(author), NodeKind::author);
  EXPECT_EQ(graph.papers_of(author, 3).size(), 2U);
  EXPECT_EQ(graph.papers_of(author, 1).size(), 1U);
  EXPECT_EQ(graph.papers_of(graph.keyword_node(1), 3).size(), 2U);
  EXPECT_EQ(graph.kind(*graph.venue_node("Icml")), NodeKind::venue);
  EXPECT_EQ(graph.about(0).size(), 4U);
  EXPECT_FALSE(graph.venue_node("acl"));
}

TEST(BibliographicGraph, CitationsCountBothWaysAsOfADateAndNeverToItself) {
  // Paper 2 cites 0 and itself (2020), paper 3 cites 2 (2021).
  const CitationGraph citations(
      4, {DocId{2}, DocId{3}},
      {{0, DocId{0}, 2020, 1, 0}, {0, DocId{2}, 2020, 1, 0}, {1, DocId{2}, 2021, 1, 0}});
  const BibliographicGraph graph(std::vector<BibliographicGraph::Record>(4), citations, 0);
  const auto neighbours = [&](std::uint32_t paper, std::uint32_t documents, std::uint32_t edges) {
    std::vector<std::uint32_t> found;
    graph.citation_neighbours(paper, documents, edges, found);
    return found;
  };
  EXPECT_EQ(neighbours(2, 4, 3), (std::vector<std::uint32_t>{3, 0}));
  EXPECT_EQ(neighbours(2, 4, 2), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(neighbours(2, 3, 3), (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(neighbours(1, 4, 3).empty());
}

TEST(BibliographicGraph, RefusesRecordsThatDoNotFit) {
  const CitationGraph citations(2, {}, {});
  using Records = std::vector<BibliographicGraph::Record>;
  EXPECT_EQ(testing::code_of([&] { BibliographicGraph(Records(3), citations, 0); }),
            ErrorCode::invalid_input);
  EXPECT_EQ(testing::code_of([&] {
              BibliographicGraph(Records{{{}, "", {5}}, {}}, citations, 2);
            }),
            ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::graph
