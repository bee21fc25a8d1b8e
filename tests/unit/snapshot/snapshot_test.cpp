#include "engine/snapshot/snapshot.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::snapshot {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Paper paper(const std::string& id, const std::string& title, const std::string& abstract, Date date) {
  Paper result;
  result.id = PaperId(id);
  result.title = title;
  result.abstract = abstract;
  result.date = date;
  return result;
}

Citation citation(const std::string& citing, const std::string& cited, int year, std::optional<int> mentions = 1) {
  Citation result;
  result.citing = PaperId(citing);
  result.cited = PaperId(cited);
  result.citing_year = year;
  result.mentions = mentions;
  return result;
}

class ListSource final : public Source {
 public:
  std::vector<Paper> papers;
  std::vector<Citation> citations;
  std::vector<Paper> citing_only;
  void each_citing_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const auto& item : citing_only) visit(item);
  }
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const auto& item : papers) visit(item);
  }
  void each_citation(const std::function<void(const Citation&)>& visit) const override {
    for (const auto& item : citations) visit(item);
  }
};

class SnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mustcite-snapshot-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    source_.papers = {
        paper("d", "Newest", "abstract of d", {2022, 5, 1}), paper("b", "Old B", "abstract of b", {2019, 0, 0}),
        paper("a", "Old A", "abstract of a", {2019, 0, 0}),  paper("x", "No abstract", "", {2021, 0, 0}),
        paper("c", "Dated", "abstract of c", {2019, 3, 0}),  paper("u", "Undated", "abstract of u", {}),
        paper("t", "", "abstract without a title", {2021, 0, 0})};
    source_.papers[1].authors = {"Ada One", "Bo Two"};
    source_.papers[1].venue = "venue";
    source_.papers[1].url = "https://example.org/b";
    source_.papers[1].doi = "10.1/b";
    source_.papers[1].arxiv_id = "1901.00001";
    auto with_contexts = citation("d", "a", 2022, 4);
    with_contexts.exp_mentions = 2;
    with_contexts.marker = "7";
    with_contexts.contexts = {{"Introduction", "We build on A [7]."}, {"Experiments", "A [7] is a baseline."}};
    source_.citations = {with_contexts,
                         citation("x", "b", 2021, std::nullopt),
                         citation("x", "a", 2021),
                         citation("gone", "a", 2020),
                         citation("d", "x", 2022),
                         citation("d", "nowhere", 2022),
                         citation("d", "d", 2022),
                         citation("d", "c", 2022)};
  }
  void TearDown() override { fs::remove_all(folder_); }

  Snapshot make() {
    SilentProgress progress;
    report_ = build(source_, folder_, progress);
    return Snapshot::open(folder_);
  }
  void expect_refused(ErrorCode code, const std::string& words) {
    try {
      (void)Snapshot::open(folder_);
      FAIL() << "was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_THAT(error.what(), HasSubstr("mustcite index build"));
    }
  }

  fs::path folder_;
  ListSource source_;
  BuildReport report_;
};

std::vector<std::string> ids(const Snapshot& snapshot) {
  std::vector<std::string> result;
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) result.emplace_back(snapshot.document(DocId{row}).id);
  return result;
}

TEST_F(SnapshotTest, OrdersDocumentsByTheDayTheySurelyExistedThenById) {
  const auto snapshot = make();
  EXPECT_THAT(ids(snapshot), ElementsAre("c", "a", "b", "d", "u"));
}

TEST_F(SnapshotTest, ReportAddsUp) {
  make();
  EXPECT_EQ(report_.papers, 7U);
  EXPECT_EQ(report_.documents, 5U);
  EXPECT_EQ(report_.without_abstract, 2U);
  EXPECT_EQ(report_.citations, 8U);
  EXPECT_EQ(report_.evidence, 5U);
  EXPECT_EQ(report_.outside, 2U);
  EXPECT_EQ(report_.self, 1U);
}

TEST_F(SnapshotTest, KeepsEveryFieldOfADocument) {
  const auto snapshot = make();
  const auto view = snapshot.document(*snapshot.find("b"));
  EXPECT_EQ(view.title, "Old B");
  EXPECT_EQ(view.abstract, "abstract of b");
  EXPECT_EQ(view.authors, "Ada One\nBo Two");
  EXPECT_EQ(view.venue, "venue");
  EXPECT_EQ(view.url, "https://example.org/b");
  EXPECT_EQ(view.doi, "10.1/b");
  EXPECT_EQ(view.arxiv_id, "1901.00001");
  EXPECT_EQ(view.date, (Date{2019, 0, 0}));
}

TEST_F(SnapshotTest, FindsByIdAndByTitleKeyAndNothingElse) {
  source_.papers.push_back(paper("b2", "OLD-b!", "the same title again", {2020, 0, 0}));
  const auto snapshot = make();
  EXPECT_FALSE(snapshot.find("x").has_value());
  EXPECT_FALSE(snapshot.find("").has_value());
  EXPECT_THAT(snapshot.find_title(text::title_key("Old B")), ElementsAre(*snapshot.find("b"), *snapshot.find("b2")));
  EXPECT_TRUE(snapshot.find_title("nosuchtitle").empty());
}

TEST_F(SnapshotTest, PrefixHoldsOnlySurelyOlderDocuments) {
  const auto snapshot = make();
  EXPECT_EQ(snapshot.prefix(std::nullopt), 5U);
  EXPECT_EQ(snapshot.prefix(Date{2019, 0, 0}), 0U);
  EXPECT_EQ(snapshot.prefix(Date{2019, 6, 1}), 1U);  // c is of March 2019; a and b may be of December
  EXPECT_EQ(snapshot.prefix(Date{2020, 0, 0}), 3U);
  EXPECT_EQ(snapshot.prefix(Date{2022, 5, 1}), 3U);
  EXPECT_EQ(snapshot.prefix(Date{2022, 5, 2}), 4U);
  EXPECT_EQ(snapshot.prefix(Date{2030, 0, 0}), 4U);  // an undated paper is never surely older
}

TEST_F(SnapshotTest, EvidenceIsSortedByYearThenCitingPaperThenCitedRow) {
  const auto snapshot = make();
  std::vector<std::string> pairs;
  for (std::uint32_t row = 0; row < snapshot.evidence_size(); ++row) {
    const auto item = snapshot.evidence(row);
    pairs.push_back(std::string(snapshot.citing(item.citing_paper).id) + ">" +
                    std::string(snapshot.document(item.cited).id));
  }
  EXPECT_THAT(pairs, ElementsAre("gone>a", "x>a", "x>b", "d>c", "d>a"));
  EXPECT_EQ(snapshot.evidence_prefix(Date{2021, 0, 0}), 1U);
  EXPECT_EQ(snapshot.evidence_prefix(Date{2022, 3, 0}), 3U);
  EXPECT_EQ(snapshot.evidence_prefix(std::nullopt), 5U);
  EXPECT_EQ(snapshot.citing_prefix(Date{2022, 0, 0}), 2U);
}

TEST_F(SnapshotTest, EvidenceKeepsMentionsMarkersAndSentences) {
  const auto snapshot = make();
  const auto unknown = snapshot.evidence(2);
  EXPECT_FALSE(unknown.mentions.has_value());
  EXPECT_EQ(unknown.citing, kNoDoc);
  const auto known = snapshot.evidence(4);
  EXPECT_EQ(known.citing, *snapshot.find("d"));
  EXPECT_EQ(known.mentions, 4);
  EXPECT_EQ(known.exp_mentions, 2);
  EXPECT_EQ(known.marker, "7");
  ASSERT_EQ(known.context_count, 2U);
  EXPECT_EQ(snapshot.context(4, 1), (CitationContext{"Experiments", "A [7] is a baseline."}));
  EXPECT_EQ(snapshot.context_view(4, 0).text, "We build on A [7].");
  EXPECT_EQ(snapshot.context_view(4, 2).text, "");
}

TEST_F(SnapshotTest, CitingPapersKeepTheirTextWhetherDocumentsOrNot) {
  const auto snapshot = make();
  const auto outside = snapshot.citing(*snapshot.find_citing("x"));
  EXPECT_EQ(outside.title, "No abstract");
  EXPECT_EQ(outside.doc, kNoDoc);
  const auto document = snapshot.citing(*snapshot.find_citing("d"));
  EXPECT_EQ(document.title, "Newest");
  EXPECT_EQ(document.abstract, "abstract of d");
  EXPECT_EQ(document.evidence_end - document.evidence_begin, 2U);
  EXPECT_EQ(snapshot.citing(*snapshot.find_citing("gone")).title, "");
  EXPECT_FALSE(snapshot.find_citing("a").has_value());
}

TEST_F(SnapshotTest, EvidenceOfACitedDocumentIsAscending) {
  const auto snapshot = make();
  EXPECT_THAT(snapshot.evidence_citing(*snapshot.find("a")), ElementsAre(0U, 1U, 4U));
  EXPECT_TRUE(snapshot.evidence_citing(*snapshot.find("u")).empty());
}

TEST_F(SnapshotTest, ACitingPaperHasTheLaterOfItsYears) {
  source_.citations.push_back(citation("c", "a", 2025));  // the catalog says 2019, its citation 2025
  const auto snapshot = make();
  EXPECT_EQ(snapshot.citing(*snapshot.find_citing("c")).year, 2025);
}

TEST_F(SnapshotTest, BytesDoNotDependOnTheOrderOfTheSource) {
  const std::string digest = make().digest();
  const std::string bytes = io::read_file(folder_ / "snapshot.bin");
  std::reverse(source_.papers.begin(), source_.papers.end());
  std::reverse(source_.citations.begin(), source_.citations.end());
  EXPECT_EQ(make().digest(), digest);
  EXPECT_EQ(io::read_file(folder_ / "snapshot.bin"), bytes);
}

TEST_F(SnapshotTest, DigestChangesWithEveryKindOfContent) {
  const std::string digest = make().digest();
  source_.papers[0].abstract += ".";
  const std::string other_text = make().digest();
  EXPECT_NE(other_text, digest);
  source_.citations[0].contexts[0].text += ".";
  EXPECT_NE(make().digest(), other_text);
}

TEST_F(SnapshotTest, ARepeatedIdIsCountedAndTheFirstKept) {
  source_.papers.push_back(paper("a", "Another", "another abstract", {2023, 0, 0}));
  const auto snapshot = make();
  EXPECT_EQ(report_.repeated, 1U);
  EXPECT_EQ(snapshot.document(*snapshot.find("a")).title, "Old A");
}

TEST_F(SnapshotTest, PapersThatOnlyCiteAreNoDocumentsButKeepTheirText) {
  source_.citing_only = {paper("gone", "Only citing", "its abstract", {2020, 0, 0})};
  const auto snapshot = make();
  EXPECT_EQ(report_.citing_only, 1U);
  EXPECT_FALSE(snapshot.find("gone").has_value());
  const auto citing = snapshot.citing(*snapshot.find_citing("gone"));
  EXPECT_EQ(citing.title, "Only citing");
  EXPECT_EQ(citing.abstract, "its abstract");
  EXPECT_EQ(citing.doc, kNoDoc);
}

TEST_F(SnapshotTest, AnEmptySourceGivesAnEmptySnapshot) {
  source_ = {};
  const auto snapshot = make();
  EXPECT_EQ(snapshot.size(), 0U);
  EXPECT_EQ(snapshot.evidence_prefix(Date{2020, 0, 0}), 0U);
  EXPECT_FALSE(snapshot.find("a").has_value());
}

TEST_F(SnapshotTest, LeavesNoSpoolFiles) {
  make();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(SnapshotTest, AMissingSnapshotNamesTheCommand) { expect_refused(ErrorCode::not_found, "no snapshot"); }

TEST_F(SnapshotTest, EveryFlippedByteOfASectionIsRefused) {
  make();
  const auto path = folder_ / "snapshot.bin";
  const std::string bytes = io::read_file(path);
  for (std::size_t at = 64; at < 64 + 60; ++at) {  // the section of texts comes first
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    io::write_file_atomically(path, damaged);
    expect_refused(ErrorCode::corrupt, "damaged");
  }
}

TEST_F(SnapshotTest, ATruncatedFileIsRefused) {
  make();
  const auto path = folder_ / "snapshot.bin";
  const std::string bytes = io::read_file(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{63}, std::size_t{200}, bytes.size() - 1}) {
    io::write_file_atomically(path, bytes.substr(0, size));
    expect_refused(ErrorCode::corrupt, "cannot be used");
  }
}

TEST_F(SnapshotTest, AForeignFileIsRefused) {
  make();
  io::write_file_atomically(folder_ / "snapshot.bin", std::string(4096, 'x'));
  expect_refused(ErrorCode::corrupt, "another kind");
}

TEST_F(SnapshotTest, AManifestOfAnotherSnapshotIsRefused) {
  make();
  const std::string manifest = io::read_file(folder_ / "snapshot.json");
  source_.papers[0].abstract += " changed";
  make();
  io::write_file_atomically(folder_ / "snapshot.json", manifest);
  expect_refused(ErrorCode::corrupt, "do not belong together");
}

TEST_F(SnapshotTest, ABrokenManifestIsRefused) {
  make();
  io::write_file_atomically(folder_ / "snapshot.json", "{\"format\": \"mustcite-snapshot\"");
  expect_refused(ErrorCode::corrupt, "manifest");
  io::write_file_atomically(folder_ / "snapshot.json", R"({"format": "mustcite-snapshot", "version": 99})");
  expect_refused(ErrorCode::corrupt, "another version");
}

}  // namespace
}  // namespace mustcite::snapshot
