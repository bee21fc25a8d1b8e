#pragma once

#include <httplib.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace mustcite::testing {

/// A local server that speaks the protocols of OpenAI and Gemini. `answer` says what happens to a request: it
/// gets the user's text and how often that very text was asked before.
class LlmServer {
 public:
  struct Act {
    int status = 200;
    std::string text = "1";   ///< the model's reply
    std::string raw;          ///< sent instead of a proper body when not empty
    std::string retry_after;  ///< header, when not empty
    std::chrono::milliseconds latency{0};
    bool refuse = false;
  };

  explicit LlmServer(std::function<Act(const std::string& user, int earlier)> answer,
                     std::size_t threads = 80)
      : answer_(std::move(answer)) {
    server_.new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    server_.set_keep_alive_max_count(1000000);
    server_.set_tcp_nodelay(true);  // else each reply waits for a delayed acknowledgement
    server_.Post(
        "/v1/chat/completions", [this](const httplib::Request& request, httplib::Response& response) {
          const auto json = nlohmann::json::parse(request.body);
          last_authorization_set(request.get_header_value("Authorization"));
          const auto act = act_on(json["messages"].back()["content"], json["messages"][1]["content"],
                                  json["messages"].size() > 2);
          nlohmann::json body{
              {"choices",
               {{{"message", {{"role", "assistant"}, {"content", act.text}}}, {"finish_reason", "stop"}}}},
              {"usage", {{"prompt_tokens", 1000}, {"completion_tokens", 1}}}};
          if (act.refuse) body["choices"][0]["finish_reason"] = "content_filter";
          finish(act, body, response);
        });
    server_.Post(R"(/v1beta/models/([^:]+):generateContent)", [this](const httplib::Request& request,
                                                                     httplib::Response& response) {
      const auto json = nlohmann::json::parse(request.body);
      last_authorization_set(request.get_header_value("x-goog-api-key"));
      const auto& contents = json["contents"];
      const auto act =
          act_on(contents.back()["parts"][0]["text"], contents[0]["parts"][0]["text"], contents.size() > 1);
      nlohmann::json body{
          {"candidates",
           {{{"content", {{"role", "model"}, {"parts", {{{"text", act.text}}}}}}, {"finishReason", "STOP"}}}},
          {"usageMetadata", {{"promptTokenCount", 900}, {"candidatesTokenCount", 2}}}};
      if (act.refuse)
        body = {{"promptFeedback", {{"blockReason", "SAFETY"}}},
                {"usageMetadata", {{"promptTokenCount", 900}}}};
      finish(act, body, response);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~LlmServer() {
    server_.stop();
    thread_.join();
  }

  [[nodiscard]] std::string openai() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  [[nodiscard]] std::string gemini() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1beta"; }
  [[nodiscard]] std::size_t calls() const { return calls_; }
  [[nodiscard]] std::size_t paid() const { return paid_; }
  /// The most often that one question was answered with a complete 200.
  [[nodiscard]] int most_paid_for_one() {
    const std::lock_guard lock(mutex_);
    int most = 0;
    for (const auto& [question, count] : paid_by_question_) most = std::max(most, count);
    return most;
  }
  [[nodiscard]] std::string last_authorization() {
    const std::lock_guard lock(mutex_);
    return last_authorization_;
  }

 private:
  void last_authorization_set(std::string value) {
    const std::lock_guard lock(mutex_);
    last_authorization_ = std::move(value);
  }

  Act act_on(const std::string& last, const std::string& user, bool is_repair) {
    ++calls_;
    int earlier = 0;
    const std::string question = user + (is_repair ? "\nrepair: " + last : "");
    {
      const std::lock_guard lock(mutex_);
      earlier = asked_[question]++;
    }
    Act act = answer_(question, earlier);
    if (act.latency.count() > 0) std::this_thread::sleep_for(act.latency);
    if (act.status == 200 && act.raw.empty()) {
      ++paid_;
      const std::lock_guard lock(mutex_);
      ++paid_by_question_[question];
    }
    return act;
  }

  static void finish(const Act& act, const nlohmann::json& body, httplib::Response& response) {
    response.status = act.status;
    if (!act.retry_after.empty()) response.set_header("Retry-After", act.retry_after);
    if (!act.raw.empty()) {
      response.set_content(act.raw, "application/json");
    } else if (act.status != 200) {
      response.set_content(R"({"error": {"message": "made to fail"}})", "application/json");
    } else {
      response.set_content(body.dump(), "application/json");
    }
  }

  std::function<Act(const std::string&, int)> answer_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<std::size_t> calls_{0};
  std::atomic<std::size_t> paid_{0};
  std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::map<std::string, int> paid_by_question_;
  std::string last_authorization_;
};

}  // namespace mustcite::testing
