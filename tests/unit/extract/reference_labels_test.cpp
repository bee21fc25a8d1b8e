#include "stages/extract/reference_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "stages/extract/labelled_strings.hpp"
#include "stages/extract/reference_styles.hpp"
#include "stages/extract/train_labels.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using mustcite::testing::code_of;
using ::testing::ElementsAre;
namespace fs = std::filesystem;

std::vector<std::string> token_texts(const std::string& raw) {
  std::vector<std::string> texts;
  for (const auto& token : reference_tokens(raw))
    texts.push_back(raw.substr(token.begin, token.end - token.begin));
  return texts;
}

TEST(ReferenceTokens, PartsWordsNumbersAndMarksAndKeepsAddressesWhole) {
  EXPECT_THAT(token_texts("Müller, J.-P. 2017a. doi:10.1145/12.3(4), http://a.b/c?d=1."),
              ElementsAre("Müller", ",", "J", ".", "-", "P", ".", "2017", "a", ".", "doi", ":",
                          "10.1145/12.3(4", ")", ",", "http://a.b/c?d=1", "."));
  EXPECT_THAT(token_texts("arXiv:1412.6980v9 [cs]"),
              ElementsAre("arXiv", ":", "1412.6980v9", "[", "cs", "]"));
  EXPECT_TRUE(token_texts(" \n ").empty());
}

TEST(TokenLabels, MarksBelongToTheFieldBeforeAndOpeningOnesToTheFieldBehind) {
  const std::string raw = "A. Doe. “A title?” (2001).";
  const std::vector<LabelledField> fields{
      {FieldLabel::author, 0, 7, 1}, {FieldLabel::title, 11, 19, 1}, {FieldLabel::date, 24, 28, 1}};
  const auto tokens = reference_tokens(raw);
  const auto labels = token_labels(raw, tokens, fields);
  const auto back = labelled_fields(raw, tokens, labels, {});
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(raw.substr(back[0].begin, back[0].end - back[0].begin), "A. Doe");
  EXPECT_EQ(raw.substr(back[1].begin, back[1].end - back[1].begin), "A title?");
  EXPECT_EQ(raw.substr(back[2].begin, back[2].end - back[2].begin), "2001");
  // No token is left unlabelled.
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 0), 0);
}

TEST(LabelledWork, ABookIsTheWorkItselfOnlyWithoutAContribution) {
  const std::string raw = "Doe Part Whole";
  const LabelledField part{FieldLabel::title, 4, 8, 1};
  const LabelledField whole{FieldLabel::book, 9, 14, 1};
  EXPECT_EQ(labelled_work(raw, std::vector{part, whole}).title, "Part");
  EXPECT_EQ(labelled_work(raw, std::vector{part, whole}).venue, "Whole");
  EXPECT_EQ(labelled_work(raw, std::vector{whole}).title, "Whole");
  EXPECT_EQ(labelled_work(raw, std::vector{whole}).venue, "");
}

TEST(LabelledStrings, ReadsBothMarkups) {
  const auto grobid = read_grobid_strings(
      "<listBibl><bibl> <author>A. Doe</author>.   <title level=\"a\">On <lb/>things</title>. In <title "
      "level=\"m\">Proc. X</title>,"
      " <biblScope type=\"pp\">1-2</biblScope>, <date>May 1999</date> </bibl></listBibl>",
      "g.xml");
  ASSERT_EQ(grobid.size(), 1u);
  EXPECT_EQ(grobid[0].raw, "A. Doe. On things. In Proc. X, 1-2, May 1999");
  const auto work = labelled_work(grobid[0].raw, grobid[0].fields);
  EXPECT_EQ(work.authors, "A. Doe");
  EXPECT_EQ(work.title, "On things");
  EXPECT_EQ(work.venue, "Proc. X");
  EXPECT_EQ(work.year, 1999);
  const auto anystyle = read_anystyle_strings(
      "<dataset><sequence><citation-number>[1]</citation-number><author>Doe A,</author><title>A "
      "book,</title><date>2001.</date></sequence></dataset>",
      "a.xml");
  ASSERT_EQ(anystyle.size(), 1u);
  EXPECT_EQ(anystyle[0].raw, "Doe A, A book, 2001.");
  EXPECT_EQ(anystyle[0].fields[1].label, FieldLabel::book);
  EXPECT_EQ(code_of([] { static_cast<void>(read_grobid_strings("<a><b></a>", "x")); }),
            ErrorCode::invalid_input);
}

std::vector<Paper> papers() {
  std::vector<Paper> list;
  const char* people[] = {"Ada Lovelace",   "Grace Hopper",    "Kurt van der Berg",
                          "Alan M. Turing", "Jean-Paul Weiss", "Emmy Noether"};
  const char* topics[] = {"parsing", "vision", "planning", "translation", "inference", "clustering"};
  const char* ways[] = {"Learning {} with less supervision", "A survey of {}", "Robust {} under noise",
                        "Why {} works: a closer look", "Is {} solved?"};
  for (std::size_t i = 0; i < 150; ++i) {
    Paper paper;
    paper.id = PaperId("p" + std::to_string(i));
    paper.title = ways[i % 5];
    paper.title.replace(paper.title.find("{}"), 2,
                        std::string(topics[i % 6]) + " and " + topics[(i / 6) % 6]);
    for (std::size_t k = 0; k <= i % 4; ++k) paper.authors.push_back(people[(i + k) % 6]);
    paper.venue = i % 2 == 0 ? "neurips" : "acl";
    paper.date.year = 2000 + static_cast<int>(i % 24);
    list.push_back(std::move(paper));
  }
  return list;
}

TEST(RenderedReferences, AreTheSameAgainAndHoldTheirPaper) {
  RenderOptions options;
  options.count = 200;
  const auto list = papers();
  const auto strings = render_references(list, options);
  const auto again = render_references(list, options);
  ASSERT_EQ(strings.size(), 200u);
  std::size_t with_title = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(strings[i].raw, again[i].raw);
    const auto work = labelled_work(strings[i].raw, strings[i].fields);
    EXPECT_FALSE(work.authors.empty()) << strings[i].raw;
    with_title += work.title.empty() ? 0 : 1;
    std::size_t end = 0;
    for (const auto& field : strings[i].fields) {
      EXPECT_GE(field.begin, end);
      EXPECT_GT(field.end, field.begin);
      end = field.end;
    }
  }
  EXPECT_GT(with_title, 170u);
  EXPECT_TRUE(render_references({}, options).empty());
}

TEST(PrintNames, FollowsTheForm) {
  const std::vector<std::string> people{"Ada B. Lovelace", "Jean-Paul van der Weiss", "Grace Hopper"};
  NameForm form;
  form.given = NameForm::Given::spaced;
  EXPECT_EQ(print_names(people, form), "A. B. Lovelace, J.-P. van der Weiss and G. Hopper");
  form.family_first = true;
  form.between = "; ";
  form.last = "; and ";
  EXPECT_EQ(print_names(people, form), "Lovelace, A. B.; van der Weiss, J.-P.; and Hopper, G.");
  form.given = NameForm::Given::bare;
  form.inside = " ";
  form.most = 1;
  EXPECT_EQ(print_names(people, form), "Lovelace AB et al.");
}

/// Trained on rendered strings and two labelled ones only: small, but a real model.
class Trained : public ::testing::Test {
 protected:
  static const fs::path& folder() {
    static const mustcite::testing::TempFolder kFolder;
    static const fs::path kModel = [] {
      fs::create_directories(kFolder / "strings");
      io_write(kFolder / "strings" / "g.xml",
               "<listBibl><bibl><author>A. Doe</author>. <title level=\"a\">On many things</title>. <title "
               "level=\"j\">J. X</title> <date>1999</date></bibl></listBibl>");
      LabelTraining training;
      training.strings = kFolder / "strings";
      training.rendered = 900;
      training.hold_out = LabelTraining::HoldOut::none;
      training.learner.rounds = 8;
      SilentProgress progress;
      const auto report = train_labels(training, papers(), kFolder / "model", progress);
      EXPECT_EQ(report.read, report.trained + report.held_out + report.short_ones + report.repeated);
      return kFolder / "model";
    }();
    return kModel;
  }
  static void io_write(const fs::path& file, const std::string& text) {
    std::FILE* out = std::fopen(file.c_str(), "wb");
    ASSERT_NE(out, nullptr);
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
  }
};

TEST_F(Trained, ReadsFieldsOfStylesItHasSeen) {
  const auto labeller = ReferenceLabeller::load(folder());
  ReferenceEntry entry;
  entry.fields.raw =
      "Ada Lovelace and Grace Hopper. Robust planning and parsing under noise. In Advances in Neural "
      "Information Processing Systems, pages 10–19, 2014.";
  labeller.read_fields(entry);
  EXPECT_EQ(entry.fields.title, "Robust planning and parsing under noise");
  EXPECT_THAT(entry.fields.authors, ElementsAre("Ada Lovelace", "Grace Hopper"));
  EXPECT_EQ(entry.fields.venue, "Advances in Neural Information Processing Systems");
  EXPECT_EQ(entry.fields.year, 2014);
}

TEST_F(Trained, KeepsWhatItKnowsNothingOf) {
  const auto labeller = ReferenceLabeller::load(folder());
  ReferenceEntry entry;
  entry.fields.title = "Kept";
  labeller.read_fields(entry);
  EXPECT_EQ(entry.fields.title, "Kept");
  EXPECT_TRUE(labeller.label("").empty());
}

TEST_F(Trained, RefusesDamagedOrForeignModels) {
  const mustcite::testing::TempFolder broken;
  fs::copy(folder(), broken.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::resize_file(broken / "names.bin", fs::file_size(broken / "names.bin") - 1);
  EXPECT_EQ(code_of([&] { ReferenceLabeller::load(broken.path()); }), ErrorCode::corrupt);
  EXPECT_EQ(code_of([&] { ReferenceLabeller::load(broken / "nowhere"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { ReferenceLabeller(learn::CrfModel({"a"}, {}, {}, {0.0F}, {0.0F}), NameWords()); }),
            ErrorCode::corrupt);
}

TEST(NameWords, TellsNamesFromTitleWords) {
  NameWords::Builder builder;
  for (int i = 0; i < 5; ++i) {
    builder.add_author("Ada Lovelace");
    builder.add_title("Parsing by Planning");
  }
  builder.add_author("Rare");
  const NameWords words = NameWords::from_bytes(builder.build(3).to_bytes());
  EXPECT_EQ(words.use("lovelace"), NameWords::Use::name);
  EXPECT_EQ(words.use("parsing"), NameWords::Use::title);
  EXPECT_EQ(words.use("rare"), NameWords::Use::unknown);
  EXPECT_EQ(code_of([] { static_cast<void>(NameWords::from_bytes("nothing")); }), ErrorCode::corrupt);
}

TEST(ReferenceLabelsSlow, ReachTheirFiguresOnTheHeldOutFifth) {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  const fs::path shared =
      chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared";
  if (!fs::exists(shared / "extract" / "reference-strings")) GTEST_SKIP() << "skipped: no ../shared";
  LabelTraining training;
  training.strings = shared / "extract" / "reference-strings";
  SilentProgress progress;
  auto report = train_labels(training, {}, {}, progress);
  EXPECT_EQ(report.read, report.trained + report.held_out + report.short_ones + report.repeated);
  EXPECT_GE(report.scores["year"].f1(), 0.99);
  EXPECT_GE(report.scores["authors"].f1(), 0.94);
  EXPECT_GE(report.scores["title"].f1(), 0.82);
  EXPECT_GE(report.scores["venue"].f1(), 0.86);
}

}  // namespace
