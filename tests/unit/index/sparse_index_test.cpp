#include "engine/index/sparse_index.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "unit/index/random_corpus.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::index {
namespace {

using test::BruteForce;
using test::random_corpus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SparseIndexTest : public ::testing::Test {
 protected:
  SparseIndex make(const std::vector<std::string>& texts, const std::string& analyzer = "plain",
                   std::size_t threads = 1) {
    BuildOptions options;
    options.analyzer = analyzer;
    options.fields = {"text"};
    options.weights = {1};
    options.threads = threads;
    SparseIndexBuilder builder(options);
    for (const auto& text : texts) builder.add({{text}});
    builder.write(prefix_, "digest");
    return SparseIndex::open(prefix_, "digest");
  }
  void expect_corrupt(const std::string& words, const std::string& digest = "digest") {
    try {
      (void)SparseIndex::open(prefix_, digest);
      FAIL() << "was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_THAT(error.what(), HasSubstr("mustcite index build"));
    }
  }

  mustcite::testing::TempFolder folder_;
  std::filesystem::path prefix_ = folder_.path() / "sparse";
};

std::vector<std::uint32_t> rows_of(const std::vector<Scored>& list) {
  std::vector<std::uint32_t> rows;
  for (const auto& item : list) rows.push_back(item.doc.value);
  return rows;
}

void expect_same(const std::vector<Scored>& fast, const std::vector<Scored>& plain) {
  ASSERT_EQ(fast.size(), plain.size());
  for (std::size_t i = 0; i < fast.size(); ++i) {
    EXPECT_EQ(fast[i].doc.value, plain[i].doc.value) << "place " << i;
    EXPECT_EQ(fast[i].score, plain[i].score) << "place " << i;
  }
}

TEST_F(SparseIndexTest, ScoresAsWorkedByHand) {
  // Three rows of 2, 1 and 3 terms: average length 2. "b" is in rows 0 and 2, twice in row 2.
  // idf = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6 = 0.470004
  // row 0: 0.470004 * 1 * 2.5 / (1 + 1.5 (0.25 + 0.75 * 2 / 2)) = 0.470004
  // row 2: 0.470004 * 2 * 2.5 / (2 + 1.5 (0.25 + 0.75 * 3 / 2)) = 0.578466
  const auto index = make({"a b", "a", "b b c"});
  const auto found = index.search(index.parse("b"), {});
  ASSERT_EQ(rows_of(found), (std::vector<std::uint32_t>{2, 0}));
  EXPECT_NEAR(found[0].score, 0.578466, 1e-5);
  EXPECT_NEAR(found[1].score, 0.470004, 1e-5);
}

TEST_F(SparseIndexTest, CountsRepeatedQueryTermsByWeight) {
  const auto index = make({"a b", "a", "b b c"});
  const auto once = index.search(index.parse("b"), {});
  const auto twice = index.search(index.parse("b x b"), {});
  const std::vector<QueryTerm> separate{{*index.term_id("b"), 1}, {*index.term_id("b"), 1}};
  ASSERT_EQ(twice.size(), 2U);
  EXPECT_FLOAT_EQ(twice[0].score, 2 * once[0].score);
  expect_same(index.search(separate, {}), twice);
}

TEST_F(SparseIndexTest, BreaksTiesByRow) {
  const auto index = make({"x", "a b", "b a", "a b", "c"});
  EXPECT_THAT(rows_of(index.search(index.parse("b a"), {})), ElementsAre(1U, 2U, 3U));
  SearchOptions two;
  two.depth = 2;
  EXPECT_THAT(rows_of(index.search(index.parse("b a"), two)), ElementsAre(1U, 2U));
}

TEST_F(SparseIndexTest, APrefixAnswersAsAnIndexOfThoseRowsAlone) {
  const auto texts = random_corpus(300, 40, 5);
  const auto whole = make(texts);
  SearchOptions options;
  options.prefix = 120;
  const auto as_of = whole.search(whole.parse("w1 w2 w3 w17"), options);
  const auto alone = make({texts.begin(), texts.begin() + 120});
  const auto expected = alone.search(alone.parse("w1 w2 w3 w17"), {});
  ASSERT_EQ(rows_of(as_of), rows_of(expected));
  for (std::size_t i = 0; i < as_of.size(); ++i) EXPECT_NEAR(as_of[i].score, expected[i].score, 1e-5);
}

TEST_F(SparseIndexTest, ExcludedRowsNeverComeBack) {
  const auto index = make({"a", "a", "a", "b"});
  const std::vector<DocId> exclude{DocId{0}, DocId{2}, DocId{900}};
  SearchOptions options;
  options.exclude = exclude;
  EXPECT_THAT(rows_of(index.search(index.parse("a"), options)), ElementsAre(1U));
  EXPECT_THAT(rows_of(index.search_plain(index.parse("a"), options)), ElementsAre(1U));
}

TEST_F(SparseIndexTest, AnswersNothingWhereNothingFits) {
  const auto index = make({"a b", "", "c"});
  EXPECT_TRUE(index.search(index.parse(""), {}).empty());
  EXPECT_TRUE(index.search(index.parse("unknown words"), {}).empty());
  SearchOptions none;
  none.depth = 0;
  EXPECT_TRUE(index.search(index.parse("a"), none).empty());
  SearchOptions empty;
  empty.prefix = 0;
  EXPECT_TRUE(index.search(index.parse("a"), empty).empty());
  const std::vector<QueryTerm> useless{{0, 0}, {0, -1}, {0, std::nanf("")}, {99, 1}};
  EXPECT_TRUE(index.search(useless, {}).empty());
}

TEST_F(SparseIndexTest, AnIndexOfNoRowsAnswers) {
  const auto index = make({});
  EXPECT_EQ(index.rows(), 0U);
  EXPECT_EQ(index.vocabulary(), 0U);
  EXPECT_TRUE(index.search(index.parse("a"), {}).empty());
}

TEST_F(SparseIndexTest, RefusesParametersOutsideTheirRange) {
  const auto index = make({"a"});
  for (const Bm25 bad : {Bm25{-1, 0.5}, Bm25{1.5, 1.5}, Bm25{1.5, -0.1}, Bm25{std::nan(""), 0.5}}) {
    SearchOptions options;
    options.bm25 = bad;
    EXPECT_THROW((void)index.search(index.parse("a"), options), Error);
  }
}

TEST_F(SparseIndexTest, WeighsFields) {
  BuildOptions options;
  options.analyzer = "plain";
  options.weights = {3, 1};
  SparseIndexBuilder builder(options);
  builder.add({{"a b", "b c"}});
  builder.write(prefix_, "digest");
  const auto index = SparseIndex::open(prefix_, "digest");
  EXPECT_EQ(index.document_length(DocId{0}), 8);  // 2 terms thrice, 2 once
  std::map<std::string, float> frequencies;
  for (const auto& item : index.document_terms(DocId{0})) frequencies[std::string(index.term(item.term))] = item.weight;
  EXPECT_THAT(frequencies, ElementsAre(::testing::Pair("a", 3), ::testing::Pair("b", 4), ::testing::Pair("c", 1)));
}

TEST_F(SparseIndexTest, RefusesRowsAndOptionsThatDoNotFit) {
  BuildOptions options;
  options.weights = {1};
  EXPECT_THROW(SparseIndexBuilder{options}, Error);
  options.weights = {1, -1};
  EXPECT_THROW(SparseIndexBuilder{options}, Error);
  options.weights = {1, 1};
  SparseIndexBuilder builder(options);
  EXPECT_THROW(builder.add({{"one field"}}), Error);
  options.analyzer = "klingon";
  EXPECT_THROW(SparseIndexBuilder{options}, Error);
}

TEST_F(SparseIndexTest, FindsEveryTermAndNoOther) {
  const auto texts = random_corpus(200, 500, 3);
  const auto index = make(texts);
  for (std::uint32_t id = 0; id < index.vocabulary(); ++id) {
    EXPECT_EQ(index.term_id(index.term(id)), id);
    if (id > 0) {
      EXPECT_LE(index.document_frequency(id, index.rows()), index.document_frequency(id - 1, index.rows()));
    }
  }
  EXPECT_FALSE(index.term_id("w").has_value());
  EXPECT_FALSE(index.term_id("").has_value());
}

TEST_F(SparseIndexTest, ExplanationsAddUpToTheScore) {
  const auto index = make(random_corpus(100, 30, 8));
  const auto query = index.parse("w1 w2 w3 w4 w5");
  for (const auto& item : index.search(query, {})) {
    float sum = 0;
    float last = std::numeric_limits<float>::infinity();
    for (const auto& part : index.explain(query, item.doc, {})) {
      EXPECT_LE(part.score, last);
      last = part.score;
      sum += part.score;
    }
    EXPECT_NEAR(sum, item.score, 1e-4);
  }
}

TEST_F(SparseIndexTest, BytesDoNotDependOnTheNumberOfThreads) {
  const auto texts = random_corpus(3000, 400, 11);
  make(texts, "plain", 1);
  const std::string one = io::read_file(prefix_.string() + ".bin");
  make(texts, "plain", 3);
  EXPECT_EQ(io::read_file(prefix_.string() + ".bin"), one);
}

TEST_F(SparseIndexTest, ManyQueriesAnswerAsOneByOne) {
  const auto index = make(random_corpus(500, 60, 21));
  std::vector<std::vector<QueryTerm>> queries;
  for (int i = 0; i < 40; ++i) queries.push_back(index.parse("w" + std::to_string(i) + " w" + std::to_string(i / 3)));
  const std::vector<SearchOptions> options(1);
  const auto together = index.search_many(queries, options, 3);
  for (std::size_t i = 0; i < queries.size(); ++i) expect_same(together[i], index.search(queries[i], options[0]));
}

/// Random corpora, queries, prefixes, exclusions, weights and depths: the fast search gives the bits of the plain one,
/// and both the numbers of the formula.
void compare_all(const SparseIndex& index, const std::vector<std::string>& texts, std::uint32_t words,
                 std::uint32_t seed, int rounds) {
  const BruteForce brute(texts);
  test::Dice dice(seed);
  const auto size = static_cast<std::uint32_t>(texts.size());
  for (int round = 0; round < rounds; ++round) {
    std::vector<QueryTerm> query;
    std::vector<std::pair<std::string, double>> named;
    const std::uint32_t terms = 1 + dice(round % 5 == 0 ? 300 : 30);
    for (std::uint32_t i = 0; i < terms; ++i) {
      const std::uint32_t word = dice(4) == 0 ? dice(words) : dice(1 + words / 8);
      const std::string name = "w" + std::to_string(word);
      const float weight = dice(3) == 0 ? 0.25F * static_cast<float>(1 + dice(40)) : 1.0F;
      const auto id = index.term_id(name);
      if (!id) continue;
      query.push_back({*id, weight});
      named.emplace_back(name, weight);
    }
    SearchOptions options;
    constexpr std::uint32_t kDepths[] = {1, 2, 10, 100, 1000, 100000};
    options.depth = kDepths[dice(6)];
    if (dice(3) != 0) options.prefix = dice(size + 2);
    if (dice(4) == 0) options.bm25 = {0.01 * dice(400), 0.01 * dice(101)};
    std::vector<DocId> exclude;
    for (std::uint32_t i = dice(20); i > 0; --i) exclude.push_back(DocId{dice(size)});
    std::sort(exclude.begin(), exclude.end());
    options.exclude = exclude;

    const auto plain = index.search_plain(query, options);
    expect_same(index.search(query, options), plain);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round << " of seed " << seed;

    if (round % 8 != 0) continue;  // the formula is slow
    const std::uint32_t prefix = std::min(options.prefix.value_or(size), size);
    const auto expected = brute.scores(named, prefix, options.bm25.k1, options.bm25.b);
    std::vector<DocId> docs;
    for (std::uint32_t row = 0; row < prefix; ++row) docs.push_back(DocId{row});
    std::vector<float> scores(prefix);
    index.score(query, docs, options, scores);
    for (std::uint32_t row = 0; row < prefix; ++row) {
      ASSERT_NEAR(scores[row], expected[row], 1e-4 * (1 + expected[row])) << "row " << row;
    }
    for (const auto& item : plain) ASSERT_EQ(item.score, scores[item.doc.value]);
  }
}

TEST_F(SparseIndexTest, FastSearchGivesTheBitsOfThePlainOneOnSmallCorpora) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const std::uint32_t rows = 1 + (seed * seed * 37) % 900;
    const std::uint32_t words = 5 + (seed * 53) % 300;
    const auto texts = random_corpus(rows, words, seed);
    compare_all(make(texts), texts, words, seed, 40);
  }
}

using SparseIndexSlowTest = SparseIndexTest;

TEST_F(SparseIndexSlowTest, FastSearchGivesTheBitsOfThePlainOneOverSeveralBlocks) {
  const auto texts = random_corpus(40000, 3000, 77);
  compare_all(make(texts, "plain", 2), texts, 3000, 77, 120);
}

TEST_F(SparseIndexSlowTest, DocumentFrequencyOfAPrefixIsCounted) {
  const auto texts = random_corpus(20000, 1000, 4);
  const auto index = make(texts, "plain", 2);
  const BruteForce brute(texts);
  for (const std::uint32_t prefix : {0U, 1U, 777U, 16384U, 16390U, 19999U, 20000U, 30000U}) {
    for (const char* term : {"w0", "w1", "w20", "w500", "w990"}) {
      EXPECT_EQ(index.document_frequency(*index.term_id(term), prefix),
                brute.document_frequency(term, std::min(prefix, 20000U)))
          << term << " " << prefix;
    }
  }
}

TEST_F(SparseIndexTest, AQueryOfThousandsOfTermsIsAnswered) {
  const auto texts = random_corpus(400, 6000, 13);
  const auto index = make(texts);
  std::vector<QueryTerm> query;
  for (std::uint32_t term = 0; term < index.vocabulary(); ++term) query.push_back({term, 1});
  expect_same(index.search(query, {}), index.search_plain(query, {}));
}

TEST_F(SparseIndexTest, AHugeFrequencyIsKept) {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "a ";
  const auto index = make({text, "a b", "b"});
  EXPECT_EQ(index.document_terms(DocId{0})[0].weight, 300000);
  expect_same(index.search(index.parse("a b"), {}), index.search_plain(index.parse("a b"), {}));
}

TEST_F(SparseIndexTest, AMissingFileNamesTheCommand) {
  try {
    (void)SparseIndex::open(prefix_, "digest");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("mustcite index build"));
  }
}

TEST_F(SparseIndexTest, AnIndexOfAnotherSnapshotIsRefused) {
  make({"a"});
  expect_corrupt("another snapshot", "other");
  EXPECT_EQ(SparseIndex::open(prefix_, "").snapshot_digest(), "digest");
}

TEST_F(SparseIndexTest, DamageTruncationAndForeignFilesAreRefused) {
  make(random_corpus(50, 20, 1));
  const std::string path = prefix_.string() + ".bin";
  const std::string bytes = io::read_file(path);
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    io::write_file_atomically(path, bytes.substr(0, size));
    expect_corrupt("cannot be used");
  }
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 4);
  damaged[70] = static_cast<char>(damaged[70] ^ 4);
  io::write_file_atomically(path, damaged);
  expect_corrupt("damaged");
  io::write_file_atomically(path, "not an index at all" + std::string(500, ' '));
  expect_corrupt("another kind");
}

}  // namespace
}  // namespace mustcite::index
