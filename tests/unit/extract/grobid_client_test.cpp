#include "stages/extract/tei/grobid_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "testing/error_code.hpp"
#include "unit/extract/grobid_server.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using mustcite::testing::code_of;
using mustcite::testing::GrobidServer;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Keeps the pauses instead of waiting.
struct Pauses {
  std::mutex mutex;
  std::vector<milliseconds> taken;
  GrobidOptions options(const GrobidServer& server) {
    GrobidOptions made;
    made.url = server.url();
    made.pause = [this](milliseconds pause) {
      const std::lock_guard lock(mutex);
      taken.push_back(pause);
    };
    return made;
  }
};

TEST(GrobidClient, SendsTheFileAsAFormAndTakesTheTei) {
  const std::string pdf = std::string("%PDF-1.5\r\n--x\0y", 15) + std::string(2 << 20, 'z');
  std::string got;
  const GrobidServer server([&](const std::string& file, std::size_t, httplib::Response& response) {
    got = file;
    response.set_content("<TEI/>", "application/xml");
  });
  Pauses pauses;
  GrobidClient client(pauses.options(server));
  EXPECT_EQ(client.connect(), "0.8.0");
  EXPECT_EQ(client.process(pdf, "a.pdf"), "<TEI/>");
  EXPECT_EQ(got, pdf);
}

TEST(GrobidClient, WaitsLongerEachTimeTheServiceIsBusy) {
  const GrobidServer server([](const std::string&, std::size_t number, httplib::Response& response) {
    response.status = number < 3 ? 503 : 200;
    if (number >= 3) response.set_content("<TEI/>", "application/xml");
  });
  Pauses pauses;
  GrobidOptions options = pauses.options(server);
  options.first_pause = milliseconds(100);
  options.longest_pause = milliseconds(300);
  GrobidClient client(options);
  EXPECT_EQ(client.process("%PDF", "a.pdf"), "<TEI/>");
  EXPECT_THAT(pauses.taken, ElementsAre(milliseconds(100), milliseconds(200), milliseconds(300)));
  EXPECT_EQ(client.counts().busy, 3u);
  EXPECT_EQ(client.counts().retried, 3u);
}

TEST(GrobidClient, WaitsAsLongAsTheServiceAsksFor) {
  const GrobidServer server([](const std::string&, std::size_t number, httplib::Response& response) {
    response.status = number == 0 ? 503 : 200;
    response.set_header("Retry-After", "7");
    response.set_content("<TEI/>", "application/xml");
  });
  Pauses pauses;
  GrobidClient client(pauses.options(server));
  (void)client.process("%PDF", "a.pdf");
  EXPECT_THAT(pauses.taken, ElementsAre(milliseconds(7000)));
}

TEST(GrobidClient, IsUnavailableWhenTheServiceStaysBusy) {
  const GrobidServer server(
      [](const std::string&, std::size_t, httplib::Response& response) { response.status = 503; });
  Pauses pauses;
  GrobidOptions options = pauses.options(server);
  options.retries = 2;
  GrobidClient client(options);
  EXPECT_EQ(code_of([&] { (void)client.process("%PDF", "a.pdf"); }), ErrorCode::unavailable);
  EXPECT_EQ(server.requests(), 3u);
}

TEST(GrobidClient, SendsFewerAtOnceWhileTheServiceIsBusyAndMoreAgainLater) {
  // An engine for two papers: more at once are refused.
  std::atomic<std::size_t> working{0};
  std::mutex mutex;
  std::condition_variable arrived;
  std::size_t seen = 0;
  const GrobidServer server([&](const std::string&, std::size_t number, httplib::Response& response) {
    if (number < 4) {  // the first four meet: all see a full service but two
      std::unique_lock lock(mutex);
      ++seen;
      arrived.notify_all();
      arrived.wait(lock, [&] { return seen >= 4; });
    }
    if (++working > 2) {
      response.status = 503;
    } else {
      response.set_content("<TEI/>", "application/xml");
    }
    --working;
    if (number < 2) response.status = 503;
  });
  Pauses pauses;
  GrobidOptions options = pauses.options(server);
  options.concurrency = 4;
  GrobidClient client(options);
  std::vector<std::string> answers(60);
  parallel_for(answers.size(), 4,
               [&](std::size_t i, std::size_t) { answers[i] = client.process("%PDF", "a.pdf"); });
  EXPECT_THAT(answers, Each("<TEI/>"));
  EXPECT_GE(client.counts().busy, 2u);
  EXPECT_EQ(client.counts().least_allowed, 1u);
  EXPECT_EQ(client.counts().most_at_once, 4u);
}

TEST(GrobidClient, APaperThatTakesTooLongIsGivenUpWithoutAnotherTry) {
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  const GrobidServer server([&](const std::string&, std::size_t, httplib::Response&) {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return over; });
  });
  Pauses pauses;
  GrobidOptions options = pauses.options(server);
  options.timeout = std::chrono::seconds(1);
  GrobidClient client(options);
  EXPECT_EQ(code_of([&] { (void)client.process("%PDF", "a.pdf"); }), ErrorCode::exhausted);
  EXPECT_EQ(server.requests(), 1u);
  const std::lock_guard lock(mutex);
  over = true;
  ended.notify_all();
}

TEST(GrobidClient, TellsFilesThatTheServiceRefusesFromTroubleOfTheService) {
  const GrobidServer server([](const std::string& pdf, std::size_t, httplib::Response& response) {
    response.status = pdf == "none" ? 204 : 500;
    if (pdf == "bad") response.set_content("[BAD_INPUT_DATA] PDF to XML conversion failed", "text/plain");
    if (pdf == "slow") response.set_content("[TIMEOUT] PDF to XML conversion timed out", "text/plain");
  });
  Pauses pauses;
  GrobidClient client(pauses.options(server));
  EXPECT_EQ(code_of([&] { (void)client.process("none", "a.pdf"); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { (void)client.process("bad", "a.pdf"); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { (void)client.process("slow", "a.pdf"); }), ErrorCode::exhausted);
  EXPECT_EQ(server.requests(), 3u);
}

TEST(GrobidClient, AServiceThatIsNotThereIsToldAtOnce) {
  std::string url;
  {
    url = GrobidServer([](const std::string&, std::size_t, httplib::Response&) {}).url();
  }
  GrobidOptions options;
  options.url = url;
  options.pause = [](milliseconds) {};
  GrobidClient client(options);
  EXPECT_EQ(code_of([&] { (void)client.connect(); }), ErrorCode::unavailable);
}

TEST(GrobidClient, AfterSeveralPapersWithoutAnAnswerTheRestFailAtOnce) {
  std::string url;
  {
    url = GrobidServer([](const std::string&, std::size_t, httplib::Response&) {}).url();
  }
  GrobidOptions options;
  options.url = url;
  options.retries = 1;
  options.give_up_after = 2;
  options.pause = [](milliseconds) {};
  GrobidClient client(options);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(code_of([&] { (void)client.process("%PDF", "a.pdf"); }), ErrorCode::unavailable);
  EXPECT_EQ(client.counts().sent, 4u);
}

}  // namespace
