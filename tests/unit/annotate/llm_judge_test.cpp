#include "stages/annotate/llm_judge.hpp"

#include <gtest/gtest.h>

#include "core/io/file.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/annotate/citations.hpp"
#include "unit/annotate/llm_server.hpp"

namespace mustcite::annotate {
namespace {

using testing::LlmServer;
using testing::TempFolder;
using namespace std::chrono_literals;

LlmOptions quick(const std::string& url, Protocol protocol = Protocol::openai) {
  LlmOptions options;
  options.endpoint = {protocol, url, "tiny", "secret"};
  options.first_wait = 1ms;
  options.longest_wait = 20ms;
  options.timeout = 5000ms;
  return options;
}

struct Outcome {
  LlmReport report;
  std::vector<LlmVerdict> verdicts;
};

Outcome ask(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
            const LlmOptions& options, const std::filesystem::path& cache_file) {
  ReplyCache cache(cache_file);
  SilentProgress progress;
  Outcome outcome;
  outcome.report = ask_llm(
      instances, prompts, options, cache,
      [&](const LlmVerdict& verdict) { outcome.verdicts.push_back(verdict); }, progress);
  const auto& report = outcome.report;
  EXPECT_EQ(report.questions, report.judged + report.rejected + report.left);
  EXPECT_EQ(report.judged, outcome.verdicts.size());
  EXPECT_EQ(report.rejected, report.rejects.size());
  return outcome;
}

TEST(LlmJudge, SpeaksBothProtocolsAndKeepsReplies) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  for (const Protocol protocol : {Protocol::openai, Protocol::gemini}) {
    const bool openai = protocol == Protocol::openai;
    auto options = quick(openai ? server.openai() : server.gemini(), protocol);
    options.price_in = 2;
    options.price_out = 8;
    const auto outcome = ask(citations(3), both_prompts(), options, folder / protocol_name(protocol));
    EXPECT_EQ(outcome.report.judged, 6U);
    EXPECT_EQ(outcome.verdicts[0].reply, "1");
    EXPECT_EQ(outcome.report.tokens_in, openai ? 6000U : 5400U);
    EXPECT_EQ(outcome.report.tokens_out, openai ? 6U : 12U);
    EXPECT_NEAR(outcome.report.cost, openai ? (6000 * 2 + 6 * 8) / 1e6 : (5400 * 2 + 12 * 8) / 1e6, 1e-12);
    EXPECT_EQ(server.last_authorization(), openai ? "Bearer secret" : "secret");
  }
}

TEST(LlmJudge, AsksOneCitationACallInSeparatePasses) {
  const TempFolder folder;
  std::mutex mutex;
  std::vector<std::string> asked;
  LlmServer server([&](const std::string& user, int) {
    const std::lock_guard lock(mutex);
    asked.push_back(user);
    return LlmServer::Act{};
  });
  ask(citations(2), both_prompts(), quick(server.openai()), folder / "c");
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_NE(asked[0].find("THE PAPER: Paper"), std::string::npos);
  EXPECT_NE(asked[0].find("1. [1 Introduction] \"Seen in [7].\""), std::string::npos);
}

TEST(LlmJudge, ARerunCostsNothing) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  auto options = quick(server.openai());
  options.price_in = 1;
  ask(citations(20), both_prompts(), options, folder / "c");
  const std::size_t calls = server.calls();
  const auto again = ask(citations(20), both_prompts(), options, folder / "c");
  EXPECT_EQ(server.calls(), calls);
  EXPECT_EQ(again.report.from_cache, 40U);
  EXPECT_EQ(again.report.cost, 0);
  EXPECT_GT(again.report.cost_saved, 0);
  options.endpoint.model = "other";
  EXPECT_EQ(ask(citations(20), both_prompts(), options, folder / "c").report.from_cache, 0U);
}

TEST(LlmJudge, SurvivesEveryFaultAndPaysForNoQuestionTwice) {
  const TempFolder folder;
  LlmServer server([](const std::string& user, int earlier) {
    LlmServer::Act act;
    const int kind = std::stoi(user.substr(user.find("Paper ") + 6)) % 8;
    if (earlier >= 2) return act;
    if (kind == 1) act.status = 429;
    if (kind == 2) act.status = 500;
    if (kind == 3) act.raw = R"({"choices": [{"message": {"cont)";
    if (kind == 4) act.status = 503;
    if (kind == 5) act.raw = "<html>bad gateway</html>";
    if (kind == 6) {
      act.latency = 2000ms;
      act.status = 504;  // the client has gone by then
    }
    return act;
  });
  auto options = quick(server.openai());
  options.timeout = 1000ms;
  const auto outcome = ask(citations(160), {both_prompts()[0]}, options, folder / "c");
  EXPECT_EQ(outcome.report.judged, 160U);
  EXPECT_EQ(outcome.report.rejected, 0U);
  EXPECT_GE(outcome.report.retries, 2U * 6 * 20);
  EXPECT_EQ(server.most_paid_for_one(), 1);
  EXPECT_EQ(server.paid(), 160U);
}

TEST(LlmJudge, HonoursRetryAfter) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int earlier) {
    LlmServer::Act act;
    if (earlier == 0) {
      act.status = 429;
      act.retry_after = "1";
    }
    return act;
  });
  const auto outcome = ask(citations(1), {both_prompts()[0]}, quick(server.openai()), folder / "c");
  EXPECT_EQ(outcome.report.judged, 1U);
  EXPECT_GE(outcome.report.seconds, 0.95);
}

TEST(LlmJudge, RepairsOnceAndThenRejects) {
  const TempFolder folder;
  LlmServer server([](const std::string& user, int) {
    LlmServer::Act act;
    const int kind = std::stoi(user.substr(user.find("Paper ") + 6)) % 5;
    const bool repair = user.find("repair:") != std::string::npos;
    if (kind == 0) act.text = "4.";
    if (kind == 1) act.text = repair ? "3" : "Well, I would say that this is a four or so";
    if (kind == 2) act.text = repair ? "still chatting about it" : "Let me think";
    if (kind == 3) act.text = repair ? "2" : "";
    if (kind == 4) act.refuse = true;
    return act;
  });
  const auto outcome = ask(citations(5), {both_prompts()[1]}, quick(server.openai()), folder / "c");
  EXPECT_EQ(outcome.report.judged, 3U);
  EXPECT_EQ(outcome.report.dressed, 1U);
  EXPECT_EQ(outcome.report.repairs, 3U);
  ASSERT_EQ(outcome.report.rejects.size(), 2U);
  std::string reasons = outcome.report.rejects[0].reason + outcome.report.rejects[1].reason;
  EXPECT_NE(reasons.find("still chatting"), std::string::npos);
  EXPECT_NE(reasons.find("refused"), std::string::npos);
  // What was refused or unreadable is not paid for again either.
  const std::size_t calls = server.calls();
  const auto again = ask(citations(5), {both_prompts()[1]}, quick(server.openai()), folder / "c");
  EXPECT_EQ(server.calls(), calls);
  EXPECT_EQ(again.report.rejected, 2U);
  // The same refusal by the other protocol.
  const auto gemini =
      ask(citations(5), {both_prompts()[1]}, quick(server.gemini(), Protocol::gemini), folder / "g");
  EXPECT_EQ(gemini.report.rejected, 2U);
}

TEST(LlmJudge, GivesUpOnAQuestionThatAlwaysFails) {
  const TempFolder folder;
  LlmServer server([](const std::string& user, int) {
    LlmServer::Act act;
    if (user.find("Paper 1.") != std::string::npos) act.status = 500;
    if (user.find("Paper 2.") != std::string::npos) act.status = 400;
    return act;
  });
  auto options = quick(server.openai());
  options.tries = 3;
  const auto outcome = ask(citations(4), {both_prompts()[0]}, options, folder / "c");
  EXPECT_EQ(outcome.report.judged, 2U);
  EXPECT_EQ(outcome.report.rejected, 2U);
  EXPECT_EQ(server.calls(), 2U + 3U + 1U);
}

TEST(LlmJudge, StopsWithinItsBudget) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  auto options = quick(server.openai());
  options.price_in = 1000;  // 1.0 a call at the 1,000 tokens that the server counts
  options.budget = 10.5;
  options.concurrency = 4;
  const auto outcome = ask(citations(50), {both_prompts()[0]}, options, folder / "c");
  EXPECT_TRUE(outcome.report.out_of_budget);
  EXPECT_LE(outcome.report.cost, options.budget);
  EXPECT_GT(outcome.report.judged, 0U);
  EXPECT_EQ(outcome.report.left, 50U - outcome.report.judged);
  // With more money it goes on where it stopped.
  options.budget = 1000;
  const auto rest = ask(citations(50), {both_prompts()[0]}, options, folder / "c");
  EXPECT_EQ(rest.report.from_cache, outcome.report.judged);
  EXPECT_EQ(rest.report.judged, 50U);
  EXPECT_EQ(server.most_paid_for_one(), 1);
}

TEST(LlmJudge, SaysWhatIsWrongWithAKey) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) {
    LlmServer::Act act;
    act.status = 401;
    return act;
  });
  EXPECT_EQ(
      testing::code_of([&] { ask(citations(2), {both_prompts()[0]}, quick(server.openai()), folder / "c"); }),
      ErrorCode::unavailable);
}

TEST(LlmJudge, EstimatesBeforeItPays) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) { return LlmServer::Act{}; });
  auto options = quick(server.openai());
  options.price_in = 1;
  ask(citations(5), {both_prompts()[0]}, options, folder / "c");
  ReplyCache cache(folder / "c");
  const auto found = estimate(citations(8), both_prompts(), options, cache);
  EXPECT_EQ(found.questions, 16U);
  EXPECT_EQ(found.cached, 5U);
  EXPECT_GT(found.tokens_in, 11U * 400);
  EXPECT_NEAR(found.cost, static_cast<double>(found.tokens_in) / 1e6, 1e-12);
  EXPECT_EQ(server.calls(), 5U);
}

TEST(SlowLlmJudge, SixtyFourInFlightAgainstFiftyMilliseconds) {
  const TempFolder folder;
  LlmServer server([](const std::string&, int) {
    LlmServer::Act act;
    act.latency = 50ms;
    return act;
  });
  const auto outcome = ask(citations(4000), {both_prompts()[0]}, quick(server.openai()), folder / "c");
  EXPECT_EQ(outcome.report.judged, 4000U);
  EXPECT_EQ(server.paid(), 4000U);
  EXPECT_EQ(server.most_paid_for_one(), 1);
  RecordProperty("calls_per_second", std::to_string(4000 / outcome.report.seconds));
}

TEST(ReadReply, IsStrict) {
  EXPECT_EQ(read_reply("4", Tier::type2).kind, Reply::Kind::clean);
  EXPECT_EQ(read_reply(" 4\n", Tier::type2).kind, Reply::Kind::clean);
  for (const char* text : {"4.", "**4**", "Score: 4", "(4)"}) {
    EXPECT_EQ(read_reply(text, Tier::type2).kind, Reply::Kind::dressed) << text;
    EXPECT_EQ(read_reply(text, Tier::type2).value, 4) << text;
  }
  for (const char* text : {"0", "6", "45", "4/5", "-4", "4-5", "I would give it a 4", "four"})
    EXPECT_EQ(read_reply(text, Tier::type2).kind, Reply::Kind::unreadable) << text;
  EXPECT_EQ(read_reply("2", Tier::type1).kind, Reply::Kind::unreadable);
  EXPECT_EQ(read_reply("", Tier::type1).kind, Reply::Kind::empty);
}

TEST(Prompt, FillsOnceAndKnowsItsVersion) {
  const auto prompt = both_prompts()[0];
  EXPECT_TRUE(prompt.definition().starts_with("type1-v1@"));
  auto instance = citations(1)[0];
  instance.citing_title = "On {contexts} and {braces}";
  const std::string text = prompt.fill(instance);
  EXPECT_NE(text.find("On {contexts} and {braces}"), std::string::npos);
  const std::string file =
      "name: x\nversion: 2\ntier: type2\n--- system ---\nS\n--- user "
      "---\n{citing_title}{cited_title}{contexts}\n";
  EXPECT_EQ(parse_prompt(file, "f").version, "2");
  EXPECT_NE(parse_prompt(file, "f").digest, parse_prompt(file + "\n", "f").digest);
  for (const std::string& bad :
       {std::string("name: x"), file.substr(8),
        std::string("name: x\nversion: 1\ntier: type3\n") + file.substr(file.find("---")),
        file.substr(0, file.size() - 12)})
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(parse_prompt(bad, "f")); }).has_value(), true) << bad;
}

}  // namespace
}  // namespace mustcite::annotate
