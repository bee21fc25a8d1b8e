#include "stages/annotate/batch_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mustcite::annotate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeyDigits = 64;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_key(const std::string& text) {
  return text.size() == kKeyDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

BatchFile batch_requests(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
                         const LlmOptions& options, ReplyCache& cache) {
  BatchFile file;
  const bool gemini = options.endpoint.protocol == Protocol::gemini;
  for (const auto& prompt : prompts) {
    for (const auto& instance : instances) {
      const std::string user = prompt.fill(instance);
      const auto key = question_key(options.endpoint, prompt, user);
      if (cache.find(key)) {
        ++file.cached;
        continue;
      }
      const auto body = Json::parse(request_body(options.endpoint, {prompt.system, user, {}, {}}));
      file.lines += dump(gemini ? Json{{"key", key}, {"request", body}}
                                : Json{{"custom_id", key},
                                       {"method", "POST"},
                                       {"url", "/v1/chat/completions"},
                                       {"body", body}}) +
                    "\n";
      ++file.requests;
    }
  }
  return file;
}

BatchResults take_batch_results(std::string_view text, const LlmOptions& options, ReplyCache& cache) {
  BatchResults results;
  const Protocol protocol = options.endpoint.protocol;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view bytes = text.substr(at, end - at);
    at = end + 1;
    if (bytes.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++results.lines;
    const auto [key, answer] = read_batch_line(protocol, bytes);
    if (!is_key(key)) {
      ++results.unreadable;
      continue;
    }
    if (answer.kind == Answer::Kind::broken) {
      ++results.failed;
      continue;
    }
    const double cost = price(options, answer.tokens_in, answer.tokens_out);
    ++(answer.kind == Answer::Kind::refused ? results.refused : results.taken);
    results.tokens_in += answer.tokens_in;
    results.tokens_out += answer.tokens_out;
    results.cost += cost;
    cache.put(key, protocol_name(protocol), options.endpoint.model,
              {kept_text(answer), answer.tokens_in, answer.tokens_out, cost});
  }
  cache.commit();
  return results;
}

}  // namespace mustcite::annotate
