#include "apps/validate/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "stages/annotate/marker.hpp"

namespace mustcite::validate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBodyBytes = 64 << 10;
constexpr std::size_t kMostNoteBytes = 4000;

void send(httplib::Response& response, const Json& json, int status = 200) {
  response.status = status;
  response.set_header("Cache-Control", "no-store");
  response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
}

/// A sentence in pieces; those that name the cited work are marked.
Json pieces(const CitationContext& context, const std::string& cited_as) {
  Json parts = Json::array();
  std::size_t at = 0;
  for (const auto& place : annotate::find_marker(context.text, cited_as)) {
    if (place.begin < at) continue;
    parts.push_back({{"text", context.text.substr(at, place.begin - at)}, {"mark", false}});
    parts.push_back({{"text", context.text.substr(place.begin, place.end - place.begin)}, {"mark", true}});
    at = place.end;
  }
  parts.push_back({{"text", context.text.substr(at)}, {"mark", false}});
  return {{"section", context.section}, {"parts", parts}};
}

Json answer_json(const Answer& answer) {
  return {{"type1", answer.type1}, {"type2", answer.type2}, {"note", answer.note}};
}

/// Answers requests; the study is used by one thread at a time.
class Desk {
 public:
  explicit Desk(Study& study) : study_(study) {}

  void state(const httplib::Request& request, httplib::Response& response) {
    with_rater(request, response, [&](const Rater& rater) {
      Json json{
          {"rater", rater.name}, {"total", rater.items.size()}, {"adjudicates", rater.name == kAdjudicator}};
      Json done = Json::array();
      for (const std::size_t item : rater.items) done.push_back(study_.answer(rater.name, item).has_value());
      json["done"] = done;
      send(response, json);
    });
  }

  void item(const httplib::Request& request, httplib::Response& response) {
    with_item(request, response, [&](const Rater& rater, std::size_t item) {
      const auto& instance = study_.instances()[item];
      Json json{{"citing_title", instance.citing_title},
                {"cited_title", instance.cited_title},
                {"cited_year", instance.cited_year},
                {"cited_as", instance.cited_as}};
      json["contexts"] = Json::array();
      for (const auto& context : instance.contexts)
        json["contexts"].push_back(pieces(context, instance.cited_as));
      const auto answer = study_.answer(rater.name, item);
      json["answer"] = answer ? answer_json(*answer) : Json();
      if (rater.name == kAdjudicator) {
        json["others"] = Json::array();
        for (const auto& [name, other] : study_.answers_of(item)) {
          if (name == kAdjudicator) continue;
          Json one = answer_json(other);
          one["rater"] = name;
          json["others"].push_back(one);
        }
      }
      send(response, json);
    });
  }

  void save(const httplib::Request& request, httplib::Response& response) {
    with_item(request, response, [&](const Rater& rater, std::size_t item) {
      const Json json = Json::parse(request.body, nullptr, false);
      if (!json.is_object() || !json.value("type1", Json()).is_number_integer() ||
          !json.value("type2", Json()).is_number_integer() || !json.value("note", Json("")).is_string() ||
          json.value("note", std::string()).size() > kMostNoteBytes) {
        send(response, {{"error", "an answer has type1, type2 and a note of at most 4,000 bytes"}}, 400);
        return;
      }
      study_.save(rater.name, item, {json["type1"], json["type2"], json.value("note", std::string())});
      send(response, {{"saved", true}});
    });
  }

  void undo(const httplib::Request& request, httplib::Response& response) {
    with_rater(request, response, [&](const Rater& rater) {
      const auto item = study_.undo(rater.name);
      Json position;
      for (std::size_t i = 0; item && i < rater.items.size(); ++i) {
        if (rater.items[i] == *item) position = i;
      }
      send(response, {{"position", position}});
    });
  }

 private:
  template <typename Act>
  void with_rater(const httplib::Request& request, httplib::Response& response, const Act& act) {
    const std::lock_guard lock(mutex_);
    try {
      const auto rater = study_.rater_of(request.matches[1]);
      if (!rater) return send(response, {{"error", "this address belongs to no rater of the study"}}, 404);
      act(*rater);
    } catch (const Error& error) {
      send(response, {{"error", error.what()}}, error.code() == ErrorCode::invalid_input ? 400 : 500);
    }
  }

  template <typename Act>
  void with_item(const httplib::Request& request, httplib::Response& response, const Act& act) {
    with_rater(request, response, [&](const Rater& rater) {
      const std::size_t position = std::stoul(std::string(request.matches[2]).substr(0, 9));
      if (position >= rater.items.size()) return send(response, {{"error", "there is no such item"}}, 404);
      act(rater, rater.items[position]);
    });
  }

  Study& study_;
  std::mutex mutex_;
};

}  // namespace

void serve(Study& study, const ServeOptions& options,
           const std::function<void(const std::string& url)>& ready, const std::function<bool()>& stop) {
  httplib::Server server;
  Desk desk(study);
  server.set_payload_max_length(kMostBodyBytes);
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("Each rater has an address of their own; `mustcite validate links` lists them.\n",
                         "text/plain");
  });
  server.Get(R"(/r/([0-9a-f]{20}))", [](const httplib::Request&, httplib::Response& response) {
    response.set_header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_content(page(), "text/html; charset=utf-8");
  });
  server.Get(R"(/api/([0-9a-f]{20})/state)",
             [&](const auto& request, auto& response) { desk.state(request, response); });
  server.Get(R"(/api/([0-9a-f]{20})/item/(\d+))",
             [&](const auto& request, auto& response) { desk.item(request, response); });
  server.Post(R"(/api/([0-9a-f]{20})/item/(\d+))",
              [&](const auto& request, auto& response) { desk.save(request, response); });
  server.Post(R"(/api/([0-9a-f]{20})/undo)",
              [&](const auto& request, auto& response) { desk.undo(request, response); });
  int port = options.port;
  if (port == 0) {
    port = server.bind_to_any_port(options.host.c_str());
  } else if (!server.bind_to_port(options.host.c_str(), port)) {
    port = -1;
  }
  if (port <= 0)
    fail(ErrorCode::unavailable, "cannot listen on {} port {}; choose another one with --port", options.host,
         options.port);
  ready(fmt::format("http://{}:{}", options.host, port));
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  std::thread watch([&] {
    std::unique_lock lock(mutex);
    while (!is_over && !stop() && !interrupt_requested())
      ended.wait_for(lock, std::chrono::milliseconds(100));
    server.stop();
  });
  server.listen_after_bind();
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  ended.notify_all();
  watch.join();
}

}  // namespace mustcite::validate
