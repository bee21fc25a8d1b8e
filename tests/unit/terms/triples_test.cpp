#include "engine/terms/triples.hpp"

#include <gtest/gtest.h>
#include <fstream>

#include "core/base/error.hpp"
#include "testing/temp_folder.hpp"
#include "unit/terms/small_collection.hpp"

namespace mustcite::terms {
namespace {

class Triples : public ::testing::Test {
 protected:
  std::vector<NamedTriple> read(const std::string& text) {
    std::ofstream(file_) << text;
    report_ = {};
    return read_triples(file_, report_);
  }
  testing::TempFolder folder_;
  std::filesystem::path file_ = folder_ / "graph.tsv";
  TripleReport report_;
};

TEST_F(Triples, AreReadPlainAndAsConceptNetWritesThem) {
  const auto triples = read(
      "# relation head tail weight\n"
      "RelatedTo\tdeep learning\tneural network\t1.5\n"
      "/r/IsA\t/c/en/neural_network/n/wn/cognition\t/c/en/model\t2.0\n");
  ASSERT_EQ(triples.size(), 2U);
  EXPECT_EQ(triples[1].relation, "IsA");
  EXPECT_EQ(triples[1].head, "neural network");
  EXPECT_EQ(triples[1].tail, "model");
  EXPECT_EQ(triples[1].weight, 2);
  EXPECT_EQ(report_.read, 2U);
}

TEST_F(Triples, ABadLineIsRejectedWithItsReasonAndTheOthersCount) {
  const auto triples = read(
      "RelatedTo\ta kernel\ttree\t1\n"
      "RelatedTo\tkernel\ttree\n"
      "RelatedTo\tkernel\ttree\theavy\n"
      "RelatedTo\tkernel\ttree\t-1\n"
      "RelatedTo\tkernel\ttree\tnan\n"
      "RelatedTo\t\ttree\t1\n"
      "\tkernel\ttree\t1\n"
      "/r/RelatedTo\t/c/de/baum\t/c/en/tree\t1\n");
  EXPECT_EQ(triples.size(), 1U);
  EXPECT_EQ(report_.read, 8U);
  EXPECT_EQ(report_.rejected, 6U);
  EXPECT_EQ(report_.of_other_languages, 1U);
  ASSERT_EQ(report_.ledger.size(), 6U);
  EXPECT_EQ(report_.ledger[0].line, 2U);
  EXPECT_EQ(report_.ledger[0].reason, "it has 3 fields, not 4");
  EXPECT_EQ(report_.ledger[1].reason, "the weight 'heavy' is no number");
}

TEST_F(Triples, ATermThatTheCollectionDoesNotNameIsCountedAndLeftOut) {
  const auto snapshot =
      test::SmallCollection(
          {{"Kernel machines", "kernels and trees"}, {"Trees", "kernel trees"}, {"Forests", "of trees"}})
          .open();
  const auto triples = read(
      "RelatedTo\tkernel\ttree\t1\n"
      "RelatedTo\tkernel\tteapot\t1\n"
      "IsA\tkernels\tkernel\t1\n"
      "IsA\tunicorn\tteapot\t1\n"
      "IsA\tthe\ttree\t1\n");
  GraphTopics choice;
  choice.min_documents = 2;
  const auto phrases = topics_of(triples, snapshot, choice);
  EXPECT_EQ(phrases, (std::vector<std::string>{"tree", "kernel"}));
  const Topics topics(phrases);
  const auto graph = graph_of(triples, topics, 0, report_);
  EXPECT_EQ(graph.edges(), 2U);
  EXPECT_EQ(report_.kept, 1U);
  EXPECT_EQ(report_.unknown, 3U);
  EXPECT_EQ(report_.self, 1U);
  EXPECT_EQ(report_.read,
            report_.kept + report_.unknown + report_.of_other_languages + report_.self + report_.rejected);
  EXPECT_EQ(report_.unknown_terms, 3U);
}

TEST_F(Triples, AGraphOfUnknownTermsAloneIsRefused) {
  const auto triples = read("RelatedTo\tunicorn\tteapot\t1\n");
  EXPECT_THROW(static_cast<void>(graph_of(triples, Topics({"kernel"}), 0, report_)), Error);
}

TEST_F(Triples, AMissingFileIsNamed) {
  TripleReport report;
  EXPECT_THROW(static_cast<void>(read_triples("/nonexistent/graph.tsv", report)), Error);
}

}  // namespace
}  // namespace mustcite::terms
