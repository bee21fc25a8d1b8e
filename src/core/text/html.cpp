#include "core/text/html.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "core/text/html_entities.hpp"
#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

constexpr int kMostEscapings = 4;
constexpr std::size_t kLongestReference = 34;
constexpr std::size_t kLongestTag = 2000;

/// Bytes 0x80-0x9F of Windows-1252; the five holes stand for themselves, as browsers read them.
constexpr std::array<char32_t, 32> kWindows{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                            0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                            0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

/// The character of `&#233;` or `&#xE9;` (`body` without `&` and `;`).
std::optional<char32_t> numeric_reference(std::string_view body) {
  if (body.size() < 2 || body[0] != '#') return std::nullopt;
  const bool hex = body[1] == 'x' || body[1] == 'X';
  std::uint32_t code = 0;
  const std::string_view digits = body.substr(hex ? 2 : 1);
  if (digits.empty() || digits.size() > 8) return std::nullopt;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'          ? c - '0'
                      : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                    : -1;
    if (digit < 0) return std::nullopt;
    code = code * (hex ? 16U : 10U) + static_cast<std::uint32_t>(digit);
    if (code > 0x10FFFF) return U'\uFFFD';
  }
  if (code >= 0x80 && code <= 0x9F) return kWindows[code - 0x80];
  if (code == 0 || (code >= 0xD800 && code <= 0xDFFF)) return U'\uFFFD';
  return code;
}

/// Resolves each reference once; true when something changed.
bool resolve_references(std::string& text) {
  std::string result;
  std::size_t kept = 0;
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::size_t end =
        std::string_view(text).substr(0, std::min(text.size(), at + kLongestReference)).find(';', at);
    if (end == std::string::npos) continue;
    const std::string_view body = std::string_view(text).substr(at + 1, end - at - 1);
    const char32_t code = numeric_reference(body).value_or(entity_code(body));
    if (code == 0) continue;
    result.append(text, kept, at - kept);
    encode(code, result);
    kept = end + 1;
    at = end;
  }
  if (kept == 0) return false;
  result.append(text, kept);
  text = std::move(result);
  return true;
}

enum class TagKind { unknown, inline_tag, block, with_content };

TagKind tag_kind(std::string_view name) {
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    const std::string_view space = name.substr(0, colon);
    if (space != "jats" && space != "mml" && space != "m" && space != "xhtml" && space != "ns0")
      return TagKind::unknown;
    name = name.substr(colon + 1);
    if (name == "annotation") return TagKind::with_content;
    return name == "p" || name == "title" || name == "sec" ? TagKind::block : TagKind::inline_tag;
  }
  constexpr std::array<std::string_view, 52> inline_tags{"a",
                                                         "abbr",
                                                         "acronym",
                                                         "b",
                                                         "bold",
                                                         "cite",
                                                         "code",
                                                         "em",
                                                         "emph",
                                                         "ext-link",
                                                         "fixed-case",
                                                         "font",
                                                         "i",
                                                         "inf",
                                                         "inline-formula",
                                                         "inline-graphic",
                                                         "italic",
                                                         "kbd",
                                                         "mark",
                                                         "math",
                                                         "mfrac",
                                                         "mi",
                                                         "mn",
                                                         "mo",
                                                         "monospace",
                                                         "mover",
                                                         "mrow",
                                                         "ms",
                                                         "mspace",
                                                         "msqrt",
                                                         "mstyle",
                                                         "msub",
                                                         "msubsup",
                                                         "msup",
                                                         "mtext",
                                                         "munder",
                                                         "q",
                                                         "s",
                                                         "samp",
                                                         "sc",
                                                         "scp",
                                                         "semantics",
                                                         "small",
                                                         "span",
                                                         "strong",
                                                         "sub",
                                                         "sup",
                                                         "tex-math",
                                                         "tt",
                                                         "u",
                                                         "url",
                                                         "var"};
  constexpr std::array<std::string_view, 28> block_tags{
      "abstract", "blockquote", "br",    "body", "center", "dd",    "div", "dl", "dt", "h1",
      "h2",       "h3",         "h4",    "hr",   "html",   "img",   "li",  "ol", "p",  "pre",
      "sec",      "section",    "table", "td",   "th",     "title", "tr",  "ul"};
  constexpr std::array<std::string_view, 4> content_tags{"annotation", "head", "script", "style"};
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (among(inline_tags)) return TagKind::inline_tag;
  if (among(block_tags)) return TagKind::block;
  if (among(content_tags)) return TagKind::with_content;
  return TagKind::unknown;
}

bool name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':' || c == '-';
}

struct Tag {
  TagKind kind = TagKind::unknown;
  std::string name;
  bool closing = false;
  std::size_t end = 0;  ///< past the `>`
};

Tag read_tag(std::string_view text, std::size_t at) {
  Tag tag;
  std::size_t i = at + 1;
  if (i < text.size() && text[i] == '/') {
    tag.closing = true;
    ++i;
  }
  while (i < text.size() && tag.name.size() < 24) {
    const char lower = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (!name_byte(lower)) break;
    tag.name.push_back(lower);
    ++i;
  }
  const std::size_t end = text.substr(0, std::min(text.size(), at + kLongestTag)).find('>', i);
  if (end == std::string_view::npos) return tag;
  const std::string_view rest = text.substr(i, end - i);
  const bool attributes = !rest.empty() && (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t');
  const bool shut = rest.empty() || rest == "/" || rest == " /";
  if (!shut &&
      !(attributes && rest.find('=') != std::string_view::npos && rest.find('<') == std::string_view::npos)) {
    return tag;
  }
  tag.kind = tag_kind(tag.name);
  tag.end = end + 1;
  return tag;
}

std::string strip_tags(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool no_more_ends = false;  // set once no closing tag was found, so that hostile input costs one search
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      result.push_back(text[at++]);
      continue;
    }
    if (text.substr(at, 4) == "<!--") {
      const std::size_t end = no_more_ends ? std::string_view::npos : text.find("-->", at);
      if (end != std::string_view::npos) {
        at = end + 3;
        continue;
      }
      no_more_ends = true;
    }
    const Tag tag = read_tag(text, at);
    if (tag.kind == TagKind::unknown) {
      result.push_back(text[at++]);
      continue;
    }
    if (tag.kind == TagKind::block) result.push_back(' ');
    at = tag.end;
    if (tag.kind == TagKind::with_content && !tag.closing && !no_more_ends) {
      const std::size_t end = text.find("</" + tag.name, at);
      no_more_ends = end == std::string_view::npos;
      if (!no_more_ends) at = end;
    }
  }
  return result;
}

/// The Windows-1252 byte (at least 0x80) that shows as `code`, or -1.
int windows_byte(char32_t code) noexcept {
  if (code >= 0x80 && code <= 0xFF) return static_cast<int>(code);
  if (code < 0x100) return -1;
  for (std::size_t i = 0; i < kWindows.size(); ++i) {
    if (kWindows[i] == code) return static_cast<int>(i + 0x80);
  }
  return -1;
}

/// Typographic marks that may follow a capital letter in honest text, closing a quotation for instance.
bool is_typographic(char32_t code) noexcept {
  return (code >= 0x2013 && code <= 0x2026) || code == 0x2039 || code == 0x203A || code == 0xAB ||
         code == 0xBB || code == 0xA0;
}

/// Whether `bytes`, shown as Windows-1252 with `second` as second character, can only be misread UTF-8.
bool is_certain(char32_t decoded, char32_t first, char32_t second, std::size_t size,
                bool letter_follows) noexcept {
  if (size >= 3) return decoded >= 0x800 && decoded != 0xFFFF;
  if (decoded < 0xA0) return false;
  if (first == 0xC2) return second == 0xA0 || !is_typographic(second) || decoded == 0xAB || decoded == 0xBB;
  const bool likely_lead = first == 0xC3 || first == 0xC4 || first == 0xC5 || first == 0xCE || first == 0xCF;
  if (!likely_lead) return false;
  return !is_typographic(second) || letter_follows;
}

}  // namespace

char32_t windows_1252(unsigned char byte) noexcept {
  return byte >= 0x80 && byte <= 0x9F ? kWindows[byte - 0x80] : byte;
}

std::string html_to_text(std::string_view text) {
  std::string result(text);
  if (result.find('&') != std::string::npos) {
    for (int i = 0; i < kMostEscapings && resolve_references(result); ++i) {
    }
  }
  if (result.find('<') != std::string::npos) result = strip_tags(result);
  return result;
}

std::string undo_mojibake(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t first = decode(text, at);
    std::size_t after = at;
    const int lead = first == kMalformed ? -1 : windows_byte(first);
    if (lead >= 0xC2 && lead <= 0xF4) {
      std::string bytes(1, static_cast<char>(lead));
      const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
      char32_t second = 0;
      while (bytes.size() < wanted && after < text.size()) {
        std::size_t next = after;
        const char32_t code = decode(text, next);
        const int byte = code == kMalformed ? -1 : windows_byte(code);
        if (byte < 0x80 || byte > 0xBF) break;
        if (bytes.size() == 1) second = code;
        bytes.push_back(static_cast<char>(byte));
        after = next;
      }
      // A right quotation mark often lost its third byte, which Windows-1252 does not define.
      if (bytes == "\xE2\x80") bytes.push_back('\x9D');
      std::size_t read = 0;
      const char32_t decoded = decode(bytes, read);
      std::size_t peek = after;
      const bool letter_follows = after < text.size() && is_letter(decode(text, peek));
      if (bytes.size() == wanted && decoded != kMalformed &&
          is_certain(decoded, first, second, wanted, letter_follows)) {
        encode(decoded, result);
        at = after;
        continue;
      }
    }
    result.append(text.substr(begin, at - begin));
  }
  return result;
}

}  // namespace mustcite::text
