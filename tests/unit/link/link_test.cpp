#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stages/link/link.hpp"
#include "stages/link/similarity.hpp"
#include "stages/link/venue.hpp"

namespace mustcite::link {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Paper paper(const std::string& id, const std::string& title, std::vector<std::string> authors, int year, const std::string& venue = "") {
  Paper result;
  result.id = PaperId(id);
  result.title = title;
  result.authors = std::move(authors);
  result.date.year = year;
  result.venue = venue;
  return result;
}

Reference reference(const std::string& title, std::vector<std::string> authors, int year, const std::string& venue = "") {
  Reference result;
  result.title = title;
  result.authors = std::move(authors);
  result.year = year;
  result.venue = venue;
  return result;
}

LinkIndex small_catalog() {
  LinkIndexBuilder builder;
  builder.add(paper("attn", "Attention Is All You Need", {"Ashish Vaswani", "Noam Shazeer", "Niki Parmar"}, 2017, "neurips"));
  builder.add(paper("gpt2", "Language Models of Size GPT-2 for Tea Tasting Robots", {"Ann Doe"}, 2019, "acl"));
  builder.add(paper("gpt3", "Language Models of Size GPT-3 for Tea Tasting Robots", {"Ann Doe"}, 2020, "acl"));
  builder.add(paper("deep-a", "Deep Learning", {"Yann LeCun", "Yoshua Bengio"}, 2015));
  builder.add(paper("deep-b", "Deep Learning", {"Ian Goodfellow"}, 2016));
  builder.add(paper("tune-arxiv", "A Careful Study of Tuning Clay Teapots", {"Jo Potter", "Li Wei"}, 2019, "arxiv"));
  builder.add(paper("tune", "A Careful Study of Tuning Clay Teapots", {"Jo Potter", "Wei Li"}, 2021, "icml"));
  builder.add(paper("anon", "Sparse Kettles with Variational Boiling Schedules", {}, 2018, "iclr"));
  builder.add(paper("road", "Position: A Roadmap to Pluralistic Kettle Alignment", {"Tay Sorensen"}, 2024, "icml"));
  Paper with_ids = paper("ids", "Neural Infusion of Leaves under Pressure", {"Kim Park"}, 2020, "aaai");
  with_ids.doi = "10.1000/Leaf.1";
  with_ids.arxiv_id = "2001.00001";
  builder.add(with_ids);
  return builder.build();
}

Decision link(const Reference& reference) {
  static const LinkIndex kIndex = small_catalog();
  return kIndex.link(reference, {});
}

std::string linked_id(const Decision& decision) {
  static const LinkIndex kIndex = small_catalog();
  return decision.row == kNoRow ? verdict_name(decision.verdict) : std::string(kIndex.record(decision.row).id);
}

TEST(Link, FindsATitleWhateverItsCaseAndPunctuation) {
  const Decision decision = link(reference("Attention is all you need!", {"A. Vaswani", "N. Shazeer"}, 2017));
  EXPECT_EQ(linked_id(decision), "attn");
  EXPECT_EQ(decision.rule, Rule::exact_title);
  EXPECT_GT(decision.probability, 0.99);
  EXPECT_THAT(decision.why, HasSubstr("authors agree"));
}

TEST(Link, TakesUnknownAuthorsForUnknownAndNotForADisagreement) {
  EXPECT_EQ(linked_id(link(reference("Sparse Kettles with Variational Boiling Schedules", {"Ann Other"}, 2018))), "anon");
  EXPECT_EQ(linked_id(link(reference("Attention Is All You Need", {}, 2017))), "attn");
}

TEST(Link, RefusesATitleWhoseAuthorsDisagree) {
  EXPECT_NE(link(reference("Attention Is All You Need", {"Zoe Nobody", "Max Nowhere"}, 2017)).verdict, Verdict::linked);
}

TEST(Link, ForgivesTyposAndSpellingsButNotNumbers) {
  EXPECT_EQ(linked_id(link(reference("Sparse Kettels with Variational Boiling Schedules", {}, 2018))), "anon");
  EXPECT_EQ(linked_id(link(reference("Language Models of Size GPT-2 for Tea-Tasting Robots", {"Doe, Ann"}, 2019))), "gpt2");
  EXPECT_EQ(linked_id(link(reference("Language Models of Size GPT-3 for Tea-Tasting Robots", {"Doe, Ann"}, 2020))), "gpt3");
  EXPECT_EQ(linked_id(link(reference("Language Models of Size GPT-4 for Tea-Tasting Robots", {"Doe, Ann"}, 2020))), "unresolved");
}

TEST(Link, LetsAuthorsAndYearDecideBetweenEqualTitles) {
  EXPECT_EQ(linked_id(link(reference("Deep learning", {"Y. LeCun"}, 2015))), "deep-a");
  EXPECT_EQ(linked_id(link(reference("Deep learning", {"I. Goodfellow"}, 2016))), "deep-b");
}

TEST(Link, AbstainsWhenAShortTitleIsAllThereIs) {
  EXPECT_EQ(link(reference("Deep learning", {}, 0)).verdict, Verdict::ambiguous);
  EXPECT_EQ(link(reference("Deep learning", {}, 0)).candidates.size(), 2U);
  EXPECT_EQ(link(reference("", {}, 2017)).verdict, Verdict::unresolved);
}

TEST(Link, TakesPreprintAndPublishedVersionForOneWorkAndNamesThePublishedOne) {
  const Decision decision = link(reference("A Careful Study of Tuning Clay Teapots", {"Jo Potter"}, 2019));
  EXPECT_EQ(linked_id(decision), "tune");
  EXPECT_EQ(decision.versions.size(), 2U);
}

TEST(Link, FindsATitleWithoutItsSeriesNameOrSubtitle) {
  EXPECT_EQ(linked_id(link(reference("A Roadmap to Pluralistic Kettle Alignment", {"Tay Sorensen"}, 2024))), "road");
}

TEST(Link, SeesThroughWhatReferenceManagersLeaveInTitles) {
  EXPECT_EQ(linked_id(link(reference("Sparse Kettles with Variational Boiling Schedules. (arXiv:2102.01670v2 [Cs.LG] UPDATED)", {}, 0))), "anon");
  EXPECT_EQ(linked_id(link(reference("Sparse Kettles with Variational Boiling Schedules | Proceedings of Something", {}, 0))), "anon");
  EXPECT_EQ(bare_title("[2103.03570] Second-order Steps"), "Second-order Steps");
}

TEST(Link, LinksByIdentifierAndFlagsOneThatBelongsToAnotherPaper) {
  Reference by_doi = reference("Infusion of Leaves under Pressure", {"Kim Park"}, 2020);
  by_doi.doi = "https://doi.org/10.1000/leaf.1";
  EXPECT_EQ(linked_id(link(by_doi)), "ids");
  EXPECT_EQ(link(by_doi).rule, Rule::identifier);
  Reference by_arxiv;
  by_arxiv.arxiv_id = "arXiv:2001.00001v3";
  EXPECT_EQ(linked_id(link(by_arxiv)), "ids");
  Reference wrong = reference("Attention Is All You Need", {"Ashish Vaswani"}, 2017);
  wrong.arxiv_id = "2001.00001";
  const Decision decision = link(wrong);
  EXPECT_EQ(linked_id(decision), "attn");
  EXPECT_NE(decision.identifier_row, kNoRow);
  Reference invented = reference("A Completely Invented Title about Nothing", {"Ann Fake"}, 2020);
  invented.doi = "10.1000/leaf.1";
  EXPECT_EQ(link(invented).verdict, Verdict::unresolved);
  EXPECT_NE(link(invented).identifier_row, kNoRow);
}

TEST(Link, FindsATitleInsideAPrintedReferenceWhosePartsWereNotTold) {
  Reference printed;
  printed.title = "Potter J, Li W";  // what a parser took for the title
  printed.raw = "Potter J, Li W. A careful study of tuning clay tea-pots, ICML 2021, pp. 1-9.";
  printed.year = 2021;
  EXPECT_EQ(linked_id(link(printed)), "tune");
}

TEST(Link, LinksNothingInAnEmptyCatalog) {
  LinkIndexBuilder builder;
  const LinkIndex empty = builder.build();
  EXPECT_EQ(empty.link(reference("Attention Is All You Need", {"A. Vaswani"}, 2017), {}).verdict, Verdict::unresolved);
}

TEST(Link, FindsRowsByIdAndTitleKey) {
  const LinkIndex index = small_catalog();
  EXPECT_EQ(index.find("anon"), 7U);
  EXPECT_EQ(index.find("nothing"), kNoRow);
  EXPECT_THAT(index.rows_with_key("deeplearning"), ElementsAre(3U, 4U));
}

// Worked by hand: "kitten" to "sitting" takes 3 edits, 7 letters are the longer length.
TEST(EditSimilarity, CountsEditsAgainstTheLongerText) {
  EXPECT_DOUBLE_EQ(edit_similarity("kitten", "sitting"), 1.0 - 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(edit_similarity("", ""), 1.0);
  EXPECT_DOUBLE_EQ(edit_similarity("abc", ""), 0.0);
}

TEST(WordDifference, TellsVariantsFromOtherWords) {
  const auto difference = [](const char* a, const char* b) { return word_difference(title_words(a), title_words(b)); };
  EXPECT_EQ(difference("Pre-training models", "Pretraining models").replaced, 0U);
  EXPECT_EQ(difference("Modeling of tea", "Modelling of tea").replaced, 0U);
  EXPECT_EQ(difference("Image captions", "Video captions").replaced, 1U);
  EXPECT_EQ(difference("Tea", "Strong black tea").added, 2U);
  EXPECT_TRUE(difference("Part II", "Part I").numbering);
  EXPECT_TRUE(difference("YOLOv3 detection", "YOLOv4 detection").numbering);
}

TEST(VenueName, KnowsLongAndShortFormsAndLeavesOthersUnknown) {
  const struct {
    const char* printed;
    const char* name;
  } cases[] = {{"Advances in Neural Information Processing Systems 30", "neurips"},
               {"NIPS", "neurips"},
               {"Proc. of the 34th International Conference on Machine Learning (ICML)", "icml"},
               {"International Conference on Computer Vision", "iccv"},
               {"European Conference on Computer Vision", "eccv"},
               {"Proceedings of the 2019 Conference of the North American Chapter of the Association for Computational Linguistics", "naacl"},
               {"Transactions of the Association for Computational Linguistics", "tacl"},
               {"arXiv preprint arXiv:1706.03762", "arxiv"},
               {"CoRR", "arxiv"},
               {"ICLR Workshop on Tea", ""},
               {"Journal of Tea Studies", ""}};
  for (const auto& c : cases) EXPECT_EQ(venue_name(c.printed), c.name) << c.printed;
  EXPECT_TRUE(is_preprint_venue(""));
  EXPECT_TRUE(is_preprint_venue("arXiv"));
  EXPECT_FALSE(is_preprint_venue("NeurIPS"));
}

}  // namespace
}  // namespace mustcite::link
