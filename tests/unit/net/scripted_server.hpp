#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mustcite::testing {

/// An HTTP server on 127.0.0.1 that answers every request with exactly the bytes of a script, then closes the
/// connection: cut transfers and odd headers are as easy as proper ones.
class ScriptedServer {
 public:
  /// `answer` gets the head of the request (as sent) and its number from 0.
  explicit ScriptedServer(std::function<std::string(const std::string& request, std::size_t number)> answer)
      : answer_(std::move(answer)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url(const std::string& path = "/file") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = ::recv(client, buffer, sizeof(buffer), 0);
        if (got <= 0) break;
        request.append(buffer, static_cast<std::size_t>(got));
      }
      std::string bytes = answer_(request, requests_++);
      std::size_t sent = 0;
      while (sent < bytes.size()) {
        const ssize_t wrote = ::send(client, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (wrote <= 0) break;
        sent += static_cast<std::size_t>(wrote);
      }
      ::shutdown(client, SHUT_WR);
      // Wait for the client to close, so that it surely got everything.
      while (::recv(client, buffer, sizeof(buffer), 0) > 0) {
      }
      ::close(client);
    }
  }

  std::function<std::string(const std::string&, std::size_t)> answer_;
  int socket_;
  int port_ = 0;
  std::atomic<std::size_t> requests_{0};
  std::thread thread_;
};

}  // namespace mustcite::testing
