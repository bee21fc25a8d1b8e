// The readers on pages and data of the sites themselves, where they are at hand. Expected numbers come from
// counting the files' own marks, or from published counts, not from the readers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "stages/collect/html/decode_page.hpp"
#include "stages/collect/tracks.hpp"
#include "stages/collect/venues/openreview_rules.hpp"
#include "stages/collect/venues/yaml.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

namespace fs = std::filesystem;

fs::path pages_folder() {
  const char* const shared = std::getenv("MUSTCITE_SHARED");
  return (shared != nullptr ? fs::path(shared) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared") / "pages";
}

class RealPages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(pages_folder())) GTEST_SKIP() << "skipped: no ../shared";
  }
  static std::string raw(const std::string& name) { return io::read_file(pages_folder() / name); }
  static std::string page(const std::string& name) { return html::decode_page(raw(name), ""); }
};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

void expect_whole(const char* venue, int year, const Record& record, bool with_abstract = true) {
  const Cleaned paper = cleaned(venue, year, record);
  EXPECT_FALSE(paper.reject) << record.id;
  EXPECT_FALSE(paper.paper.title.empty()) << record.id;
  EXPECT_FALSE(paper.paper.authors.empty()) << record.id;
  if (with_abstract) {
    EXPECT_GT(paper.paper.abstract.size(), 20U) << record.id;
  }
}

TEST_F(RealPages, AclXmlGivesEveryPaper) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(pages_folder() / "aclanthology")) {
    const std::string text = io::read_file(entry.path());
    const Listing listing = read_acl_xml(text);
    EXPECT_EQ(listing.records.size() + listing.problems.size(), count(text, "<paper id=")) << entry.path();
    EXPECT_EQ(static_cast<std::size_t>(
                  std::count_if(listing.records.begin(), listing.records.end(),
                                [](const Record& record) { return !record.withdrawn.empty(); })),
              count(text, "<retracted") + count(text, "<removed"))
        << entry.path();
    std::size_t authors = 0;
    std::size_t abstracts = 0;
    for (const Record& record : listing.records) {
      if (!record.abstract.empty() && !record.authors.empty()) expect_whole("acl", 2020, record, false);
      EXPECT_FALSE(record.track.empty()) << record.id;
      authors += record.authors.size();
      abstracts += record.abstract.empty() ? 0 : 1;
    }
    EXPECT_EQ(authors, count(text, "<author>") + count(text, "<author ")) << entry.path();
    EXPECT_EQ(abstracts, count(text, "<abstract>")) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 14U);
}

TEST_F(RealPages, PmlrPostsGiveAllFields) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(pages_folder() / "pmlr")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("posts_")) continue;
    const std::string text = io::read_file(entry.path());
    const Record record = read_pmlr_post(text);
    EXPECT_TRUE(name.ends_with("-" + record.id + ".md")) << name;
    EXPECT_EQ(record.authors.size(), count(text, "- given:")) << name;
    EXPECT_FALSE(record.pdf_url.empty()) << name;
    expect_whole("icml", 2013, record);
    ++files;
  }
  EXPECT_EQ(files, 14U);
}

TEST_F(RealPages, PmlrVolumePaperAndBibliographyAreRead) {
  const std::string text = page("pmlr/v235_volume_index.trimmed.html");
  const Listing listing = read_pmlr_volume(text, "https://proceedings.mlr.press/v235/");
  EXPECT_EQ(listing.records.size(), count(text, "<div class=\"paper\">"));
  EXPECT_EQ(listing.records.at(0).id, "abad-rocamora24a");
  EXPECT_EQ(listing.records.at(0).openreview_id, "AZWqXfM6z9");
  Record record = listing.records[0];
  read_pmlr_paper(page("pmlr/v28_paper_muandet13.trimmed.html"), record);
  EXPECT_EQ(record.abstract, "Synthetic abstract 5");
  EXPECT_EQ(record.authors.size(), 3U);
  const std::string bib = raw("pmlr/colt19_head.bib");
  const std::vector<Record> records = read_pmlr_bib(bib);
  // The file is cut: its last entry is broken.
  EXPECT_GE(records.size() + 1, count(bib, "@inproceedings{"));
  EXPECT_GE(records.size(), 5U);
}

TEST_F(RealPages, NeurIpsListAndPapersAreRead) {
  const std::string text = page("neurips/2024_year_index.trimmed.html");
  const Listing listing = read_neurips_list(text, "https://proceedings.neurips.cc/paper_files/paper/2024");
  EXPECT_EQ(listing.records.size(), count(text, "title=\"paper title\""));
  EXPECT_EQ(listing.stated, 4493U);
  Record record = listing.records.at(0);
  read_neurips_paper(page("neurips/2024_abstract_db_track.trimmed.html"), record);
  EXPECT_EQ(record.abstract, "Synthetic abstract 1");
  EXPECT_EQ(record.doi, "10.52202/079017-0016");
  read_neurips_paper(page("neurips/2013_abstract.trimmed.html"), record);
  EXPECT_TRUE(record.abstract.starts_with("Synthetic abstract")) << record.abstract;
}

TEST_F(RealPages, OpenReviewAnswersAreReadByTheRules) {
  std::string reason;
  const NotesPage v2 = read_openreview_notes(raw("openreview/v2_iclr2024_notes_accepted.json"));
  ASSERT_EQ(v2.notes.size(), count(raw("openreview/v2_iclr2024_notes_accepted.json"), "\"venueid\""));
  for (const Note& note : v2.notes)
    EXPECT_TRUE(accepts(rules_of("ICLR.cc/2024").at(0), note, reason)) << reason;
  const NotesPage bare = read_openreview_notes(raw("openreview/v1_iclr2023_rejected_bare_venueid.json"));
  ASSERT_EQ(bare.notes.size(), 1U);
  EXPECT_FALSE(accepts(rules_of("ICLR.cc/2023").at(0), bare.notes[0], reason));
  EXPECT_EQ(reason, "venue: Submitted to ICLR 2023");
  const NotesPage forum = read_openreview_notes(raw("openreview/v1_iclr2018_forum_rejected.json"));
  std::string decision;
  for (const Note& note : forum.notes) {
    if (note.invitation.ends_with("Acceptance_Decision")) decision = note.decision;
  }
  EXPECT_EQ(decision, "Reject");
  EXPECT_TRUE(net::is_challenge(raw("openreview/anonymous_challenge.html")));
}

TEST_F(RealPages, IclrArchivesAreRead) {
  EXPECT_EQ(read_iclr_sites(page("iclr/archive_2014_conference_proceedings.trimmed.html"), "https://iclr.cc/")
                .records.size(),
            2U);
  const Listing wiki =
      read_iclr_wiki(page("iclr/archive_2015_accepted_main.trimmed.html"), "https://iclr.cc/");
  EXPECT_EQ(wiki.records.size() + wiki.problems.size(),
            count(page("iclr/archive_2015_accepted_main.trimmed.html"), "<div class=\"li\">"));
}

TEST_F(RealPages, AaaiIsRead) {
  const OaiPage oai = read_oai_records(raw("aaai/ojs_oai_listrecords.trimmed.xml"));
  EXPECT_EQ(oai.records.size(), 2U);
  EXPECT_EQ(oai.volumes, (std::vector<int>{33, 33}));
  const std::string modelled = page("aaai/MODELLED_ojs_archive_issue_article.html");
  EXPECT_EQ(read_ojs_archive(modelled, "https://ojs.aaai.org/", 40).issues.size(), 1U);
  EXPECT_EQ(read_ojs_issue(modelled, "https://ojs.aaai.org/").records.size(), 1U);
  // Counted by their paragraphs: 348 links to papers (one inside a comment that the page does not close, so
  // browsers do not show it either), 323 and 478 lines of italic names.
  EXPECT_EQ(read_aaai_library(page("aaai/old_aaai10contents.html"),
                              "https://www.aaai.org/Library/AAAI/aaai10contents.php")
                .records.size(),
            347U);
  EXPECT_EQ(read_aaai_accepted(page("aaai/old_aaai13accepts.html"),
                               "https://www.aaai.org/Conferences/AAAI/2013/aaai13accepts.php")
                .records.size(),
            323U);
  EXPECT_EQ(read_aaai_accepted(page("aaai/old_aaai14accepts.html"),
                               "https://www.aaai.org/Conferences/AAAI/2014/aaai14accepts.php")
                .records.size(),
            478U);
  for (const char* name :
       {"aaai/old_aaai08contents.html", "aaai/old_aaai05contents.html", "aaai/old_aaai00contents.html"}) {
    const Listing listing = read_aaai_library(page(name), "https://www.aaai.org/Library/AAAI/x.php");
    EXPECT_GT(listing.records.size(), 150U) << name;
    for (const Record& record : listing.records) {
      EXPECT_FALSE(record.track.empty()) << name << " " << record.id;
      // Talks and highlights of other conferences stand there in forms of their own; they are no main papers.
      if (!judge_by_rules("aaai", record.track).main) continue;
      EXPECT_FALSE(cleaned("aaai", 2000, record).paper.authors.empty()) << name << " " << record.id;
    }
  }
}

/// What must be gone from a cleaned record, by the kind of the hard one.
const std::map<std::string, std::vector<std::string>>& marks_by_kind() {
  static const std::map<std::string, std::vector<std::string>> marks{
      {"control_char", {"\x01", "\x02", "\x03", "\x0b", "\x0c", "\x10", "\x1b", "\x7f"}},
      {"ligature", {"ﬁ", "ﬂ", "ﬀ", "ﬃ", "ﬄ"}},
      {"cid_marker", {"(cid:"}},
      {"zero_width_or_soft_hyphen", {"\u200b", "\u00ad", "\ufeff"}},
      {"html_entity_abstract", {"&amp;", "&lt;", "&gt;", "&quot;", "&#"}},
      {"double_escaped", {"&amp;", "&quot;", "&lt;"}},
      {"html_tag_abstract", {"<p>", "</p>", "<b>", "<i>", "</i>", "<sub>", "<br"}},
      {"mojibake", {"Ã", "â€", "Â°"}},
      {"newline_in_abstract", {"\n", "\r"}},
      {"abstract_label_prefix", {"Abstract:", "Abstract—", "Abstract -"}},
      {"latex_accent_text", {"\\'e", "\\\"o", "\\`e", "\\'{"}},
      {"author_digits_or_mark", {"*", "corresponding author", "¹", "²"}}};
  return marks;
}

TEST_F(RealPages, HardRecordsComeOutClean) {
  io::LineReader lines(pages_folder() / ".." / "facts" / "nasty.jsonl");
  std::size_t records = 0;
  for (std::string_view line; lines.next(line);) {
    const nlohmann::json hard = nlohmann::json::parse(line);
    Record record;
    record.id = "1";
    record.title = hard["title"];
    record.abstract = hard["abstract"];
    record.authors = hard["authors"].get<Names>();
    const std::string kind = hard["why"];
    const Cleaned one = cleaned("icml", 2020, record);
    ++records;
    ASSERT_FALSE(one.reject) << hard["id"] << ": " << *one.reject;
    std::string all = one.paper.title + "\n" + one.paper.abstract;
    EXPECT_EQ(one.paper.abstract.find('\n'), std::string::npos) << hard["id"];
    for (const std::string& name : one.paper.authors) all += " " + name;
    const auto marks = marks_by_kind().find(kind);
    if (marks == marks_by_kind().end()) continue;
    for (const std::string& mark : marks->second) {
      if (mark == "\n") continue;
      EXPECT_EQ(all.find(mark), std::string::npos)
          << kind << " " << hard["id"] << ": " << mark << " in " << all;
    }
  }
  EXPECT_EQ(records, 74U);
}

TEST_F(RealPages, WhatIsNoListIsRefused) {
  // Answers that were cut, single reviews, a page about printed volumes, an index of indexes.
  for (const char* name :
       {"openreview/iclr2026_tracker_PAIlHOJBzN.json", "openreview/iclr2026_tracker_Nn3FUBhz2p.json",
        "openreview/iclr2019_review_BJlOnG0gTX.json", "openreview/iclr2019_review_BkeWgLUpnX.json"}) {
    EXPECT_TRUE(notices_another_layout([&] { (void)read_openreview_notes(raw(name)); })) << name;
  }
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_ijcai_old_list(page("aaai/old_ijcai16.html"), "https://www.ijcai.org/"); }));
  EXPECT_TRUE(notices_another_layout([] {
    (void)read_aaai_library(page("aaai/old_aaai-library.html"), "https://www.aaai.org/Library/AAAI/x.php");
  }));
}

TEST_F(RealPages, VolumeSettingsOfPmlrAreRead) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(pages_folder() / "pmlr")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("config_v")) continue;
    const Yaml settings = read_yaml(io::read_file(entry.path()));
    EXPECT_EQ("config_v" + settings["volume"].scalar + ".yml", name);
    EXPECT_FALSE(settings["shortname"].scalar.empty()) << name;
    ++files;
  }
  EXPECT_EQ(files, 7U);
}

TEST_F(RealPages, ModelledPagesOfIjcaiAndCvfAreRead) {
  const Listing ijcai =
      read_ijcai_list(page("ijcai/MODELLED_index_and_paper.html"), "https://www.ijcai.org/proceedings/2025/");
  ASSERT_EQ(ijcai.records.size(), 1U);
  Record record = ijcai.records[0];
  read_ijcai_paper(page("ijcai/MODELLED_index_and_paper.html"), record);
  EXPECT_EQ(record.abstract, "This is the official abstract.");
  const Listing cvf = read_cvf_list(page("cvf/MODELLED_listing_and_paper.html"),
                                    "https://openaccess.thecvf.com/CVPR2026?day=all");
  ASSERT_EQ(cvf.records.size(), 1U);
  EXPECT_EQ(cvf.records[0].authors, (Names{"Jie Xiao", "Yinchao Ma"}));
  record = cvf.records[0];
  read_cvf_paper(page("cvf/MODELLED_listing_and_paper.html"), record);
  EXPECT_EQ(record.abstract, "This paper tests the parser.");
}

}  // namespace
}  // namespace mustcite::collect
