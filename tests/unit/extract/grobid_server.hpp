#pragma once

#include <httplib.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace mustcite::testing {

/// A service on 127.0.0.1 that speaks GROBID's protocol: isalive, version, processFulltextDocument with the
/// file as the form's `input`.
class GrobidServer {
 public:
  /// Answers a file; `number` counts the requests from 0.
  using Answer = std::function<void(const std::string& pdf, std::size_t number, httplib::Response& response)>;

  explicit GrobidServer(Answer answer) : answer_(std::move(answer)) {
    server_.Get("/api/isalive", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("true", "text/plain");
    });
    server_.Get("/api/version", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("0.8.0", "text/plain");
    });
    server_.Post("/api/processFulltextDocument", [this](const httplib::Request& request,
                                                        httplib::Response& response) {
      const std::size_t now = ++running_;
      std::size_t most = most_;
      while (now > most && !most_.compare_exchange_weak(most, now)) {
      }
      if (!request.has_file("input") || request.get_file_value("input").content_type != "application/pdf" ||
          !request.has_file("includeRawCitations") ||
          request.get_file_value("consolidateCitations").content != "0") {
        response.status = 400;
        response.set_content("the form lacks its fields", "text/plain");
      } else {
        answer_(request.get_file_value("input").content, requests_++, response);
      }
      --running_;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~GrobidServer() {
    // stop() does nothing before the thread listens.
    while (!server_.is_running()) std::this_thread::yield();
    server_.stop();
    thread_.join();
  }
  GrobidServer(const GrobidServer&) = delete;
  GrobidServer& operator=(const GrobidServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::size_t requests() const { return requests_; }
  [[nodiscard]] std::size_t most_at_once() const { return most_; }

 private:
  Answer answer_;
  httplib::Server server_;
  int port_ = 0;
  std::atomic<std::size_t> requests_{0}, running_{0}, most_{0};
  std::thread thread_;
};

}  // namespace mustcite::testing
