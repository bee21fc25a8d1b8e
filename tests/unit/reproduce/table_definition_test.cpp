// The files of tables: what they may say, those that ship, and the published values.
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "apps/reproduce/tables/definition.hpp"
#include "apps/reproduce/tables/published.hpp"
#include "table_fixture.hpp"
#include "testing/error_code.hpp"

namespace mustcite::reproduce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class TableFile : public TableFixture {
 protected:
  std::string refusal(const std::string& methods, const std::string& more = "") {
    try {
      static_cast<void>(table(methods, more));
    } catch (const Error& error) {
      return error.code() == ErrorCode::invalid_input ? error.what() : "another code";
    }
    return "";
  }
};

TEST_F(TableFile, UnknownKeysAndPlaceholdersAreRefusedWithTheirLine) {
  EXPECT_THAT(refusal(method("bm25", "lable = \"x\"")),
              HasSubstr("there is no key 'lable', did you mean 'label'?"));
  EXPECT_THAT(refusal(method("bm25", "weights = [\"{modles}/a:b\"]")),
              HasSubstr("{modles} stands for nothing"));
  EXPECT_THAT(refusal(method("bm25", "weights = [\"{modles}/a:b\"]")), HasSubstr("t.toml:14"));
  EXPECT_THAT(refusal(method("bm25"), "notse = [\"x\"]\n"), HasSubstr("did you mean 'notes'?"));
}

TEST_F(TableFile, NamesStandOnceAndTheBaselineIsARow) {
  EXPECT_THAT(refusal(method("bm25") + method("bm25")), HasSubstr("'bm25' stands twice"));
  EXPECT_THAT(refusal(method("bm52")), HasSubstr("did you mean 'bm52'?"));
  EXPECT_THAT(refusal(method("bm25") + method("../x")), HasSubstr("is no name"));
}

TEST_F(TableFile, AStandInIsAlwaysNamed) {
  EXPECT_THAT(
      refusal(method("bm25"), "[[tiers]]\nname = \"a\"\nlabel = \"A\"\nqrels = \"a\"\nstand_in = \"b\"\n"),
      HasSubstr("a stand-in is always named"));
}

TEST_F(TableFile, SeedAndEachNeedTheirKeys) {
  EXPECT_THAT(refusal(method("bm25", "weights = [\"{seed}\"]")), HasSubstr("{seed} needs the key 'seeds'"));
  EXPECT_THAT(refusal(method("bm25", "weights = [\"{each}\"]")), HasSubstr("{each} needs the key 'each'"));
  EXPECT_THAT(refusal(method("bm25", "seeds = [-1]")), HasSubstr("not negative"));
  EXPECT_THAT(refusal(method("bm25", "each = \"{index}\"")), HasSubstr("is called \"{each}\""));
}

TEST_F(TableFile, MetricsAreThoseOfEvaluate) {
  write("t.toml",
        "title = \"T\"\nmetrics = \"MAP,Recal@1\"\nsummary = \"MAP\"\nbaseline = \"bm25\"\n"
        "[[tiers]]\nname = \"a\"\nlabel = \"A\"\nqrels = \"a\"\n" +
            method("bm25"));
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(load_table(temp_ / "t.toml")); }),
            ErrorCode::invalid_input);
  EXPECT_THAT(refusal(method("bm25"), "notes = [1]\n"), HasSubstr("must be a text"));
  write("t.toml",
        "title = \"T\"\nmetrics = \"MAP\"\nsummary = \"MRR\"\nbaseline = \"bm25\"\n"
        "[[tiers]]\nname = \"a\"\nlabel = \"A\"\nqrels = \"a\"\n" +
            method("bm25"));
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(load_table(temp_ / "t.toml")); }),
            ErrorCode::invalid_input);
}

TEST_F(TableFile, AClaimIsNoTable) {
  write("claim.toml", "statement = \"x\"\n");
  EXPECT_FALSE(is_table(temp_ / "claim.toml"));
  static_cast<void>(table(method("bm25")));
  EXPECT_TRUE(is_table(temp_ / "t.toml"));
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(load_table(temp_ / "none.toml")); }),
            ErrorCode::not_found);
}

const std::filesystem::path kTables = std::filesystem::path(MUSTCITE_SOURCE_DIR) / "data" / "tables";

TEST(ShippedTables, AllCanBeRead) {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTables)) {
    if (entry.path().extension() != ".toml") continue;
    const auto table = load_table(entry.path());
    if (!table.published.empty()) static_cast<void>(load_published(table.published));
    ++read;
  }
  EXPECT_GE(read, 1U);
}

TEST(ShippedTables, EveryPublishedMethodOfMasterSetHasARow) {
  const auto table = load_table(kTables / "masterset-tables.toml");
  const auto published = load_published(table.published);
  std::set<std::string> rows;
  for (const auto& method : table.methods) rows.insert(method.published);
  EXPECT_EQ(published.rows.size(), 12U);
  for (const auto& [name, tiers] : published.rows) {
    EXPECT_TRUE(rows.contains(name)) << name;
    EXPECT_EQ(tiers.size(), 3U) << name;
  }
  // Table 6 names the best Recall@100 of each tier: SciBERT-NTX's.
  EXPECT_EQ(published.rows.at("SciBERT-NTX").at("type1")[6], 0.3832);
  EXPECT_EQ(published.rows.at("SciBERT-NTX").at("type2")[6], 0.4102);
  EXPECT_EQ(published.rows.at("SciBERT-NTX").at("type3")[6], 0.4932);
}

/// The file of the paper, where it is.
std::filesystem::path paper() {
  const char* variable = std::getenv("MUSTCITE_SHARED");
  const std::filesystem::path shared =
      variable != nullptr && *variable != '\0'
          ? std::filesystem::path(variable)
          : std::filesystem::path(MUSTCITE_SOURCE_DIR).parent_path() / "shared";
  return shared / "papers" / "masterset.txt";
}

TEST(ShippedTables, PublishedValuesAreThoseOfThePaper) {
  if (!std::filesystem::exists(paper())) GTEST_SKIP() << "skipped: no ../shared";
  std::istringstream text(io::read_file(paper()));
  std::map<std::string, std::map<std::string, std::vector<double>>> rows;
  std::string tier;
  for (std::string line; std::getline(text, line);) {
    for (const char* number : {"3", "4", "5", "6"}) {
      // Only the captions begin a line with the number and a colon.
      if (line.starts_with(std::string("Table ") + number + ":"))
        tier = std::string(number) == "6" ? "" : "type" + std::string(1, static_cast<char>(number[0] - 2));
    }
    std::istringstream cells(line);
    std::vector<std::string> columns;
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    if (tier.empty() || columns.size() != 10 || columns[0] == "Method") continue;
    auto& values = rows[columns[0].substr(0, columns[0].find('^'))][tier];
    for (std::size_t c = 1; c < columns.size(); ++c) values.push_back(std::stod(columns[c]));
  }
  EXPECT_EQ(rows, load_published(kTables / "published" / "masterset.toml").rows);
}

class Published : public TableFixture {
 protected:
  PublishedTable values(const std::string& rows, const std::string& head = "papers = 100\nqueries = 3\n") {
    write("p.toml", "source = \"the paper\"\n" + head +
                        "metrics = [\"MAP\", \"Recall@1\"]\n[tolerance]\nMAP = 0.01\n\"Recall@1\" = 0.02\n" +
                        rows);
    return load_published(temp_ / "p.toml");
  }
  static std::string row(const std::string& method, const std::string& numbers) {
    return "[[rows]]\nmethod = \"" + method + "\"\ntier = \"type3\"\nvalues = [" + numbers + "]\n";
  }
  TableReport measured() {
    return make(table(method("bm25", "published = \"BM25\"") + method("other", "published = \"Other\"")));
  }
};

TEST_F(Published, ValuesWithinTheirTolerancesPass) {
  // bm25: MAP 1, Recall@1 0.8333.
  const auto check = check_published(measured(), values(row("BM25", "0.9905, 0.85")));
  EXPECT_TRUE(check.passed());
  EXPECT_EQ(check.compared.size(), 2U);
}

TEST_F(Published, ADeviationIsListedAndFails) {
  const auto report = measured();
  const auto check =
      check_published(report, values(row("BM25", "0.9895, 0.85") + row("Other", "0.41, 0.33")));
  EXPECT_FALSE(check.passed());
  EXPECT_EQ(check.off(), 1U);
  const std::string shown = text(report, TableFormat::markdown, &check);
  EXPECT_THAT(shown, HasSubstr("4 values compared, 3 within their tolerance, 1 off"));
  EXPECT_THAT(shown, HasSubstr("| BM25 | Type III | MAP | 1.0000 | 0.9895 | 0.01 |"));
}

TEST_F(Published, RowsWithoutValuesAreListedAsUnchecked) {
  const auto report = make(table(
      method("bm25", "published = \"BM25\"") +
      method("other", "published = \"Other\"\nneeds = [{ path = \"{models}/x\", make = \"train x\" }]")));
  const auto check = check_published(
      report, values(row("BM25", "1, 0.8333") + row("Other", "0.1, 0.1") + row("Third", "0, 0")));
  EXPECT_TRUE(check.passed());
  EXPECT_THAT(check.unchecked,
              ::testing::ElementsAre("Other, type3: train x", "Third, type3: no row of the table"));
}

TEST_F(Published, AnotherPoolIsNotComparableAndNothingIsSetSideBySide) {
  const auto report = measured();
  const auto check =
      check_published(report, values(row("BM25", "0.7777, 0.8"), "papers = 67761\nqueries = 7028\n"));
  EXPECT_FALSE(check.passed());
  EXPECT_THAT(check.compared, IsEmpty());
  for (const auto format :
       {TableFormat::terminal, TableFormat::markdown, TableFormat::latex, TableFormat::html}) {
    const std::string shown = text(report, format, &check);
    EXPECT_THAT(shown,
                HasSubstr("Not comparable with the paper: the pool has 100 papers, the published one 67761"));
    EXPECT_THAT(shown, Not(HasSubstr("0.7777")));
  }
}

TEST_F(Published, OtherQueriesASampleAndStandInsAreNotComparable) {
  EXPECT_THAT(
      check_published(measured(), values(row("BM25", "1, 1"), "papers = 100\nqueries = 4\n")).not_comparable,
      HasSubstr("3 queries, the published one 4"));
  options_.sample = 2;
  EXPECT_THAT(check_published(measured(), values(row("BM25", "1, 1"))).not_comparable,
              HasSubstr("only 2 of the 3"));
  options_.sample = 0;
  const auto report =
      make(table(method("bm25"),
                 "[[tiers]]\nname = \"type1\"\nlabel = \"I\"\nqrels = \"none\"\nstand_in = "
                 "\"{release}/qrels/dev/experiments.tsv\"\nstand_in_label = \"in experiments\"\n"));
  EXPECT_THAT(check_published(report, values(row("BM25", "1, 1"))).not_comparable,
              HasSubstr("is a stand-in"));
}

TEST_F(Published, BrokenFilesAreRefused) {
  const auto code = [&](const std::string& rows) { return testing::code_of([&] { values(rows); }); };
  EXPECT_EQ(code(row("BM25", "1")), ErrorCode::invalid_input);
  EXPECT_EQ(code(row("BM25", "1, 1.2")), ErrorCode::invalid_input);
  EXPECT_EQ(code(row("BM25", "1, 1") + row("BM25", "1, 1")), ErrorCode::invalid_input);
  EXPECT_EQ(code("rows = []\n"), ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::reproduce
