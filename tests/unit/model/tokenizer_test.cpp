#include "engine/model/tokenizer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "engine/model/bert_words.hpp"
#include "unit/model/scratch.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGolden = fs::path(MUSTCITE_SOURCE_DIR) / "tests/unit/model/golden";

Tokenizer golden_tokenizer(const std::string& name) {
  return Tokenizer::parse(io::read_file(kGolden / name), name);
}

// Expected ids come from the `tokenizers` library: scripts/tokenizer-golden.py.
TEST(Tokenizer, GivesTheIdsOfTheReference) {
  std::map<std::string, Tokenizer> tokenizers;
  io::LineReader lines(kGolden / "cases.jsonl");
  std::string_view line;
  std::size_t cases = 0;
  while (lines.next(line)) {
    const json wanted = json::parse(line);
    const std::string name = wanted["tokenizer"];
    if (!tokenizers.contains(name)) tokenizers.emplace(name, golden_tokenizer(name));
    const Tokenizer& tokenizer = tokenizers.at(name);
    const std::string a = wanted["a"];
    const std::size_t length = wanted["length"];
    const Encoding encoding = wanted.contains("b")
                                  ? tokenizer.encode_pair(a, wanted["b"].get<std::string>(), length)
                                  : tokenizer.encode(a, length);
    EXPECT_EQ(encoding.ids, wanted["ids"].get<std::vector<std::int32_t>>()) << line;
    if (wanted.contains("types")) {
      EXPECT_EQ(encoding.types, wanted["types"].get<std::vector<std::int32_t>>()) << line;
    } else {
      EXPECT_EQ(encoding.types, std::vector<std::int32_t>(encoding.ids.size(), 0));
    }
    ++cases;
  }
  EXPECT_GT(cases, 200U);
}

std::string normalised(const NormaliserOptions& options, const std::u32string& text) {
  std::string out;
  Normaliser normaliser(options, [&](char32_t c) { append_utf8(out, c); });
  for (const char32_t c : text) normaliser.put(c);
  normaliser.finish();
  return out;
}

std::string short_digest(const std::string& text) {
  return sha256_hex(text).substr(0, 16);
}

/// The same texts as scripts/tokenizer-golden.py makes of the characters [first, first + 4096).
std::vector<std::string> digests_of_block(char32_t first) {
  const std::vector<NormaliserOptions> variants{{true, true, true, true},
                                                {true, true, false, false},
                                                {false, false, true, false},
                                                {false, false, false, true}};
  std::vector<std::u32string> texts;
  std::vector<char32_t> letters;
  for (char32_t c = first; c < first + 4096; ++c) {
    if (c < 0xD800 || c > 0xDFFF) letters.push_back(c);
  }
  for (const char32_t c : letters) texts.push_back({U'a', c, U'b'});
  for (const char32_t c : letters) texts.push_back({U'a', 0x345, 0x302E, c, 0x302F, 0x334, U'b'});
  std::vector<std::string> result;
  for (const NormaliserOptions& options : variants) {
    std::string all;
    for (const auto& text : texts) all += (&text == &texts.front() ? "" : "\n") + normalised(options, text);
    result.push_back(short_digest(all));
  }
  std::string words;
  for (const char32_t c : letters) {
    if (c != letters.front()) words += "\n\n";
    bool following = false;
    WordCutter cutter(100, [&](std::string_view word, std::size_t) {
      words += (following ? "\n" : "") + std::string(word);
      following = true;
    });
    for (const char32_t part : {U'a', c, U'b'}) cutter.put(part);
    cutter.finish();
  }
  result.push_back(short_digest(words));
  return result;
}

// Every character of Unicode, in four ways of normalising and between words, against digests of the
// reference's output.
TEST(TokenizerSlow, TreatsEveryCharacterAsTheReference) {
  io::LineReader lines(kGolden / "characters.tsv");
  std::string_view line;
  std::size_t blocks = 0;
  while (lines.next(line)) {
    std::vector<std::string> fields;
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\t'), rest.size());
      fields.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto first = static_cast<char32_t>(std::stoul(fields.front(), nullptr, 16));
    auto found = digests_of_block(first);
    found.insert(found.begin(), fields.front());
    EXPECT_EQ(found, fields);
    ++blocks;
  }
  EXPECT_EQ(blocks, 272U);
}

TEST(Tokenizer, CutsALongTextWithoutReadingItToItsEnd) {
  const Tokenizer tokenizer = golden_tokenizer("tokenizer.json");
  std::string text;
  while (text.size() < 100000) text += "must cite papers ";
  const Encoding encoding = tokenizer.encode(text, 16);
  EXPECT_EQ(encoding.ids.size(), 16U);
  EXPECT_EQ(encoding.ids, tokenizer.encode(text.substr(0, 200), 16).ids);
}

TEST(Tokenizer, AWordOfAHundredThousandLettersIsUnknown) {
  const Tokenizer tokenizer = golden_tokenizer("tokenizer.json");
  EXPECT_EQ(tokenizer.tokenize(std::string(100000, 'a'), 10), std::vector<std::int32_t>{tokenizer.unknown()});
}

TEST(Tokenizer, BytesThatAreNoUtf8CountAsReplacementCharacters) {
  const Tokenizer tokenizer = golden_tokenizer("tokenizer.json");
  EXPECT_EQ(tokenizer.tokenize("pa\xff\xc3per\xe2\x82", 10), tokenizer.tokenize("paper", 10));
}

TEST(Tokenizer, ALengthBelowItsSpecialTokensIsRefused) {
  const Tokenizer tokenizer = golden_tokenizer("tokenizer.json");
  EXPECT_THROW(static_cast<void>(tokenizer.encode("paper", 1)), Error);
  EXPECT_THROW(static_cast<void>(tokenizer.encode_pair("paper", "word", 2)), Error);
  EXPECT_EQ(tokenizer.encode("paper", 2).ids, (std::vector<std::int32_t>{tokenizer.cls(), tokenizer.sep()}));
}

TEST(Tokenizer, ReadsAVocabularyByLines) {
  const test::Scratch scratch;
  io::write_file_atomically(scratch.path() / "vocab.txt",
                            "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\npaper\n##s\r\nÉ\n");
  const Tokenizer lower = Tokenizer::open(scratch.path());
  EXPECT_EQ(lower.encode("Papers [MASK] É", 10).ids, (std::vector<std::int32_t>{2, 5, 6, 4, 1, 3}));
  EXPECT_EQ(lower.vocab_size(), 8U);
  EXPECT_EQ(lower.token(6), "##s");
  EXPECT_EQ(lower.id("paper"), 5);
  EXPECT_EQ(lower.id("papers"), std::nullopt);
  // tokenizer_config.json says that the model is cased: transformers keeps accents then.
  io::write_file_atomically(scratch.path() / "tokenizer_config.json",
                            R"({"do_lower_case": false, "mask_token": {"content": "[MASK]"}})");
  EXPECT_EQ(Tokenizer::open(scratch.path()).encode("paper É Paper", 10).ids,
            (std::vector<std::int32_t>{2, 5, 7, 1, 3}));
}

TEST(Tokenizer, RefusesWhatIsNoWordPieceTokenizer) {
  const test::Scratch scratch;
  EXPECT_EQ(test::code_of([&] { static_cast<void>(Tokenizer::open(scratch.path())); }), ErrorCode::not_found);
  io::write_file_atomically(scratch.path() / "vocab.txt", "paper\n[CLS]\n");
  EXPECT_EQ(test::code_of([&] { static_cast<void>(Tokenizer::open(scratch.path())); }),
            ErrorCode::invalid_input);
  json parsed = json::parse(io::read_file(kGolden / "tokenizer.json"));
  const auto refused = [&](const json& changed) {
    return test::message_of([&] { static_cast<void>(Tokenizer::parse(changed.dump(), "it")); });
  };
  json bpe = parsed;
  bpe["model"]["type"] = "BPE";
  EXPECT_THAT(refused(bpe), testing::HasSubstr("BPE"));
  json other = parsed;
  other["normalizer"] = {{"type", "NFKC"}};
  EXPECT_THAT(refused(other), testing::HasSubstr("NFKC"));
  json id = parsed;
  id["model"]["vocab"]["paper"] = -1;
  EXPECT_THAT(refused(id), testing::HasSubstr("id"));
  json processor = parsed;
  processor["post_processor"] = {{"type", "RobertaProcessing"}};
  EXPECT_THAT(refused(processor), testing::HasSubstr("RobertaProcessing"));
  EXPECT_THAT(refused(json::array()), testing::HasSubstr("no JSON object"));
}

}  // namespace
}  // namespace mustcite::model
