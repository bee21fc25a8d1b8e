#include "stages/extract/tei/grobid_client.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/net/exchange.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/tei/read_tei.hpp"

namespace mustcite::extract {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// So many answers without a 503 before one more request is allowed at once.
constexpr std::size_t kAnswersToGrow = 8;

std::string trimmed_url(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (url.find("://") == std::string::npos) url = "http://" + url;
  return url;
}

/// The form of processFulltextDocument. Consolidation is off: it asks other services and may replace what is
/// printed.
std::string form_of(std::string_view pdf, const std::string& boundary) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kFields{{{"consolidateHeader", "0"},
                                                                        {"consolidateCitations", "0"},
                                                                        {"includeRawCitations", "1"},
                                                                        {"includeRawAffiliations", "0"},
                                                                        {"teiCoordinates", "ref"},
                                                                        {"teiCoordinates", "biblStruct"}}};
  std::string form;
  form.reserve(pdf.size() + 2000);
  for (const auto& [name, value] : kFields) {
    form += fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", boundary, name,
                        value);
  }
  form += fmt::format(
      "--{}\r\nContent-Disposition: form-data; name=\"input\"; filename=\"paper.pdf\"\r\n"
      "Content-Type: application/pdf\r\n\r\n",
      boundary);
  form += pdf;
  form += fmt::format("\r\n--{}--\r\n", boundary);
  return form;
}

net::ExchangeRequest request_of(const GrobidOptions& options, std::string_view pdf) {
  const std::string boundary = "mustcite-" + sha256_hex(pdf).substr(0, 40);
  net::ExchangeRequest request;
  request.url = options.url + "/api/processFulltextDocument";
  request.post = form_of(pdf, boundary);
  // Without "Expect" libcurl waits for a go-ahead that the service does not give.
  request.headers = {"Content-Type: multipart/form-data; boundary=" + boundary, "Accept: application/xml",
                     "Expect:"};
  request.user_agent = "mustcite";
  request.max_bytes = kMostTeiBytes;
  request.connect_timeout = std::min(options.timeout, std::chrono::seconds(20));
  // The service is silent while it works.
  request.slow_for = options.timeout;
  request.total_timeout = options.timeout;
  return request;
}

bool is_busy(long status) {
  return status == 503 || status == 429;
}
bool is_passing(const net::Exchange& answer) {
  if (answer.end != net::HttpEnd::complete) return answer.end == net::HttpEnd::passing;
  return answer.status == 502 || answer.status == 504;
}

/// The first words of what the service says of its trouble.
std::string said(const net::Exchange& answer) {
  const std::string words = text::clean(std::string_view(answer.body).substr(0, 400));
  return words.empty() ? fmt::format("status {}", answer.status)
                       : fmt::format("status {}: {}", answer.status, words.substr(0, 160));
}

void sleep_until_interrupted(milliseconds pause) {
  const auto end = Clock::now() + pause;
  while (Clock::now() < end) {
    stop_if_interrupted();
    std::this_thread::sleep_for(std::min<Clock::duration>(milliseconds(100), end - Clock::now()));
  }
}

}  // namespace

/// A running request. Waits until one more is allowed.
class GrobidClient::Slot {
 public:
  explicit Slot(GrobidClient& client) : client_(client) { client_.enter(); }
  ~Slot() { client_.leave(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  GrobidClient& client_;
};

GrobidClient::GrobidClient(GrobidOptions options)
    : options_(std::move(options)), allowed_(std::max<std::size_t>(1, options_.concurrency)) {
  options_.url = trimmed_url(options_.url);
  if (!options_.pause) options_.pause = sleep_until_interrupted;
  counts_.least_allowed = allowed_;
}

std::string GrobidClient::connect() {
  net::Connection connection;
  net::ExchangeRequest request;
  request.url = options_.url + "/api/isalive";
  request.user_agent = "mustcite";
  request.connect_timeout = std::chrono::seconds(10);
  request.total_timeout = std::chrono::seconds(30);
  request.max_bytes = 64 * 1024;
  const net::Exchange alive = connection.exchange(request);
  if (alive.end != net::HttpEnd::complete || (alive.status != 200 && !is_busy(alive.status))) {
    fail(ErrorCode::unavailable, "asking GROBID at {}: {}; start the service or give another address",
         options_.url, alive.problem.empty() ? said(alive) : alive.problem);
  }
  request.url = options_.url + "/api/version";
  const net::Exchange version = connection.exchange(request);
  return version.status == 200 ? text::clean(version.body).substr(0, 60) : std::string();
}

std::string GrobidClient::process(std::string_view pdf, std::string_view name) {
  {
    const std::lock_guard lock(mutex_);
    if (silent_ >= options_.give_up_after)
      fail(ErrorCode::unavailable,
           "reading {} by GROBID: the service at {} has not answered for the last {} papers", name,
           options_.url, silent_);
  }
  const net::ExchangeRequest request = request_of(options_, pdf);
  net::Connection connection;
  std::string trouble;
  for (int attempt = 0; attempt <= options_.retries; ++attempt) {
    net::Exchange answer;
    Clock::duration took{};
    {
      const Slot slot(*this);
      const auto begin = Clock::now();
      answer = connection.exchange(request);
      took = Clock::now() - begin;
      const std::lock_guard lock(mutex_);
      ++counts_.sent;
      counts_.retried += attempt > 0 ? 1 : 0;
    }
    if (answer.end == net::HttpEnd::passing && took >= options_.timeout)
      fail(ErrorCode::exhausted, "reading {} by GROBID: no answer within {} s", name,
           options_.timeout.count());
    if (answer.end == net::HttpEnd::complete && is_busy(answer.status)) {
      on_busy();
      trouble = "the service is busy";
      if (attempt < options_.retries) rest(attempt, answer.retry_after);
      continue;
    }
    if (is_passing(answer)) {
      trouble = answer.problem.empty() ? said(answer) : answer.problem;
      if (attempt < options_.retries) rest(attempt, answer.retry_after);
      continue;
    }
    on_answer();
    if (answer.end == net::HttpEnd::complete && answer.status == 200 && !answer.body.empty())
      return std::move(answer.body);
    if (answer.end == net::HttpEnd::complete && (answer.status == 204 || answer.status == 200))
      fail(ErrorCode::invalid_input, "reading {} by GROBID: it found no text in the file", name);
    if (answer.body.find("[TIMEOUT]") != std::string::npos)
      fail(ErrorCode::exhausted, "reading {} by GROBID: {}", name, said(answer));
    fail(answer.too_large ? ErrorCode::exhausted : ErrorCode::invalid_input, "reading {} by GROBID: {}", name,
         answer.problem.empty() ? said(answer) : answer.problem);
  }
  on_silence();
  fail(ErrorCode::unavailable, "reading {} by GROBID: {} after {} requests", name, trouble,
       options_.retries + 1);
}

GrobidCounts GrobidClient::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void GrobidClient::enter() {
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return running_ < allowed_; });
  ++running_;
  counts_.most_at_once = std::max(counts_.most_at_once, running_);
}

void GrobidClient::leave() {
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  free_.notify_one();
}

/// Halves what is allowed at once: the service has fewer engines than we send requests.
void GrobidClient::on_busy() {
  const std::lock_guard lock(mutex_);
  ++counts_.busy;
  allowed_ = std::max<std::size_t>(1, allowed_ / 2);
  counts_.least_allowed = std::min(counts_.least_allowed, allowed_);
  answers_ = 0;
}

/// Allows one more after a while without a refusal.
void GrobidClient::on_answer() {
  {
    const std::lock_guard lock(mutex_);
    silent_ = 0;
    if (++answers_ < kAnswersToGrow || allowed_ >= options_.concurrency) return;
    ++allowed_;
    answers_ = 0;
  }
  free_.notify_one();
}

void GrobidClient::on_silence() {
  const std::lock_guard lock(mutex_);
  ++silent_;
}

void GrobidClient::rest(int attempt, std::chrono::seconds asked) {
  milliseconds pause = options_.first_pause * (1LL << std::min(attempt, 12));
  pause = std::min(std::max(pause, milliseconds(asked)), options_.longest_pause);
  options_.pause(pause);
}

}  // namespace mustcite::extract
