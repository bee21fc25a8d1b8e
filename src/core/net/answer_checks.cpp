#include "core/net/answer_checks.hpp"

#include <zlib.h>

#include <array>

#include "core/base/ascii.hpp"

namespace mustcite::net {
namespace {

constexpr std::size_t kLooked = 64 * 1024;

std::string_view without_leading_blank(std::string_view body) {
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : body.substr(begin);
}

bool looks_like_html(std::string_view body) {
  const std::string head = ascii_lower(body.substr(0, 512));
  return head.starts_with("<!doctype html") || head.starts_with("<html") || head.starts_with("<head");
}

}  // namespace

std::optional<std::string> undo_hidden_gzip(std::string bytes, std::uint64_t max_bytes) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string plain;
  std::array<char, 65536> piece{};
  int state = Z_OK;
  while (state == Z_OK && plain.size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
    if (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) break;  // cut off
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || plain.size() > max_bytes) return std::nullopt;
  return plain;
}

bool is_challenge(std::string_view body) {
  const std::string head = ascii_lower(body.substr(0, kLooked));
  const std::size_t begin = head.find("<title");
  if (begin != std::string::npos) {
    const std::size_t text = head.find('>', begin);
    if (text != std::string::npos) {
      const std::string_view title = without_leading_blank(
          std::string_view(head).substr(text + 1, head.find("</title", text) - text - 1));
      for (const std::string_view said :
           {"verifying your browser", "just a moment", "attention required!", "checking your browser",
            "ddos-guard", "one more step", "please wait while we verify"}) {
        if (title.starts_with(said)) return true;
      }
    }
  }
  // Scripts of the known gatekeepers, in pages that carry nothing else.
  return body.size() < kLooked && (head.find("/cdn-cgi/challenge-platform/") != std::string::npos ||
                                   head.find("challenges.cloudflare.com/turnstile") != std::string::npos);
}

std::optional<std::string> wrong_content(Expect expect, std::string_view type, std::string_view body) {
  const std::string_view text = without_leading_blank(body);
  if (text.empty()) return "the answer is empty";
  const std::string kind = ascii_lower(type.substr(0, type.find(';')));
  if (text.starts_with("%PDF-")) return "the answer is a PDF";
  switch (expect) {
    case Expect::html:
      if (kind.starts_with("image/") || kind == "application/json" ||
          text.find('<') == std::string_view::npos)
        return "the answer is no HTML (" + kind + ")";
      break;
    case Expect::json:
      if (text.front() != '{' && text.front() != '[') return "the answer is no JSON (" + kind + ")";
      break;
    case Expect::xml:
      if (text.front() != '<' || looks_like_html(text)) return "the answer is no XML (" + kind + ")";
      break;
    case Expect::text:
      if (looks_like_html(text)) return "the answer is a page instead of a file (" + kind + ")";
      break;
  }
  return std::nullopt;
}

}  // namespace mustcite::net
