#include "core/text/html_escape.hpp"

#include "core/text/normalise.hpp"

namespace mustcite::text {

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\t':
        out += ' ';
        break;
      default:
        if ((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\n') out += c;
    }
  }
  return is_valid_utf8(out) ? out : repair_utf8(out);
}

}  // namespace mustcite::text
