// Our side of bench/rivals/tokenizer_fuzz.py. Usage:
//   tokenizer_ours MODEL_FOLDER < texts.jsonl > ids.jsonl   each line {"a": text, "b": text or absent,
//   "length": n} tokenizer_ours MODEL_FOLDER --time < texts.jsonl        one JSON line: texts, tokens and
//   seconds of encoding alone

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/tokenizer.hpp"

namespace {

using nlohmann::json;
using namespace mustcite;

model::Encoding encode(const model::Tokenizer& tokenizer, const json& text) {
  const auto& a = text["a"].get_ref<const std::string&>();
  const std::size_t length = text["length"];
  return text.contains("b") ? tokenizer.encode_pair(a, text["b"].get_ref<const std::string&>(), length)
                            : tokenizer.encode(a, length);
}

}  // namespace

int main(int argc, char** argv) {
  const model::Tokenizer tokenizer = model::Tokenizer::open(argv[1]);
  std::vector<json> texts;
  for (std::string line; std::getline(std::cin, line);) texts.push_back(json::parse(line));
  if (argc < 3) {
    for (const json& text : texts) {
      const model::Encoding encoding = encode(tokenizer, text);
      std::cout << json{{"ids", encoding.ids}, {"types", encoding.types}}.dump() << '\n';
    }
    return 0;
  }
  const auto start = std::chrono::steady_clock::now();
  std::size_t tokens = 0;
  for (const json& text : texts) tokens += encode(tokenizer, text).ids.size();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << json{{"texts", texts.size()}, {"tokens", tokens}, {"seconds", seconds.count()}}.dump() << '\n';
}
