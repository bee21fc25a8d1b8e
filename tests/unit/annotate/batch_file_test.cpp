// The batch way of both services: requests as they want them, results in any order and of any kind.
#include "stages/annotate/batch_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/annotate/citations.hpp"
#include "unit/annotate/llm_server.hpp"

namespace mustcite::annotate {
namespace {

using Json = nlohmann::json;
using testing::LlmServer;
using testing::TempFolder;

class BatchFileTest : public ::testing::TestWithParam<Protocol> {
 protected:
  BatchFileTest() : cache_(folder_ / "replies.sqlite") {
    options_.endpoint = {GetParam(), "http://127.0.0.1:1", "tiny", "secret"};
    options_.price_in = 2;
    options_.price_out = 8;
  }

  std::vector<Json> requests() {
    std::istringstream lines(batch_requests(instances_, prompts_, options_, cache_).lines);
    std::vector<Json> parsed;
    for (std::string line; std::getline(lines, line);) parsed.push_back(Json::parse(line));
    return parsed;
  }

  [[nodiscard]] bool gemini() const { return GetParam() == Protocol::gemini; }
  [[nodiscard]] std::string key_of(const Json& request) const {
    return request.at(gemini() ? "key" : "custom_id");
  }

  /// A line of results: the model says `text`.
  [[nodiscard]] std::string said(const std::string& key, const std::string& text) const {
    const Json openai{
        {"choices", {{{"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}}}},
        {"usage", {{"prompt_tokens", 900}, {"completion_tokens", 1}}}};
    const Json google{
        {"candidates", {{{"content", {{"parts", {{{"text", text}}}}}}, {"finishReason", "STOP"}}}},
        {"usageMetadata", {{"promptTokenCount", 900}, {"candidatesTokenCount", 1}}}};
    return (gemini() ? Json{{"key", key}, {"response", google}}
                     : Json{{"id", "batch_req_1"},
                            {"custom_id", key},
                            {"response", {{"status_code", 200}, {"body", openai}}},
                            {"error", nullptr}})
               .dump() +
           "\n";
  }

  [[nodiscard]] std::string refused(const std::string& key) const {
    const Json openai{{"choices", {{{"message", {{"content", ""}}}, {"finish_reason", "content_filter"}}}}};
    const Json google{{"promptFeedback", {{"blockReason", "SAFETY"}}}};
    return (gemini() ? Json{{"key", key}, {"response", google}}
                     : Json{{"custom_id", key}, {"response", {{"status_code", 200}, {"body", openai}}}})
               .dump() +
           "\n";
  }

  [[nodiscard]] std::string failed(const std::string& key) const {
    return (gemini()
                ? Json{{"key", key}, {"error", {{"code", 13}, {"message", "made to fail"}}}}
                : Json{{"custom_id", key},
                       {"response", {{"status_code", 429}, {"body", {{"error", {{"message", "slow"}}}}}}},
                       {"error", nullptr}})
               .dump() +
           "\n";
  }

  LlmReport run(const LlmServer& server) {
    auto options = options_;
    options.endpoint.url = gemini() ? server.gemini() : server.openai();
    SilentProgress progress;
    return ask_llm(
        instances_, prompts_, options, cache_,
        [&](const LlmVerdict& verdict) { verdicts_.push_back(verdict); }, progress);
  }

  TempFolder folder_;
  ReplyCache cache_;
  LlmOptions options_;
  std::vector<Instance> instances_ = citations(3);
  std::vector<Prompt> prompts_ = both_prompts();
  std::vector<LlmVerdict> verdicts_;
};

TEST_P(BatchFileTest, HoldsOneRequestAQuestionAsTheServiceWantsIt) {
  const auto lines = requests();
  ASSERT_EQ(lines.size(), 6U);
  for (const auto& line : lines) {
    EXPECT_EQ(key_of(line).size(), 64U);
    EXPECT_EQ(line.dump().find("secret"), std::string::npos) << "the key of the account stands in the file";
  }
  if (gemini()) {
    const auto& request = lines[0].at("request");
    EXPECT_EQ(request.at("generationConfig").at("maxOutputTokens"), 4);
    EXPECT_EQ(request.at("generationConfig").at("temperature"), 0);
    EXPECT_EQ(request.at("system_instruction").at("parts").at(0).at("text"), prompts_[0].system);
    EXPECT_EQ(request.at("contents").at(0).at("parts").at(0).at("text"), prompts_[0].fill(instances_[0]));
  } else {
    EXPECT_EQ(lines[0].at("method"), "POST");
    EXPECT_EQ(lines[0].at("url"), "/v1/chat/completions");
    EXPECT_EQ(lines[0].at("body").at("model"), "tiny");
    EXPECT_EQ(lines[0].at("body").at("messages").at(1).at("content"), prompts_[0].fill(instances_[0]));
  }
}

TEST_P(BatchFileTest, ResultsInAnyOrderAnswerTheRunThatFollowsWithoutACall) {
  const auto lines = requests();
  std::string results;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) results += said(key_of(*line), "1");
  const auto taken = take_batch_results(results, options_, cache_);
  EXPECT_EQ(taken.lines, 6U);
  EXPECT_EQ(taken.taken, 6U);
  EXPECT_EQ(taken.tokens_in, 5400U);
  EXPECT_NEAR(taken.cost, 6 * (900 * 2 + 1 * 8) / 1e6, 1e-12);
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  const auto report = run(server);
  EXPECT_EQ(report.judged, 6U);
  EXPECT_EQ(report.from_cache, 6U);
  EXPECT_EQ(server.calls(), 0U);
  EXPECT_TRUE(requests().empty()) << "what is answered is not asked for again";
}

TEST_P(BatchFileTest, FailedAndStrangeLinesAreCountedAndAskedForAgain) {
  const auto lines = requests();
  const std::string results = said(key_of(lines[0]), "1") + "\n" + refused(key_of(lines[1])) +
                              failed(key_of(lines[2])) + "{\"key\": 7, \"custom_id\": 7}\n" +
                              said("not-a-key-of-ours", "1") + said(key_of(lines[3]), "4").substr(0, 90) +
                              "\n[[[\n" + said(key_of(lines[4]), "I would rate it 4 of 5");
  const auto taken = take_batch_results(results, options_, cache_);
  EXPECT_EQ(taken.lines, 8U);
  EXPECT_EQ(taken.lines, taken.taken + taken.refused + taken.failed + taken.unreadable);
  EXPECT_EQ(taken.taken, 2U);
  EXPECT_EQ(taken.refused, 1U);
  EXPECT_EQ(taken.failed, 1U);
  EXPECT_EQ(taken.unreadable, 4U);
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  const auto report = run(server);
  EXPECT_EQ(report.questions, 6U);
  EXPECT_EQ(report.judged, 5U);
  EXPECT_EQ(report.rejected, 1U);    // the refusal was paid for: it stands
  EXPECT_EQ(report.from_cache, 1U);  // the first; the chatty one needs a repair by a call
  EXPECT_EQ(report.repairs, 1U);
  EXPECT_EQ(server.calls(), 4U);  // 2, 3 and 5, and the repair of 4
}

INSTANTIATE_TEST_SUITE_P(Both, BatchFileTest, ::testing::Values(Protocol::openai, Protocol::gemini),
                         [](const auto& which) { return std::string(protocol_name(which.param)); });

TEST(Repeat, AskOnceMoreKnowsNoReplyOfTheFirstRun) {
  const TempFolder folder;
  ReplyCache cache(folder / "replies.sqlite");
  LlmServer server([](const std::string&, int earlier) {
    LlmServer::Act act;
    act.text = earlier == 0 ? "1" : "0";
    return act;
  });
  LlmOptions options;
  options.endpoint = {Protocol::openai, server.openai(), "tiny", ""};
  SilentProgress progress;
  std::vector<LlmVerdict> verdicts;
  const auto instances = citations(4);
  std::vector<Prompt> prompts{both_prompts()[0]};
  const auto ask = [&] {
    return ask_llm(
        instances, prompts, options, cache, [&](const LlmVerdict& verdict) { verdicts.push_back(verdict); },
        progress);
  };
  ask();
  const std::string first = prompts[0].definition();
  prompts[0].run = 2;
  EXPECT_EQ(prompts[0].definition(), first + "~2");
  EXPECT_EQ(ask().from_cache, 0U);
  EXPECT_EQ(server.calls(), 8U);
  EXPECT_EQ(ask().from_cache, 4U);  // the second run has a cache of its own
  EXPECT_EQ(server.calls(), 8U);
  std::size_t ones = 0;
  for (const auto& verdict : verdicts) ones += verdict.definition == first && verdict.value == 1 ? 1 : 0;
  EXPECT_EQ(ones, 4U);
}

}  // namespace
}  // namespace mustcite::annotate
