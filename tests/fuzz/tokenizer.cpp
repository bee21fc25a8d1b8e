// A tokenizer.json and a text: the file is read or refused; every id has a token, and no text gets too many.
//
// The input is the JSON, a zero byte and a text. Without a zero byte it is a text for a small sound
// tokenizer.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "engine/model/tokenizer.hpp"

namespace {

constexpr std::string_view kSound =
    R"({"added_tokens":[{"id":2,"content":"[CLS]"},{"id":3,"content":"[SEP]","lstrip":true,"rstrip":true},)"
    R"({"id":7,"content":"<É>","normalized":true,"single_word":true}],"normalizer":{"type":"BertNormalizer"},)"
    R"("pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":null,"model":{"type":"WordPiece","vocab":)"
    R"({"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"a":4,"##b":5,"é":6}}})";

void check(const mustcite::model::Tokenizer& tokenizer, std::string_view text) {
  constexpr std::size_t kMost = 20;
  const auto one = tokenizer.encode(text, kMost);
  const auto pair = tokenizer.encode_pair(text, text.substr(0, text.size() / 2), kMost);
  for (const auto* encoding : {&one, &pair}) {
    if (encoding->ids.size() > kMost || encoding->ids.size() != encoding->types.size()) std::abort();
    for (const std::int32_t id : encoding->ids) {
      if (id < 0 || static_cast<std::size_t>(id) >= tokenizer.vocab_size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  static const model::Tokenizer sound = model::Tokenizer::parse(kSound, "sound");
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  if (zero == std::string_view::npos) {
    check(sound, input);
    return 0;
  }
  try {
    check(model::Tokenizer::parse(input.substr(0, zero), "input"), input.substr(zero + 1));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input) std::abort();
  }
  return 0;
}
