#include "core/net/curl_guard.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>

#include "core/net/address.hpp"

namespace mustcite::net {
namespace {

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* source = nullptr;
  if (address.sa_family == AF_INET) source = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.sa_family == AF_INET6) source = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (source == nullptr || inet_ntop(address.sa_family, source, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

}  // namespace

CurlGuard::CurlGuard(CURL* handle, const Guard& guard) : guard_(guard), handle_(handle) {
  if (!guard.gateway.empty()) {
    connect_to_ = curl_slist_append(nullptr, ("::" + guard.gateway).c_str());
    curl_easy_setopt(handle, CURLOPT_CONNECT_TO, connect_to_);
    // A proxy of the environment would be asked for hosts that only the gateway plays.
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  } else if (guard.public_only) {
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &CurlGuard::on_open);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
  }
}

CurlGuard::~CurlGuard() {
  curl_easy_setopt(handle_, CURLOPT_CONNECT_TO, nullptr);
  curl_easy_setopt(handle_, CURLOPT_OPENSOCKETFUNCTION, nullptr);
  curl_slist_free_all(connect_to_);
}

std::string CurlGuard::address(const std::string& url) const {
  constexpr std::string_view kSecure = "https://";
  if (guard_.gateway.empty() || !url.starts_with(kSecure)) return url;
  return "http://" + url.substr(kSecure.size());
}

curl_socket_t CurlGuard::on_open(void* user, curlsocktype, curl_sockaddr* address) {
  auto& self = *static_cast<CurlGuard*>(user);
  const std::string ip = text_of(address->addr);
  if (!is_public_address(ip)) {
    self.refused_ = "it leads to " + (ip.empty() ? "an unknown kind of address" : ip) +
                    ", which is not of the public internet";
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

}  // namespace mustcite::net
