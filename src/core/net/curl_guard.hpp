#pragma once

#include <curl/curl.h>

#include <string>

#include "core/net/guard.hpp"

namespace mustcite::net {

/// Puts a guard on a curl handle; lives as long as the transfer. Only for the files of this room that hold
/// curl handles.
class CurlGuard {
 public:
  CurlGuard(CURL* handle, const Guard& guard);
  ~CurlGuard();
  CurlGuard(const CurlGuard&) = delete;
  CurlGuard& operator=(const CurlGuard&) = delete;

  /// The address to hand to curl for the address of a page: plain http where a gateway answers.
  [[nodiscard]] std::string address(const std::string& url) const;
  /// Why a connection was refused; empty when none was.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }

 private:
  static curl_socket_t on_open(void* user, curlsocktype purpose, curl_sockaddr* address);

  const Guard& guard_;
  CURL* handle_;
  curl_slist* connect_to_ = nullptr;
  std::string refused_;
};

}  // namespace mustcite::net
