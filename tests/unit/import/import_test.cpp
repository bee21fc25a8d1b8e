#include "stages/import/import.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "mustcite/error.hpp"
#include "unit/import/importing.hpp"

namespace mustcite::importing {
namespace {

using ::testing::HasSubstr;

TEST_F(Importing, CleansPapersAndKeepsWhatTheyKnow) {
  const Report report = import_text(
      "p.jsonl",
      R"({"id":"a1","title":"Na\\\"ive {BERT}.","authors":["Lovelace, Ada","Bo Li*"],"abstract":"Abstract: We <b>show</b> it.","venue":"NeurIPS","year":"2020","date":"2020-12-06","doi":"https://doi.org/10.1/AB"}
)");
  EXPECT_EQ(report.kind, Kind::papers);
  EXPECT_EQ(report.papers.added, 1U);
  const Paper stored = paper("a1");
  EXPECT_EQ(stored.title, "Naïve BERT");
  EXPECT_EQ(stored.authors, (std::vector<std::string>{"Ada Lovelace", "Bo Li"}));
  EXPECT_EQ(stored.abstract, "We show it.");
  EXPECT_EQ(stored.venue, "neurips");
  EXPECT_EQ(stored.date, (Date{2020, 12, 6}));
  EXPECT_EQ(stored.doi, "10.1/ab");
}

TEST_F(Importing, ChangesNothingTheSecondTime) {
  const auto input = file("p.jsonl",
                          "{\"id\":\"a\",\"title\":\"One\",\"year\":2020}\n{\"id\":\"b\",\"title\":\"Two\","
                          "\"year\":2021}\nbroken\n");
  import(input);
  const std::string revision = catalog_.revision();
  const std::uint64_t rejects = catalog_.counts().rejects;
  const Report again = import(input);
  EXPECT_EQ(again.papers.unchanged, 2U);
  EXPECT_EQ(again.papers.rejected, 1U);
  EXPECT_EQ(catalog_.revision(), revision);
  EXPECT_EQ(catalog_.counts().rejects, rejects);
}

TEST_F(Importing, RejectsEachBadPaperWithItsLineAndReason) {
  const Report report = import_text("p.jsonl",
                                    "{\"id\":\"ok\",\"title\":\"Fine\"}\n"               // 1
                                    "{\"id\":\"x\",\"title\":\n"                         // 2
                                    "{\"title\":\"No id\"}\n"                            // 3
                                    "{\"id\":\"e\",\"title\":\" <b></b> \"}\n"           // 4
                                    "{\"id\":\"y1\",\"title\":\"Old\",\"year\":1500}\n"  // 5
                                    "{\"id\":\"y2\",\"title\":\"New\",\"year\":2031}\n"  // 6
                                    "{\"id\":\"a b\",\"title\":\"Spaced\"}\n"            // 7
                                    "{\"id\":\"ok\",\"title\":\"Other\"}\n"              // 8
                                    "{\"id\":\"ok\",\"title\":\"fine.\"}\n"              // 9: the same title
                                    "\n"  // 10: blank, not an item
                                    "{\"id\":\"t\",\"title\":\"" +
                                        std::string(2001, 't') +
                                        "\"}\n"                                // 11
                                        "{\"id\":\"q\",\"title\":\"?!\"}\n");  // 12
  EXPECT_EQ(report.papers.read, 11U);
  EXPECT_EQ(report.papers.rejected, 9U);
  const auto reasons = ledger();
  EXPECT_THAT(reasons.at(2), HasSubstr("not valid JSON"));
  EXPECT_THAT(reasons.at(3), HasSubstr("'id' is missing"));
  EXPECT_THAT(reasons.at(4), HasSubstr("title is empty"));
  EXPECT_THAT(reasons.at(5), HasSubstr("year 1500"));
  EXPECT_THAT(reasons.at(6), HasSubstr("year 2031"));
  EXPECT_THAT(reasons.at(7), HasSubstr("white space"));
  EXPECT_THAT(reasons.at(8), HasSubstr("another title"));
  EXPECT_FALSE(reasons.contains(9));
  EXPECT_THAT(reasons.at(11), HasSubstr("2000 characters"));
  EXPECT_THAT(reasons.at(12), HasSubstr("no letters"));
}

TEST_F(Importing, CutsAnAbsurdAbstractAndSaysSo) {
  std::string abstract;
  while (abstract.size() < 5'000'000) abstract += "word ";
  const Report report =
      import_text("p.jsonl", "{\"id\":\"a\",\"title\":\"T\",\"abstract\":\"" + abstract + "\"}\n");
  EXPECT_EQ(report.papers.added, 1U);
  EXPECT_EQ(report.cut, 1U);
  EXPECT_LE(paper("a").abstract.size(), 100'000U);
  EXPECT_THAT(ledger().at(1), HasSubstr("kept, but: abstract of"));
}

TEST_F(Importing, RepairsInvalidUtf8AndCountsIt) {
  const Report report = import_text(
      "p.jsonl",
      "\xEF\xBB\xBF{\"id\":\"a\",\"title\":\"Caf\xE9 culture\"}\n{\"id\":\"b\",\"title\":\"Fine\"}\n");
  EXPECT_EQ(report.repaired_utf8, 1U);
  EXPECT_EQ(paper("a").title, "Caf\uFFFD culture");
}

TEST_F(Importing, TakesCitationsWithWhatIsKnownOfThem) {
  import_text("p.jsonl",
              "{\"id\":\"a\",\"title\":\"A\",\"year\":2020}\n{\"id\":\"b\",\"title\":\"B\",\"year\":2021}\n");
  const Report report =
      import_text("c.jsonl",
                  "{\"citing_id\":\"a\",\"cited_id\":\"b\",\"mentions\":3,\"contexts\":[{\"section\":\"1\","
                  "\"text\":\"See  B.\"}]}\n"
                  "{\"citing_id\":\"a\",\"cited_id\":\"zz\",\"mentions\":null,\"citing_year\":2019}\n"
                  "{\"citing_id\":\"a\",\"cited_id\":\"a\"}\n"
                  "{\"citing_id\":\"a\"}\n"
                  "{\"citing_id\":\"a\",\"cited_id\":\"c\",\"mentions\":9999999}\n");
  EXPECT_EQ(report.kind, Kind::citations);
  EXPECT_EQ(report.citations.added, 2U);
  EXPECT_EQ(report.citations.rejected, 3U);
  EXPECT_EQ(report.dangling, 1U);
  EXPECT_EQ(report.citing_before_cited, 1U);
  const std::vector<Citation> all = citations();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].citing_year, 2020) << "filled in from the catalog";
  EXPECT_EQ(all[0].contexts, (std::vector<CitationContext>{{"1", "See B."}}));
  EXPECT_EQ(all[1].mentions, std::nullopt);
  EXPECT_THAT(ledger().at(3), HasSubstr("cites itself"));
}

TEST_F(Importing, TakesTheCorpusOfABeirFolderAndLeavesQueriesOut) {
  file("beir/corpus.jsonl", "{\"_id\":\"d1\",\"title\":\"Doc\",\"text\":\"Body\",\"metadata\":{}}\n");
  file("beir/queries.jsonl", "{\"_id\":\"q1\",\"text\":\"query\"}\n");
  file("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\n");
  const Report report = import(folder_ / "beir");
  EXPECT_EQ(report.kind, Kind::beir);
  EXPECT_EQ(report.papers.added, 1U);
  EXPECT_EQ(report.ignored.size(), 2U);
  EXPECT_EQ(paper("d1").abstract, "Body");
}

TEST_F(Importing, TakesCorpusAndEvidenceOfARelease) {
  file("r/corpus.jsonl", "{\"_id\":\"d1\",\"title\":\"Doc\",\"text\":\"Body\",\"year\":2020}\n");
  file("r/queries.jsonl", "{\"_id\":\"q1\",\"title\":\"Q\",\"text\":\"query\"}\n");
  file("r/evidence/papers.jsonl", "{\"id\":\"e1\",\"title\":\"Evidence\",\"year\":2021}\n");
  file("r/evidence/citations.jsonl", "{\"citing_id\":\"e1\",\"cited_id\":\"d1\",\"mentions\":2}\n");
  const Report report = import(folder_ / "r");
  EXPECT_EQ(report.kind, Kind::release);
  EXPECT_EQ(report.papers.added, 2U);
  EXPECT_EQ(report.citations.added, 1U);
  EXPECT_EQ(report.dangling, 0U);
}

TEST_F(Importing, KeepsOrderAcrossBatchesSoThatTheLastLineWins) {
  std::string lines;
  for (int i = 0; i < 3000; ++i)
    lines +=
        "{\"id\":\"a\",\"title\":\"Same title\",\"year\":2000,\"track\":\"t" + std::to_string(i) + "\"}\n";
  Options options;
  options.batch = 7;
  const Report report = import_text("p.jsonl", lines, options);
  EXPECT_EQ(report.papers.updated, 2999U);
  EXPECT_EQ(paper("a").track, "t2999");
}

TEST_F(Importing, KeepsCommittedBatchesWhenTheFileTurnsOutDamaged) {
  // A gzip file cut in the middle: what was read before is kept, and the error names the file.
  std::string lines;
  for (int i = 0; i < 20000; ++i)
    lines += "{\"id\":\"p" + std::to_string(i * 7919 % 100003) + "\",\"title\":\"Title " + std::to_string(i) +
             "\"}\n";
  file("p.jsonl", lines);
  ASSERT_EQ(std::system(("gzip -k '" + (folder_ / "p.jsonl").string() + "'").c_str()), 0);
  std::filesystem::resize_file(folder_ / "p.jsonl.gz",
                               std::filesystem::file_size(folder_ / "p.jsonl.gz") / 2);
  Options options;
  options.batch = 100;
  try {
    import(folder_ / "p.jsonl.gz", options);
    FAIL() << "a truncated file was taken for a whole one";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_THAT(error.what(), HasSubstr("p.jsonl.gz"));
  }
  EXPECT_GT(catalog_.counts().papers, 1000U);
}

TEST_F(Importing, RefusesWhatIsNoKnownKind) {
  EXPECT_THROW(import_text("x.txt", "hello\n"), Error);
  EXPECT_THROW(import_text("empty.jsonl", ""), Error);
  EXPECT_THROW(import(folder_ / "missing.jsonl"), Error);
  EXPECT_THROW(import(folder_.path()), Error);
  EXPECT_THROW(import("-"), Error);
  Options options;
  options.kind = Kind::papers;
  EXPECT_THROW(import(folder_.path(), options), Error);
}

TEST_F(Importing, DetectsKindsByContentEvenAfterABrokenLine) {
  EXPECT_EQ(detect(file("a", "nonsense\n{\"id\":1,\"title\":\"x\"}\n")), Kind::papers);
  EXPECT_EQ(detect(file("b", "{\"citing_id\":\"a\",\"cited_id\":\"b\"}")), Kind::citations);
  EXPECT_EQ(detect(file("c", "% comment\n@article{k, title={x}}")), Kind::bibtex);
  EXPECT_EQ(detect(file("d", "<?xml version='1.0'?>\n<collection id=\"P17\"/>")), Kind::acl_xml);
  EXPECT_EQ(detect(file("e", "{\"id\":\"https://openalex.org/W1\",\"title\":\"x\"}")), Kind::openalex);
  EXPECT_EQ(detect(file("f", "{\"corpusid\":5,\"title\":\"x\"}")), Kind::semantic_scholar);
}

TEST(ImportKind, NamesReadBack) {
  for (const Kind kind : {Kind::detect, Kind::papers, Kind::citations, Kind::beir, Kind::release,
                          Kind::bibtex, Kind::acl_xml, Kind::openalex, Kind::semantic_scholar}) {
    EXPECT_EQ(parse_kind(kind_name(kind)), kind);
  }
  EXPECT_THROW((void)parse_kind("xls"), Error);
}

}  // namespace
}  // namespace mustcite::importing
