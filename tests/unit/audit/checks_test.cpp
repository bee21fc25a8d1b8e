#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "apps/audit/audit.hpp"
#include "apps/audit/latex/reader.hpp"

namespace mustcite::audit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Paper paper(const std::string& id, const std::string& title, std::vector<std::string> authors, int year, const std::string& venue) {
  Paper result;
  result.id = PaperId(id);
  result.title = title;
  result.authors = std::move(authors);
  result.date.year = year;
  result.venue = venue;
  result.url = "https://example.org/" + id;
  return result;
}

const link::LinkIndex& catalog() {
  static const link::LinkIndex kIndex = [] {
    link::LinkIndexBuilder builder;
    builder.add(paper("p1", "Steeping Networks for Leaf Recognition", {"Ann Doe", "Bo Roe"}, 2019, "icml"));
    builder.add(paper("p2", "Boiling Points of Recurrent Kettles", {"Cy Poe"}, 2018, "neurips"));
    builder.add(paper("p3", "A Benchmark of Tea Tasting Robots", {}, 2020, "iclr"));
    builder.add(paper("p4", "Everything about Cups and Saucers", {"Di Moe"}, 2021, "acl"));
    builder.add(paper("p5", "Teapots with Energy-Based Spouts", {"Ann Doe", "Yann L. Cun"}, 2007, "neurips"));
    builder.add(paper("own", "My Own Draft on Tea", {"Me"}, 2023, "arxiv"));
    return builder.build();
  }();
  return kIndex;
}

Report run(const std::string& body, const std::string& bib, const Recommender& recommender = {}, const std::string& ignore = "", const Options& options = {}) {
  const MemoryTree tree({{"main.tex", "\\documentclass{article}\\title{My Own Draft on Tea}\\begin{document}\\begin{abstract}Tea.\\end{abstract}\n" + body +
                                          "\n\\bibliography{refs}\\end{document}"},
                         {"refs.bib", bib}});
  return audit(latex::read_latex(tree, "main.tex", {}), catalog(), recommender, IgnoreList::parse(ignore, ".mustcite-ignore"), options);
}

std::vector<std::string> lines(const Report& report) {
  std::vector<std::string> result;
  for (const auto& f : report.findings) {
    if (f.kind != FindingKind::problem) result.push_back(std::string(finding_name(f.kind)) + " " + f.subject + (f.field.empty() ? "" : " " + f.field));
  }
  return result;
}

constexpr const char* kGood = "@inproceedings{doe, title={Steeping Networks for Leaf Recognition}, author={Doe, Ann and Roe, Bo}, year=2019, booktitle={ICML}}\n";

TEST(Audit, FindsNothingInACleanBibliography) {
  const Report report = run("\\cite{doe}", kGood);
  EXPECT_THAT(lines(report), IsEmpty());
  EXPECT_EQ(report.linked, 1U);
  EXPECT_FALSE(report.ranked);
}

TEST(Audit, CountsEveryEntryOnce) {
  const Report report = run("\\cite{doe,x}", std::string(kGood) + "@misc{x, title={Deep}, year=1} @misc{y, title={Unknown Work of Nobody at All}}");
  EXPECT_EQ(report.entries, 3U);
  EXPECT_EQ(report.linked + report.ambiguous + report.unresolved, report.entries);
  EXPECT_EQ(report.cited_entries, 2U);
}

TEST(Audit, TellsMentionedButMissingFromAnotherCase) {
  const Report report = run("\\cite{gone}\\cite{gone}\\cite{DOE}", kGood);
  EXPECT_THAT(lines(report), ElementsAre("undefined gone", "key_case DOE"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("2 times"));
  EXPECT_EQ(report.findings[0].where, (SourcePosition{"main.tex", 2}));
  EXPECT_EQ(report.findings[0].severity, Severity::error);
}

TEST(Audit, TellsUnmentionedEntriesAndWhereACommentHidesThem) {
  const Report report = run("\\cite{doe} % \\cite{poe}", std::string(kGood) + "@misc{poe, title={Boiling Points of Recurrent Kettles}}");
  ASSERT_THAT(lines(report), ElementsAre("unmentioned poe"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("only in a comment (main.tex:2)"));
  EXPECT_THAT(lines(run("\\cite{doe}\\nocite{*}", std::string(kGood) + "@misc{poe, title={Boiling Points of Recurrent Kettles}, author={Poe, Cy}, year=2018}")), IsEmpty());
}

TEST(Audit, FoldsTheUnmentionedEntriesOfASharedDatabase) {
  std::string bib = kGood;
  for (int i = 0; i < 30; ++i) bib += "@misc{k" + std::to_string(i) + ", title={Number " + std::to_string(i) + "}}\n";
  const Report report = run("\\cite{doe}", bib);
  ASSERT_THAT(lines(report), ElementsAre("unmentioned *"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("30 of 31"));
}

TEST(Audit, OffersThePublishedRecordForAPreprintUnderTheDraftsKey) {
  const Report report = run("\\cite{k}", "@article{k, title={Boiling Points of Recurrent Kettles}, author={Poe, Cy}, year=2017, journal={arXiv preprint arXiv:1701.00001}}");
  ASSERT_THAT(lines(report), ElementsAre("preprint k"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("neurips 2018"));
  EXPECT_THAT(report.findings[0].bibtex, AllOf(HasSubstr("{k,"), HasSubstr("2018"), HasSubstr("Neural Information Processing Systems")));
}

TEST(Audit, TellsFieldsThatDisagreeWithTheRecord) {
  const Report year = run("\\cite{k}", "@inproceedings{k, title={Boiling Points of Recurrent Kettles}, author={Poe, Cy}, year=2015, booktitle={NeurIPS}}");
  EXPECT_THAT(lines(year), ElementsAre("disagrees k year"));
  const Report venue = run("\\cite{k}", "@inproceedings{k, title={Boiling Points of Recurrent Kettles}, author={Poe, Cy}, year=2018, booktitle={ICML}}");
  EXPECT_THAT(lines(venue), ElementsAre("disagrees k venue"));
  const Report title = run("\\cite{k}", "@inproceedings{k, title={Boiling Point of Recurrent Kettle}, author={Poe, Cy}, year=2018}");
  EXPECT_THAT(lines(title), ElementsAre("disagrees k title"));
  const Report authors = run("\\cite{k}", "@inproceedings{k, title={Steeping Networks for Leaf Recognition}, author={Doe, Ann and Roe, Bo and Invented, Ivan}, year=2019}");
  EXPECT_THAT(lines(authors), ElementsAre("disagrees k authors"));
  EXPECT_THAT(authors.findings[0].message, HasSubstr("Ivan Invented"));
  // Sites that take the "Le" for a middle name are no reason to doubt the entry.
  EXPECT_THAT(lines(run("\\cite{k}", "@inproceedings{k, title={Teapots with Energy-Based Spouts}, author={Doe, Ann and LeCun, Yann}, booktitle={NeurIPS}, year=2007}")), IsEmpty());
}

TEST(Audit, TakesWhatTheRecordDoesNotKnowForNoDisagreement) {
  EXPECT_THAT(lines(run("\\cite{k}", "@inproceedings{k, title={A Benchmark of Tea Tasting Robots}, author={Some One}, year=2020, booktitle={ICLR}}")), IsEmpty());
}

TEST(Audit, SaysNotInMyCatalogOfWorksItDoesNotKnow) {
  const Report report = run("\\cite{k}", "@book{k, title={An Old Book Nobody Collected}, author={Old, Man}, year=1950}");
  ASSERT_THAT(lines(report), ElementsAre("unresolved k"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("is not in my catalog"));
  EXPECT_EQ(report.findings[0].severity, Severity::note);
}

TEST(Audit, FindsDuplicatesThatAreMentioned) {
  const std::string two = std::string(kGood) + "@misc{doe2, title={Steeping networks for leaf recognition}, author={Doe, A.}, year=2019}";
  const Report both = run("\\cite{doe}\\cite{doe2}", two);
  ASSERT_THAT(lines(both), ElementsAre("duplicate doe2"));
  EXPECT_EQ(both.findings[0].severity, Severity::warning);
  EXPECT_EQ(run("\\cite{doe}", two).findings[0].severity, Severity::note);
}

Recommendation row(const std::string& id, std::map<Tier, double> probability) {
  const std::uint32_t at = catalog().find(id);
  Recommendation result;
  result.paper = paper(id, at == link::kNoRow ? "Title of " + id : std::string(catalog().record(at).title), {"Ann Doe"}, 2019, "icml");
  result.probability = std::move(probability);
  result.reasons = {"cited by 3 of your 20 nearest papers"};
  return result;
}

TEST(Audit, AsksTheRecommenderWithWhatIsCitedAndWithoutTheDraftItself) {
  RecommendRequest asked;
  (void)run("\\cite{doe}", kGood, [&](const RecommendRequest& request) {
    asked = request;
    return std::vector<Recommendation>{};
  });
  EXPECT_EQ(asked.title, "My Own Draft on Tea");
  EXPECT_EQ(asked.abstract, "Tea.");
  EXPECT_THAT(asked.known, ElementsAre(PaperId("p1")));
  EXPECT_THAT(asked.exclude, ElementsAre(PaperId("own")));
}

TEST(Audit, PartsMissingFromConsiderByTheModelsThresholds) {
  Options options;
  options.thresholds.missing = {{Tier::type3, 0.7}, {Tier::must, 0.8}};
  options.thresholds.consider = 0.3;
  const Recommender recommender = [](const RecommendRequest&) {
    return std::vector<Recommendation>{row("p1", {{Tier::must, 0.99}}),                       // cited already
                                       row("own", {{Tier::must, 0.99}}),                      // the draft itself
                                       row("p2", {{Tier::type3, 0.75}, {Tier::must, 0.79}}),  // over one threshold
                                       row("p3", {{Tier::type3, 0.69}, {Tier::must, 0.79}}),  // under both
                                       row("p4", {{Tier::must, 0.29}})};                      // not worth naming
  };
  const Report report = run("\\cite{doe}", kGood, recommender, "", options);
  EXPECT_THAT(lines(report), ElementsAre("missing p2", "consider p3"));
  EXPECT_EQ(report.findings[0].tier, Tier::type3);
  EXPECT_THAT(report.findings[0].bibtex, HasSubstr("Boiling Points"));
  // Without thresholds nothing is called missing.
  EXPECT_EQ(run("\\cite{doe}", kGood, recommender).count(FindingKind::missing), 0U);
}

TEST(Audit, TellsWhenAMissingPaperStandsUnmentionedInTheDatabase) {
  Options options;
  options.thresholds.missing = {{Tier::must, 0.5}};
  const Report report = run("\\cite{doe}", std::string(kGood) + "@misc{poe, title={Boiling Points of Recurrent Kettles}, author={Poe, Cy}, year=2018}",
                            [](const RecommendRequest&) { return std::vector<Recommendation>{row("p2", {{Tier::must, 0.9}})}; }, "", options);
  ASSERT_EQ(report.count(FindingKind::missing), 1U);
  EXPECT_THAT(report.findings[0].reasons.front(), HasSubstr("in your bibliography as poe"));
}

TEST(Audit, KeepsAnsweredFindingsQuietAndNeedsAReason) {
  const std::string bib = std::string(kGood) + "@book{k, title={An Old Book Nobody Collected}, year=1950}";
  const Report answered = run("\\cite{doe,k}", bib, {}, "unresolved k # a classic\n# a comment\nmissing zzz # no longer there\n");
  EXPECT_THAT(lines(answered), IsEmpty());
  ASSERT_FALSE(answered.ignored.empty());
  EXPECT_EQ(answered.ignored[0].ignored_because, "a classic");
  EXPECT_THAT(answered.ignore_notes, ElementsAre(HasSubstr("missing zzz answers nothing")));
  const Report bare = run("\\cite{doe,k}", bib, {}, "unresolved k\nnonsense k # why\n");
  EXPECT_THAT(lines(bare), ElementsAre("unresolved k"));
  EXPECT_THAT(bare.ignore_notes, ElementsAre(HasSubstr(":1: a reason is missing"), HasSubstr(":2: there is no kind of finding")));
}

}  // namespace
}  // namespace mustcite::audit
