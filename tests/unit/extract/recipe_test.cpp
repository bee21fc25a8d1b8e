#include "stages/extract/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "stages/extract/published_json.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/extract/grobid_server.hpp"
#include "unit/extract/pdf_writer.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using mustcite::testing::code_of;
using mustcite::testing::GrobidServer;
using mustcite::testing::PdfWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kTei =
    R"(<TEI><teiHeader/><text><body><div><head>Introduction</head><p>As <ref type="bibr"
 target="#b0">[1]</ref> says.</p></div></body><back><div><listBibl><biblStruct xml:id="b0"><analytic><title level="a">A
 work</title></analytic><monogr><imprint><date when="2011"/></imprint></monogr></biblStruct></listBibl></div></back>
 </text></TEI>)";

constexpr const char* kMarkup =
    "# Title\n\n## 1 Introduction\n\nFirst. As [1] and [2, 3] say. Last one.\n\n## References\n\n* [1] A. "
    "Smith. Some "
    "work. _Journal_, 2001.\n* [2] B. Doe. Another work. _Journal_, 2002.\n* [3] C. Poe. A caption without "
    "its year.\n";

/// Tags against numbers: Type III.
constexpr const char* kTypeThree =
    "# Title\n\n## 1 Introduction\n\nAs [1] and [2] say.\n\n## References\n\n* [ABC01] A. Smith. Some work. "
    "_Journal_, "
    "2001.\n* [DEF02] B. Doe. Another work. _Journal_, 2002.\n";

/// A page of text with a reference list, or without one.
std::string pdf(bool list) {
  PdfWriter writer;
  writer.page();
  writer.text(72, 90, 16, "A Title of Tests", true);
  writer.text(72, 130, 12, "1 Introduction", true);
  for (int i = 0; i < 12; ++i)
    writer.text(72, 150 + 12 * i, 10, "Plain words as in [1] and [2] stand in this line of text.");
  if (list) {
    writer.text(72, 320, 12, "References", true);
    for (int i = 1; i <= 4; ++i)
      writer.text(
          72, 330 + 14 * i, 10,
          "[" + std::to_string(i) + "] A. Smith. Some work of art. Journal, 200" + std::to_string(i) + ".");
  }
  return writer.bytes();
}

class RecipeTest : public ::testing::Test {
 protected:
  RecipeTest() { options_.reading.worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf"; }
  fs::path file(const std::string& name, const std::string& bytes) {
    io::write_file_atomically(folder_ / name, bytes);
    return folder_ / name;
  }
  Coverage read(const std::vector<fs::path>& files) {
    SilentProgress progress;
    outcomes_.clear();
    return read_papers(
        group_files(files), options_, [&](Outcome&& outcome) { outcomes_.push_back(std::move(outcome)); },
        progress);
  }
  /// "reader verdict reason" of every attempt at the first paper.
  std::vector<std::string> route() const {
    std::vector<std::string> lines;
    for (const auto& attempt : outcomes_.front().attempts)
      lines.push_back(std::string(reader_name(attempt.reader)) + " " + verdict_name(attempt.verdict) + " " +
                      attempt.reason);
    return lines;
  }
  mustcite::testing::TempFolder folder_;
  RecipeOptions options_;
  std::vector<Outcome> outcomes_;
};

TEST(Recipe, NamesGiveTheOrderOfTheReaders) {
  EXPECT_THAT(parse_recipe("default"), ElementsAre(Reader::native, Reader::grobid, Reader::nougat));
  EXPECT_THAT(parse_recipe("published"), ElementsAre(Reader::nougat, Reader::grobid));
  EXPECT_THAT(parse_recipe("grobid"), ElementsAre(Reader::grobid));
  EXPECT_EQ(code_of([] { (void)parse_recipe("other"); }), ErrorCode::usage);
}

TEST(Recipe, FilesWithOneStemAreOnePaper) {
  const auto papers = group_files({"x/b.tei.xml", "a.pdf", "y/b.mmd", "b.pdf", "c.grobid.tei.xml", "d"});
  ASSERT_EQ(papers.size(), 4u);
  EXPECT_EQ(papers[0].name, "b");
  EXPECT_EQ(papers[0].tei, "x/b.tei.xml");
  EXPECT_EQ(papers[0].nougat, "y/b.mmd");
  EXPECT_EQ(papers[0].pdf, "b.pdf");
  EXPECT_EQ(papers[2].name, "c");
  EXPECT_EQ(papers[3].pdf, "d");
  EXPECT_EQ(code_of([] { (void)group_files({"a/b.pdf", "c/b.pdf"}); }), ErrorCode::invalid_input);
}

TEST_F(RecipeTest, TheFirstReaderWithAGoodDocumentIsUsed) {
  const Coverage coverage = read({file("a.pdf", pdf(true)), file("a.mmd", kMarkup)});
  EXPECT_THAT(route(), ElementsAre("native good "));
  EXPECT_EQ(coverage.by_reader.at(Reader::native), 1u);
  EXPECT_EQ(coverage.unusable, 0u);
}

TEST_F(RecipeTest, ThePublishedRecipeTakesNougatFirstAndGrobidForTypeThree) {
  options_.readers = parse_recipe("published");
  (void)read({file("a.mmd", kMarkup)});
  EXPECT_THAT(route(), ElementsAre("nougat good "));
  const Coverage coverage = read({file("b.mmd", kTypeThree), file("b.tei.xml", kTei)});
  EXPECT_THAT(route(), ElementsAre("nougat failed alpha-tag-mismatch", "grobid good "));
  EXPECT_EQ((coverage.failures.at({Reader::nougat, "alpha-tag-mismatch"})), 1u);
}

TEST_F(RecipeTest, APdfWithoutAListGoesToTheNextReader) {
  // As much text as the PDF has: less would be told.
  std::string words;
  for (int i = 0; i < 12; ++i)
    words += "Sentence " + std::to_string(i) + " holds other words than its " + std::to_string(i * 7) +
             " neighbours. ";
  std::string markup = kMarkup;
  markup.insert(markup.find("First."), words);
  (void)read({file("a.pdf", pdf(false)), file("a.mmd", markup)});
  EXPECT_THAT(route(), ElementsAre("native failed no-references", "grobid no source ", "nougat good "));
  EXPECT_TRUE(outcomes_[0].usable);
}

TEST_F(RecipeTest, AFaultyDocumentIsUsedWhenNoReaderHasAGoodOne) {
  const std::string lost = std::string(kMarkup) + "\n[MISSING_PAGE_FAIL:2]\n";
  const Coverage coverage = read({file("a.mmd", lost), file("b.pdf", "no pdf")});
  EXPECT_THAT(route(), ElementsAre("native no source ", "grobid no source ", "nougat faulty missing-pages"));
  EXPECT_TRUE(outcomes_[0].usable);
  EXPECT_EQ(coverage.faulty, 1u);
  EXPECT_FALSE(outcomes_[1].usable);
  EXPECT_EQ(coverage.papers, 2u);
  EXPECT_EQ(coverage.unusable, 1u);
  ASSERT_EQ(coverage.ledger.size(), 1u);
  EXPECT_THAT(coverage.ledger[0].reason, HasSubstr("native: "));
}

TEST_F(RecipeTest, GrobidIsAskedForPdfsThatTheNativeReaderCannotUse) {
  const std::string unusable = pdf(false);
  const GrobidServer server([&](const std::string& bytes, std::size_t, httplib::Response& response) {
    EXPECT_EQ(bytes, unusable);
    response.set_content(kTei, "application/xml");
  });
  options_.grobid.emplace();
  options_.grobid->url = server.url();
  (void)read({file("a.pdf", unusable), file("b.pdf", pdf(true))});
  EXPECT_THAT(route(), ElementsAre("native failed no-references", "grobid good "));
  EXPECT_EQ(outcomes_[1].attempts.size(), 1u);
  EXPECT_EQ(server.requests(), 1u);
}

TEST_F(RecipeTest, AServiceThatIsDownIsToldBeforeAnythingIsRead) {
  options_.grobid.emplace();
  {
    options_.grobid->url = GrobidServer([](const std::string&, std::size_t, httplib::Response&) {}).url();
  }
  EXPECT_EQ(code_of([&] { (void)read({file("a.pdf", pdf(true))}); }), ErrorCode::unavailable);
}

TEST_F(RecipeTest, TheCommandMakesMarkupAndItsGapsKeepTheirReason) {
  const auto script = file(
      "nougat.sh", std::string("#!/bin/sh\nfor last; do :; done\nwhile [ \"$1\" != \"--out\" ]; do\n  ") +
                       "if ! grep -q encrypted \"$1\"; then cp '" + (folder_ / "a.txt").string() +
                       "' \"$last/$(basename \"$1\" .pdf).mmd\"; fi\n  shift\ndone\n");
  ::chmod(script.c_str(), 0755);
  (void)file("a.txt", kMarkup);
  options_.readers = parse_recipe("published");
  options_.nougat.emplace();
  options_.nougat->command = {script.string()};
  options_.nougat->cache = folder_ / "cache";
  const Coverage coverage = read({file("a.pdf", "%PDF one"), file("b.pdf", "%PDF encrypted")});
  EXPECT_TRUE(outcomes_[0].usable);
  EXPECT_FALSE(outcomes_[1].usable);
  EXPECT_THAT(outcomes_[1].attempts[0].message, HasSubstr("no markup"));
  EXPECT_EQ((coverage.failures.at({Reader::nougat, "unreadable"})), 1u);
}

TEST_F(RecipeTest, TheCoverageTableAddsUp) {
  const Coverage coverage =
      read({file("a.mmd", kMarkup), file("b.mmd", kTypeThree), file("c.tei.xml", kTei)});
  EXPECT_EQ(coverage.papers, 3u);
  EXPECT_EQ(coverage.by_reader.at(Reader::nougat) + coverage.by_reader.at(Reader::grobid) + coverage.unusable,
            3u);
  EXPECT_EQ(coverage_table(coverage),
            "reader         papers    share\n"
            "grobid              1   33.33%\n"
            "nougat              1   33.33%\n"
            "unusable            1   33.33%\n"
            "all                 3  100.00%\n"
            "\n"
            "reader       not good because           papers\n"
            "nougat       alpha-tag-mismatch              1\n");
}

TEST_F(RecipeTest, EveryReaderWritesThePublishedSchema) {
  for (const auto& [name, bytes] :
       {std::pair{"a.mmd", std::string(kMarkup)}, {"b.tei.xml", std::string(kTei)}, {"c.pdf", pdf(true)}}) {
    (void)read({file(name, bytes)});
    ASSERT_TRUE(outcomes_[0].usable) << name;
    const auto list = nlohmann::json::parse(published_json(*outcomes_[0].document));
    ASSERT_TRUE(list.is_array());
    ASSERT_FALSE(list.empty()) << name;
    for (const auto& object : list) {
      for (const char* field : {"target", "title", "year", "cite"})
        EXPECT_TRUE(object.at(field).is_string()) << name;
      for (const auto& context : object.at("contexts")) {
        EXPECT_TRUE(context.at("section").is_string());
        EXPECT_THAT(context.at("context").get<std::string>(),
                    HasSubstr(object.at("cite").get<std::string>()));
      }
    }
  }
}

TEST_F(RecipeTest, EntriesWithoutAYearAndRepeatedContextsAreLeftOutAndCounted) {
  const std::string twice =
      "# Title\n\n## 1 Introduction\n\nAs [1] and [2], and again [1], say.\n\n## References\n\n* [1] A. "
      "Smith. Some work. "
      "_Journal_, 2001.\n* [2] B. Doe. Another work without its year.\n";
  (void)read({file("a.mmd", twice)});
  Kept kept;
  const auto list = nlohmann::json::parse(published_json(*outcomes_[0].document, &kept));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].at("target"), "1");
  EXPECT_EQ(list[0].at("year"), "2001");
  EXPECT_EQ(list[0].at("cite"), "1");
  EXPECT_EQ(list[0].at("contexts").size(), 1u);
  EXPECT_EQ(list[0].at("contexts")[0].at("context"), "As [1] and [2], and again [1], say.");
  EXPECT_EQ(list[0].at("mentions"), 2);
  EXPECT_EQ(kept.without_year, 1u);
  EXPECT_EQ(kept.repeated_contexts, 1u);
  const auto provenance = nlohmann::json::parse(provenance_json(outcomes_[0], kept));
  EXPECT_EQ(provenance.at("reader"), "nougat");
  EXPECT_EQ(provenance.at("references").at("without_year"), 1);
  EXPECT_EQ(provenance.at("attempts").size(), 3u);
}

}  // namespace
