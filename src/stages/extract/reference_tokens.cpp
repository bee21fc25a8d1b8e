#include "stages/extract/reference_tokens.hpp"

#include <algorithm>
#include <cctype>

#include "core/text/unicode.hpp"

namespace mustcite::extract {
namespace {

constexpr std::size_t kMostTokens = 600;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

/// Length of the run up to white space or a quotation mark, without stops and brackets at its end.
std::size_t solid_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' && text[end] != '"' &&
         text[end] != '<' && text[end] != '>' && !text.substr(end).starts_with("”"))
    ++end;
  while (end > 0 && std::string_view(".,;:)]}").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

bool starts_with_address(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.") ||
         text.starts_with("ftp://");
}

/// Length of "10.1145/…" or "1412.6980" or "1412.6980v9" at the front; 0: neither.
std::size_t identifier_length(std::string_view text) {
  if (text.starts_with("10.")) {
    const std::size_t registrant = digits_at(text, 3);
    if (registrant >= 4 && registrant <= 9 && 3 + registrant < text.size() && text[3 + registrant] == '/')
      return solid_length(text);
  }
  if (digits_at(text, 0) != 4 || text.size() < 9 || text[4] != '.') return 0;
  const std::size_t tail = digits_at(text, 5);
  if (tail != 4 && tail != 5) return 0;
  std::size_t end = 5 + tail;
  if (end + 1 < text.size() && text[end] == 'v' && is_digit(text[end + 1]))
    end += 1 + digits_at(text, end + 1);
  return end;
}

/// Letters and their accents from `at` on.
std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t code = text::decode(text, next);
    if (code == text::kMalformed || !(text::is_letter(code) || text::is_mark(code))) break;
    at = next;
  }
  return at;
}

}  // namespace

std::vector<ReferenceToken> reference_tokens(std::string_view raw) {
  std::vector<ReferenceToken> tokens;
  bool space = false;
  for (std::size_t at = 0; at < raw.size() && tokens.size() < kMostTokens;) {
    if (static_cast<unsigned char>(raw[at]) <= ' ' || raw.substr(at).starts_with("\xC2\xA0")) {
      space = true;
      at += static_cast<unsigned char>(raw[at]) <= ' ' ? 1 : 2;
      continue;
    }
    const std::string_view rest = raw.substr(at);
    const bool fresh = at == 0 || !is_digit(raw[at - 1]);
    ReferenceToken token;
    std::size_t end = at;
    if (starts_with_address(rest)) {
      token.kind = TokenKind::address;
      end = at + std::max<std::size_t>(4, solid_length(rest));
    } else if (const std::size_t length = fresh ? identifier_length(rest) : 0; length > 0) {
      token.kind = TokenKind::identifier;
      end = at + length;
    } else if (is_digit(raw[at])) {
      token.kind = TokenKind::number;
      end = at + digits_at(raw, at);
    } else if (end = word_end(raw, at); end == at) {
      token.kind = TokenKind::punctuation;
      static_cast<void>(text::decode(raw, end));
    }
    token.begin = static_cast<std::uint32_t>(at);
    token.end = static_cast<std::uint32_t>(end);
    token.space_before = space;
    tokens.push_back(token);
    space = false;
    at = end;
  }
  return tokens;
}

}  // namespace mustcite::extract
