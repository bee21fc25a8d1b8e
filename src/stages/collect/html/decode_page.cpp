#include "stages/collect/html/decode_page.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"
#include "core/text/html.hpp"
#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::collect::html {
namespace {

constexpr std::size_t kHead = 4096;

/// The name after "charset=", in a header or in the head of a page.
std::string charset_in(std::string_view text) {
  const std::string head = ascii_lower(text.substr(0, kHead));
  std::size_t at = head.find("charset=");
  if (at == std::string::npos) return {};
  at += 8;
  while (at < head.size() && (head[at] == '"' || head[at] == '\'')) ++at;
  const std::size_t end = head.find_first_of("\"'; />\r\n", at);
  return head.substr(at, end == std::string::npos ? end : end - at);
}

std::string from_utf16(std::string_view bytes, bool big) {
  std::string text;
  const auto unit = [&](std::size_t at) {
    const auto a = static_cast<unsigned char>(bytes[at]);
    const auto b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big ? a << 8 | b : b << 8 | a);
  };
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t code = unit(at);
    if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size()) {
      const char32_t low = unit(at + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    text::encode(code >= 0xD800 && code < 0xE000 ? 0xFFFD : code, text);
  }
  return text;
}

std::string from_windows_1252(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text::encode(value < 0x80 ? value : text::windows_1252(value), text);
  }
  return text;
}

/// More well-formed sequences beyond ASCII than damaged bytes: the page is UTF-8 that was hurt.
bool is_mostly_utf8(std::string_view bytes) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    (text::decode(bytes, at) == text::kMalformed ? bad : good) += 1;
  }
  return good > bad;
}

/// Control characters would come out of the parser as U+FFFD, in the middle of words.
std::string without_controls(std::string text) {
  std::erase_if(text, [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || value == 0x7F;
  });
  return text;
}

std::string decode(std::string_view bytes, std::string_view content_type) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return text::repair_utf8(bytes.substr(3));
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes.substr(2), true);
  if (text::is_valid_utf8(bytes)) return std::string(bytes);
  std::string charset = charset_in(content_type);
  if (charset.empty()) charset = charset_in(bytes);
  const bool declared_utf8 = charset == "utf-8" || charset == "utf8";
  if (declared_utf8 || is_mostly_utf8(bytes)) return text::repair_utf8(bytes);
  return from_windows_1252(bytes);
}

}  // namespace

std::string decode_page(std::string_view bytes, std::string_view content_type) {
  return without_controls(decode(bytes, content_type));
}

}  // namespace mustcite::collect::html
