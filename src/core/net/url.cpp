#include "core/net/url.hpp"

#include <curl/curl.h>

#include <charconv>
#include <memory>

#include "core/base/ascii.hpp"

namespace mustcite::net {
namespace {

using Handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

Handle new_handle() {
  return {curl_url(), &curl_url_cleanup};
}

std::string part(const Handle& handle, CURLUPart which, unsigned flags = 0) {
  char* value = nullptr;
  if (curl_url_get(handle.get(), which, &value, flags) != CURLUE_OK) return {};
  std::string text(value);
  curl_free(value);
  return text;
}

/// What authors of pages write around and into an address.
std::string tidy(std::string_view reference) {
  constexpr std::string_view kBlank = " \t\r\n\f";
  const std::size_t begin = reference.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  reference = reference.substr(begin, reference.find_last_not_of(kBlank) - begin + 1);
  std::string tidied;
  for (const char c : reference.substr(0, reference.find('#'))) {
    if (c == ' ') {
      tidied += "%20";
    } else if (static_cast<unsigned char>(c) > 0x20 && c != 0x7F) {
      tidied.push_back(c);
    }
  }
  return tidied;
}

}  // namespace

std::string Url::target() const {
  return query.empty() ? path : path + "?" + query;
}

std::string Url::authority() const {
  const bool usual = (scheme == "http" && port == 80) || (scheme == "https" && port == 443);
  return usual ? host : host + ":" + std::to_string(port);
}

std::string Url::text() const {
  const bool usual = (scheme == "http" && port == 80) || (scheme == "https" && port == 443);
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return scheme + "://" + name + (usual ? "" : ":" + std::to_string(port)) + target();
}

std::optional<Url> parse_url(std::string_view text) {
  const Handle handle = new_handle();
  const std::string whole(text);
  if (handle == nullptr || whole.find('\0') != std::string::npos ||
      curl_url_set(handle.get(), CURLUPART_URL, whole.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return std::nullopt;
  Url url;
  url.scheme = ascii_lower(part(handle, CURLUPART_SCHEME));
  url.host = ascii_lower(part(handle, CURLUPART_HOST));
  if ((url.scheme != "http" && url.scheme != "https") || url.host.empty()) return std::nullopt;
  if (url.host.front() == '[') url.host = url.host.substr(1, url.host.size() - 2);
  if (url.host.ends_with('.')) url.host.pop_back();
  const std::string port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::from_chars(port.data(), port.data() + port.size(), url.port);
  url.path = part(handle, CURLUPART_PATH);
  if (url.path.empty()) url.path = "/";
  url.query = part(handle, CURLUPART_QUERY);
  // Dots alone, or an empty name between two of them, name no host ("//.." in a page).
  const bool hollow = url.host.empty() || url.host.front() == '.' || url.host.back() == '.' ||
                      url.host.find("..") != std::string::npos;
  return hollow ? std::nullopt : std::optional(url);
}

std::optional<std::string> resolve(std::string_view base, std::string_view reference) {
  const std::string tidied = tidy(reference);
  if (tidied.empty()) return std::nullopt;
  const Handle handle = new_handle();
  if (handle == nullptr ||
      curl_url_set(handle.get(), CURLUPART_URL, std::string(base).c_str(), CURLU_NON_SUPPORT_SCHEME) !=
          CURLUE_OK ||
      curl_url_set(handle.get(), CURLUPART_URL, tidied.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return std::nullopt;
  const std::optional<Url> url = parse_url(part(handle, CURLUPART_URL));
  return url ? std::optional(url->text()) : std::nullopt;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      result.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result;
}

}  // namespace mustcite::net
