// Whatever a service sends is an answer, a refusal or broken; a reply is read as a digit only where it holds
// that one digit of the scale and no other.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stages/annotate/llm_protocol.hpp"
#include "stages/annotate/prompt.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::annotate;

void hold(bool fact) {
  if (!fact) std::abort();
}

void check_answer(const Answer& answer) {
  hold(answer.tokens_in <= 1'000'000'000 && answer.tokens_out <= 1'000'000'000);
  hold((answer.kind == Answer::Kind::text) == answer.problem.empty());
  hold(answer.kind == Answer::Kind::text || answer.text.empty());
}

void check_reply(std::string_view text, Tier tier) {
  const Reply reply = read_reply(text, tier);
  hold(reply.value.has_value() == (reply.kind == Reply::Kind::clean || reply.kind == Reply::Kind::dressed));
  if (!reply.value) return;
  const int low = tier == Tier::type1 ? 0 : 1;
  const int high = tier == Tier::type1 ? 1 : 5;
  hold(*reply.value >= low && *reply.value <= high);
  int digits = 0;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) continue;
    ++digits;
    hold(c - '0' == *reply.value);
  }
  hold(digits == 1);
  hold(reply.kind == Reply::Kind::clean || text.find('-') == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Protocol protocol : {Protocol::openai, Protocol::gemini}) {
    const Answer answer = read_answer(protocol, text);
    check_answer(answer);
    if (answer.kind == Answer::Kind::text) {
      check_reply(answer.text, Tier::type1);
      check_reply(answer.text, Tier::type2);
    }
    const BatchAnswer line = read_batch_line(protocol, text);
    if (line.key.empty()) continue;
    check_answer(line.answer);
  }
  check_reply(text, Tier::type1);
  check_reply(text, Tier::type2);
  hold(error_message(text).size() <= 200);
  return 0;
}
