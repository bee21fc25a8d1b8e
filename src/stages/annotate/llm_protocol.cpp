#include "stages/annotate/llm_protocol.hpp"

#include <nlohmann/json.hpp>

namespace mustcite::annotate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostTokens = 4;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string openai_body(const Endpoint& endpoint, const Question& question) {
  Json messages = Json::array();
  messages.push_back({{"role", "system"}, {"content", question.system}});
  messages.push_back({{"role", "user"}, {"content", question.user}});
  if (!question.reminder.empty()) {
    messages.push_back({{"role", "assistant"}, {"content", question.earlier_reply}});
    messages.push_back({{"role", "user"}, {"content", question.reminder}});
  }
  return dump(
      {{"model", endpoint.model}, {"messages", messages}, {"temperature", 0}, {"max_tokens", kMostTokens}});
}

std::string gemini_body(const Question& question) {
  const auto turn = [](const char* role, std::string_view text) {
    return Json{{"role", role}, {"parts", Json::array({{{"text", text}}})}};
  };
  Json contents = Json::array({turn("user", question.user)});
  if (!question.reminder.empty()) {
    contents.push_back(turn("model", question.earlier_reply));
    contents.push_back(turn("user", question.reminder));
  }
  // Thoughts would use up the few tokens of the reply.
  return dump({{"system_instruction", {{"parts", Json::array({{{"text", question.system}}})}}},
               {"contents", contents},
               {"generationConfig",
                {{"temperature", 0},
                 {"maxOutputTokens", kMostTokens},
                 {"thinkingConfig", {{"thinkingBudget", 0}}}}}});
}

/// A count of tokens as a service states it. Anything but a whole number below a billion is not believed: it
/// would spoil the account of a whole run.
std::uint64_t tokens(const Json& usage, const char* name) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  const auto found = usage.find(name);
  if (found == usage.end() || !found->is_number_unsigned()) return 0;
  const auto count = found->get<std::uint64_t>();
  return count <= kMost ? count : 0;
}

Answer openai_answer(const Json& json) {
  Answer answer;
  const Json& choice = json.at("choices").at(0);
  const Json& message = choice.at("message");
  if (json.contains("usage") && json["usage"].is_object()) {
    answer.tokens_in = tokens(json["usage"], "prompt_tokens");
    answer.tokens_out = tokens(json["usage"], "completion_tokens");
  }
  const bool refusal = message.contains("refusal") && message["refusal"].is_string();
  if (refusal || choice.value("finish_reason", Json()) == "content_filter") {
    answer.kind = Answer::Kind::refused;
    answer.problem = refusal ? message["refusal"].get<std::string>() : "withheld by the content filter";
    return answer;
  }
  answer.kind = Answer::Kind::text;
  if (message.contains("content") && message["content"].is_string()) answer.text = message["content"];
  return answer;
}

Answer gemini_answer(const Json& json) {
  Answer answer;
  if (json.contains("usageMetadata") && json["usageMetadata"].is_object()) {
    answer.tokens_in = tokens(json["usageMetadata"], "promptTokenCount");
    answer.tokens_out = tokens(json["usageMetadata"], "candidatesTokenCount");
  }
  if (json.contains("promptFeedback") && json["promptFeedback"].contains("blockReason")) {
    answer.kind = Answer::Kind::refused;
    answer.problem = "blocked: " + json["promptFeedback"]["blockReason"].get<std::string>();
    return answer;
  }
  const Json& candidate = json.at("candidates").at(0);
  const std::string reason = candidate.value("finishReason", "STOP");
  if (reason != "STOP" && reason != "MAX_TOKENS") {
    answer.kind = Answer::Kind::refused;
    answer.problem = "withheld: " + reason;
    return answer;
  }
  answer.kind = Answer::Kind::text;
  if (candidate.contains("content") && candidate["content"].contains("parts")) {
    for (const auto& part : candidate["content"]["parts"]) answer.text += part.value("text", "");
  }
  return answer;
}

constexpr const char* kBroken = "the reply is cut or not in the protocol's form";

Answer answer_of(Protocol protocol, const Json& json) {
  try {
    return protocol == Protocol::openai ? openai_answer(json) : gemini_answer(json);
  } catch (const Json::exception&) {
    Answer answer;
    answer.problem = kBroken;
    return answer;
  }
}

/// What the service answered to one request of a batch: the body that a single call would have got, or null.
Json batch_body(Protocol protocol, const Json& line) {
  const auto response = line.find("response");
  if (response == line.end() || !response->is_object()) return {};
  if (protocol == Protocol::gemini) return *response;
  const auto status = response->find("status_code");
  if (status != response->end() && *status != 200) return {};
  const auto body = response->find("body");
  return body == response->end() ? Json() : *body;
}

}  // namespace

const char* protocol_name(Protocol protocol) noexcept {
  return protocol == Protocol::openai ? "openai" : "gemini";
}

std::string request_body(const Endpoint& endpoint, const Question& question) {
  return endpoint.protocol == Protocol::openai ? openai_body(endpoint, question) : gemini_body(question);
}

net::PostRequest make_request(const Endpoint& endpoint, const Question& question,
                              std::chrono::milliseconds timeout) {
  net::PostRequest request;
  request.timeout = timeout;
  request.body = request_body(endpoint, question);
  if (endpoint.protocol == Protocol::openai) {
    request.url = endpoint.url + "/chat/completions";
    if (!endpoint.key.empty()) request.headers.push_back("Authorization: Bearer " + endpoint.key);
  } else {
    request.url = endpoint.url + "/models/" + endpoint.model + ":generateContent";
    if (!endpoint.key.empty()) request.headers.push_back("x-goog-api-key: " + endpoint.key);
  }
  return request;
}

Answer read_answer(Protocol protocol, std::string_view body) {
  return answer_of(protocol, Json::parse(body, nullptr, false));
}

BatchAnswer read_batch_line(Protocol protocol, std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return {};
  const auto key = json.find(protocol == Protocol::gemini ? "key" : "custom_id");
  if (key == json.end() || !key->is_string()) return {};
  return {key->get<std::string>(), answer_of(protocol, batch_body(protocol, json))};
}

std::string error_message(std::string_view body) {
  constexpr std::size_t kMost = 200;
  try {
    const Json json = Json::parse(body);
    const Json& error = json.at("error");
    const std::string text =
        error.is_string() ? error.get<std::string>() : error.at("message").get<std::string>();
    return text.substr(0, kMost);
  } catch (const Json::exception&) {
    return std::string(body.substr(0, kMost));
  }
}

}  // namespace mustcite::annotate
