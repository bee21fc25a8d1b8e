#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/store/catalog.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/llm_protocol.hpp"
#include "stages/annotate/prompt.hpp"
#include "stages/annotate/reply_cache.hpp"

namespace mustcite::annotate {

struct LlmOptions {
  Endpoint endpoint;
  std::size_t concurrency = 64;               ///< requests on their way at once
  double requests_per_minute = 0;             ///< 0: no limit
  int tries = 6;                              ///< per request, for failures that pass
  std::chrono::milliseconds first_wait{500};  ///< before the second try; doubles, with jitter
  std::chrono::milliseconds longest_wait{60000};
  std::chrono::milliseconds timeout{60000};
  double price_in = 0;     ///< per million tokens
  double price_out = 0;    ///< per million tokens
  double budget = 0;       ///< 0: no limit; no request is sent that could go beyond it
  std::uint64_t seed = 1;  ///< of the jitter
};

/// What tokens cost by the prices of the options.
[[nodiscard]] double price(const LlmOptions& options, std::uint64_t tokens_in,
                           std::uint64_t tokens_out) noexcept;
/// The key in the cache of a question: judge, model, prompt (and its run) and the filled-in text.
[[nodiscard]] std::string question_key(const Endpoint& endpoint, const Prompt& prompt, std::string_view user);
/// An answer as the cache keeps it: the model's text, or a refusal marked as one.
[[nodiscard]] std::string kept_text(const Answer& answer);

/// One judged question.
struct LlmVerdict {
  std::size_t instance = 0;  ///< position in the list
  Tier tier = Tier::type1;
  std::string definition;
  int value = 0;
  std::string reply;  ///< as the model said it
  double cost = 0;
};

/// questions == judged + rejected + left, always; judged of these from_cache came from the cache.
struct LlmReport {
  std::uint64_t questions = 0;
  std::uint64_t judged = 0;
  std::uint64_t from_cache = 0;
  std::uint64_t rejected = 0;  ///< unreadable twice, refused, or failing on every try: in `rejects`
  std::uint64_t left = 0;      ///< not asked: budget used up, or interrupted
  std::uint64_t calls = 0;
  std::uint64_t retries = 0;
  std::uint64_t repairs = 0;  ///< questions asked a second time because of the form of the reply
  std::uint64_t dressed = 0;  ///< replies such as "4." that were readable all the same
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
  double cost = 0;        ///< of this run
  double cost_saved = 0;  ///< what the cache's replies had cost
  double seconds = 0;
  bool out_of_budget = false;
  std::vector<store::Reject> rejects;
};

/// What a run would send, from the lengths of the texts (about four bytes a token).
struct Estimate {
  std::uint64_t questions = 0;
  std::uint64_t cached = 0;
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
  double cost = 0;
};
[[nodiscard]] Estimate estimate(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
                                const LlmOptions& options, ReplyCache& cache);

/// Asks about every instance by every prompt: one citation and one question a call, the prompts in separate
/// passes. Each usable reply goes into the cache before anything else happens to it. `take` gets each
/// verdict. Failures that pass (429, 5xx, time-outs, cut replies) are tried again after a wait that grows,
/// with jitter, and is never shorter than the service asked for. Throws unavailable when the service refuses
/// the key, the model or the address. An interrupt stops after the requests on their way.
LlmReport ask_llm(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
                  const LlmOptions& options, ReplyCache& cache,
                  const std::function<void(const LlmVerdict&)>& take, Progress& progress);

}  // namespace mustcite::annotate
