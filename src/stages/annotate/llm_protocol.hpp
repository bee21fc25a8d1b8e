#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/net/http_pool.hpp"

namespace mustcite::annotate {

/// Whose HTTP interface is spoken.
enum class Protocol {
  openai,  ///< POST {url}/chat/completions: vLLM, llama.cpp, Ollama and most hosted services
  gemini   ///< POST {url}/models/{model}:generateContent
};
[[nodiscard]] const char* protocol_name(Protocol protocol) noexcept;

/// Where a model is asked. The key comes from the environment and goes into a header, nowhere else.
struct Endpoint {
  Protocol protocol = Protocol::openai;
  std::string url;  ///< without the last part, e.g. "http://127.0.0.1:8080/v1"
  std::string model;
  std::string key;  ///< may be empty for a local server
};

/// What is asked: the user's part may be followed by the model's reply and a reminder of the form.
struct Question {
  std::string_view system;
  std::string_view user;
  std::string_view earlier_reply;  ///< empty: first attempt
  std::string_view reminder;
};

/// A request at temperature 0 for at most four tokens.
[[nodiscard]] net::PostRequest make_request(const Endpoint& endpoint, const Question& question,
                                            std::chrono::milliseconds timeout);
/// The body alone, as batch files hold it.
[[nodiscard]] std::string request_body(const Endpoint& endpoint, const Question& question);

struct Answer {
  enum class Kind {
    text,     ///< the model said something, perhaps nothing at all
    refused,  ///< the service withheld the reply (safety, policy)
    broken    ///< not what the protocol promises: cut or foreign JSON
  };
  Kind kind = Kind::broken;
  std::string text;
  std::string problem;
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
};
[[nodiscard]] Answer read_answer(Protocol protocol, std::string_view body);

/// One line of the results of a batch: the key of its request, empty when the line is of something else, and
/// what a single call would have got. A stated error is a broken answer.
struct BatchAnswer {
  std::string key;
  Answer answer;
};
[[nodiscard]] BatchAnswer read_batch_line(Protocol protocol, std::string_view line);

/// The service's own words on a failed request, shortened.
[[nodiscard]] std::string error_message(std::string_view body);

}  // namespace mustcite::annotate
