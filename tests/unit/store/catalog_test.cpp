#include "core/store/catalog.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::store {
namespace {

using testing::code_of;
using testing::TempFolder;
using Mode = Catalog::Mode;

Paper transformer() {
  Paper paper;
  paper.id = PaperId("p1");
  paper.title = "Attention for Everyone";
  paper.abstract = std::string(300, 'a') + " of attention";
  paper.authors = {"Ada Lovelace", "José \"Pepe\" Núñez"};
  paper.venue = "neurips";
  paper.date = {2017, 12, 4};
  paper.track = "oral";
  paper.url = "https://example.org/p1";
  paper.doi = "10.1000/p1";
  paper.arxiv_id = "1706.00001";
  return paper;
}

Citation citation(const char* citing, const char* cited) {
  Citation pair;
  pair.citing = PaperId(citing);
  pair.cited = PaperId(cited);
  pair.citing_year = 2020;
  pair.mentions = 3;
  pair.exp_mentions = 0;
  pair.marker = "[4]";
  pair.contexts = {{"1 Introduction", "We build on [4]."}, {"", std::string(500, 'x')}};
  return pair;
}

std::vector<Paper> papers(const Catalog& catalog) {
  std::vector<Paper> all;
  catalog.each_paper([&](const Paper& paper) { all.push_back(paper); });
  return all;
}

std::vector<Citation> citations(const Catalog& catalog) {
  std::vector<Citation> all;
  catalog.each_citation([&](const Citation& pair) { all.push_back(pair); });
  return all;
}

TEST(Catalog, GivesBackEveryFieldOfAPaperAfterReopening) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  EXPECT_EQ(Catalog(file, Mode::create).put(transformer()), Outcome::added);
  const Catalog catalog(file, Mode::read_only);
  EXPECT_EQ(catalog.paper(PaperId("p1")), transformer());
  EXPECT_EQ(catalog.paper(PaperId("p2")), std::nullopt);
}

TEST(Catalog, GivesBackEveryFieldOfACitationAndTellsUnknownFromZero) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  const Citation known = citation("a", "b");
  Citation unknown;
  unknown.citing = PaperId("a");
  unknown.cited = PaperId("c");
  EXPECT_EQ(catalog.put(known), Outcome::added);
  EXPECT_EQ(catalog.put(unknown), Outcome::added);
  EXPECT_EQ(citations(catalog), (std::vector{known, unknown}));
}

TEST(Catalog, KeepsTextsOfEverySizeAndByte) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  for (const std::size_t size : {0U, 1U, 199U, 200U, 201U, 5000U, 5000000U}) {
    Paper paper;
    paper.id = PaperId("size-" + std::to_string(size));
    for (std::size_t i = 0; i < size; ++i) paper.abstract += static_cast<char>('a' + (i * i / 7) % 26);
    if (size > 0) paper.abstract.back() = '\0';
    catalog.put(paper);
    EXPECT_EQ(catalog.paper(paper.id), paper) << size;
  }
}

TEST(Catalog, AnEmptyFieldNeverErasesAndANewValueReplaces) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  catalog.put(transformer());
  Paper bare;
  bare.id = PaperId("p1");
  EXPECT_EQ(catalog.put(bare), Outcome::unchanged);
  bare.venue = "nips";
  bare.date = {2017, 0, 0};  // no contradiction to 2017-12-04
  EXPECT_EQ(catalog.put(bare), Outcome::updated);
  Paper expected = transformer();
  expected.venue = "nips";
  EXPECT_EQ(catalog.paper(PaperId("p1")), expected);
  bare.date = {2018, 0, 0};
  EXPECT_EQ(catalog.put(bare), Outcome::updated);
  expected.date = {2018, 0, 0};
  EXPECT_EQ(catalog.paper(PaperId("p1")), expected);
}

TEST(Catalog, ReplacesContextsAsAWhole) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  catalog.put(citation("a", "b"));
  Citation other = citation("a", "b");
  other.contexts = {{"2 Method", "As in [4]."}};
  other.mentions.reset();
  EXPECT_EQ(catalog.put(other), Outcome::updated);
  other.mentions = 3;  // unknown does not erase
  EXPECT_EQ(citations(catalog), std::vector{other});
  EXPECT_EQ(catalog.counts().contexts, 1U);
}

TEST(Catalog, RevisionMovesWithContentOnly) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  const auto empty = catalog.revision();
  catalog.put(transformer());
  const auto one = catalog.revision();
  EXPECT_NE(one, empty);
  EXPECT_EQ(catalog.put(transformer()), Outcome::unchanged);
  catalog.reject({"file", 3, "x", "no title"});
  catalog.set_fact("pack", "demo");
  EXPECT_EQ(catalog.revision(), one);
  Paper changed = transformer();
  changed.title = "Another Title";
  catalog.put(changed);
  EXPECT_NE(catalog.revision(), one);
  catalog.put(transformer());
  EXPECT_EQ(catalog.revision(), one) << "the same content has the same revision";
}

TEST(Catalog, RevisionDoesNotDependOnTheOrderOfWriting) {
  const TempFolder scratch;
  Catalog forward(scratch / "forward.sqlite", Mode::create);
  Catalog backward(scratch / "backward.sqlite", Mode::create);
  Paper second = transformer();
  second.id = PaperId("p2");
  const Label label{PaperId("p1"), PaperId("p2"), Tier::type2, 4, "judge", "v1", {2024, 1, 1}};
  forward.put(transformer());
  forward.put(second);
  forward.put(citation("p1", "p2"));
  forward.put(label);
  backward.put(label);
  backward.put(citation("p1", "p2"));
  backward.put(second);
  backward.put(transformer());
  EXPECT_EQ(forward.revision(), backward.revision());
}

TEST(Catalog, AnUncommittedBatchLeavesNoTrace) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  const auto before = catalog.revision();
  {
    Catalog::Batch batch(catalog);
    catalog.put(transformer());
    catalog.reject({"file", 1, "x", "reason"});
  }
  EXPECT_EQ(catalog.revision(), before);
  EXPECT_EQ(catalog.counts().papers, 0U);
  EXPECT_EQ(catalog.counts().rejects, 0U);
  Catalog::Batch batch(catalog);
  catalog.put(transformer());
  batch.commit();
  EXPECT_EQ(catalog.counts().papers, 1U);
  EXPECT_THROW(batch.commit(), Error);
}

TEST(Catalog, CountsAddUp) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  Paper silent = transformer();
  silent.id = PaperId("p2");
  silent.abstract.clear();
  catalog.put(transformer());
  catalog.put(silent);
  catalog.put(citation("p1", "p2"));
  catalog.put(citation("p1", "elsewhere"));
  catalog.put(citation("elsewhere", "nowhere"));
  catalog.put(Label{PaperId("p1"), PaperId("p2"), Tier::type1, 1, "judge", "v1", {}});
  auto counts = catalog.counts();
  EXPECT_EQ(counts.papers, 2U);
  EXPECT_EQ(counts.papers_with_abstract, 1U);
  EXPECT_EQ(counts.citations, 3U);
  EXPECT_EQ(counts.dangling_citations, 2U);
  EXPECT_EQ(counts.contexts, 6U);
  EXPECT_EQ(counts.labels, 1U);
  silent.abstract = "Now it speaks.";
  catalog.put(silent);
  EXPECT_EQ(catalog.counts().papers_with_abstract, 2U);
}

TEST(Catalog, StreamsInAscendingOrder) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  for (const char* id : {"b", "a", "C", "aa"}) {
    Paper paper = transformer();
    paper.id = PaperId(id);
    catalog.put(paper);
  }
  catalog.put(citation("b", "a"));
  catalog.put(citation("a", "c"));
  catalog.put(citation("a", "b"));
  std::vector<std::string> ids;
  for (const auto& paper : papers(catalog)) ids.push_back(paper.id.str());
  EXPECT_EQ(ids, (std::vector<std::string>{"C", "a", "aa", "b"}));
  std::vector<std::string> pairs;
  for (const auto& pair : citations(catalog)) pairs.push_back(pair.citing.str() + pair.cited.str());
  EXPECT_EQ(pairs, (std::vector<std::string>{"ab", "ac", "ba"}));
}

TEST(Catalog, FindsPapersByTitleKey) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  Paper twin = transformer();
  twin.id = PaperId("p0");
  twin.title = "ATTENTION for everyone.";
  Paper untitled;
  untitled.id = PaperId("p3");
  catalog.put(transformer());
  catalog.put(twin);
  catalog.put(untitled);
  EXPECT_EQ(catalog.papers_by_title(text::title_key("attention: for everyone")),
            (std::vector{twin, transformer()}));
  EXPECT_TRUE(catalog.papers_by_title("").empty()) << "no title is no common title";
}

TEST(Catalog, KeepsLabelsByTheirDefinition) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  Label label{PaperId("a"), PaperId("b"), Tier::type2, 4, "rater-1", "rubric-1", {2024, 5, 0}};
  EXPECT_EQ(catalog.put(label), Outcome::added);
  EXPECT_EQ(catalog.put(label), Outcome::unchanged);
  label.value = 5;
  EXPECT_EQ(catalog.put(label), Outcome::updated);
  label.definition = "rubric-2";
  EXPECT_EQ(catalog.put(label), Outcome::added);
  std::vector<Label> all;
  catalog.each_label([&](const Label& one) { all.push_back(one); });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].definition, "rubric-1");
  EXPECT_EQ(all[0].value, 5);
  EXPECT_EQ(all[0].tier, Tier::type2);
  EXPECT_EQ(all[0].date, (Date{2024, 5, 0}));
}

TEST(Catalog, KeepsLabelsOfEachModelWithTheirProvenance) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  Label label{PaperId("a"), PaperId("b"), Tier::type1, 1, "openai", "type1-v1", {2024, 5, 1}};
  label.model = "small";
  label.probability = 0.75;
  label.reply = "1";
  EXPECT_EQ(catalog.put(label), Outcome::added);
  const std::string revision = catalog.revision();
  EXPECT_EQ(catalog.put(label), Outcome::unchanged);
  Label bare = label;
  bare.probability.reset();
  bare.reply.clear();
  EXPECT_EQ(catalog.put(bare), Outcome::unchanged);
  EXPECT_EQ(catalog.revision(), revision);
  label.model = "large";
  label.reply = "1.";
  EXPECT_EQ(catalog.put(label), Outcome::added);
  bare.value = 0;
  EXPECT_EQ(catalog.put(bare), Outcome::updated);
  std::vector<Label> all;
  catalog.each_label([&](const Label& one) { all.push_back(one); });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].model, "large");
  EXPECT_EQ(all[0].probability, 0.75);
  EXPECT_EQ(all[0].reply, "1.");
  EXPECT_EQ(all[1].value, 0);
  EXPECT_FALSE(all[1].probability.has_value());
  EXPECT_TRUE(all[1].reply.empty());
}

TEST(Catalog, KeepsARejectOnce) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  for (int again = 0; again < 2; ++again) {
    catalog.reject({"a.jsonl", 7, "p7", "no title"});
    catalog.reject({"a.jsonl", 7, "p7", "no year"});
    catalog.reject({"a.jsonl", 2, "p2", "no title"});
  }
  std::vector<std::uint64_t> lines;
  catalog.each_reject([&](const Reject& reject) { lines.push_back(reject.line); });
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{2, 7, 7}));
  EXPECT_EQ(catalog.counts().rejects, 3U);
}

TEST(Catalog, RemembersFacts) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  EXPECT_EQ(catalog.fact("pack"), std::nullopt);
  catalog.set_fact("pack", "demo");
  catalog.set_fact("pack", "demo-2");
  EXPECT_EQ(catalog.fact("pack"), "demo-2");
}

TEST(Catalog, RefusesRecordsWithoutId) {
  const TempFolder scratch;
  Catalog catalog(scratch / "catalog.sqlite", Mode::create);
  EXPECT_EQ(code_of([&] { catalog.put(Paper{}); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { catalog.put(citation("a", "")); }), ErrorCode::invalid_input);
  EXPECT_EQ(catalog.counts().citations, 0U);
}

TEST(Catalog, RefusesToWriteWhenOpenForReading) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  { const Catalog made(file, Mode::create); }
  Catalog catalog(file, Mode::read_only);
  EXPECT_EQ(code_of([&] { catalog.put(transformer()); }), ErrorCode::unavailable);
  EXPECT_EQ(code_of([&] { const Catalog::Batch batch(catalog); }), ErrorCode::unavailable);
}

TEST(Catalog, RefusesAMissingFileNamingTheRemedy) {
  const TempFolder scratch;
  for (const auto mode : {Mode::read_only, Mode::read_write}) {
    try {
      const Catalog catalog(scratch / "none.sqlite", mode);
      ADD_FAILURE() << "opened a missing file";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      EXPECT_NE(std::string(error.what()).find("mustcite init"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mustcite::store
