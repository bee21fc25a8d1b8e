#include "core/text/identifiers.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"

namespace mustcite::text {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Printable ASCII: what identifiers and addresses are made of.
bool is_graph(char c) {
  return c > ' ' && c < 0x7f;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Length of `yymm.nnnn` or `yymm.nnnnn` at `at`, 0 when there is none.
std::size_t new_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) return 0;
  if (digits_at(text, at) != 4 || at + 4 >= text.size() || text[at + 4] != '.') return 0;
  const std::size_t tail = digits_at(text, at + 5);
  const int month = (text[at + 2] - '0') * 10 + (text[at + 3] - '0');
  return (tail == 4 || tail == 5) && month >= 1 && month <= 12 ? 5 + tail : 0;
}

/// Length of `cs/0112017` or `math.co/0112017` at `at`, 0 when there is none.
std::size_t old_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]))) return 0;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("org/") || rest.starts_with("abs/") || rest.starts_with("pdf/")) return 0;
  std::size_t end = at;
  while (end < text.size() && end - at < 12 && (is_letter(text[end]) || text[end] == '-' || text[end] == '.'))
    ++end;
  if (end - at < 2 || end >= text.size() || text[end] != '/' || digits_at(text, end + 1) != 7) return 0;
  return end + 8 - at;
}

/// Drops the first of the prefixes that leads, then the next ones behind it, in their order.
void drop_prefixes(std::string& text, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  }
}

void drop_behind(std::string& text, std::string_view characters) {
  while (!text.empty() && characters.find(text.back()) != std::string_view::npos) text.pop_back();
}

}  // namespace

std::string find_doi(std::string_view text) {
  for (std::size_t at = text.find("10."); at != std::string_view::npos; at = text.find("10.", at + 1)) {
    if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) continue;
    const std::size_t registrant = digits_at(text, at + 3);
    if (registrant < 4 || registrant > 9) continue;
    std::size_t end = at + 3 + registrant;
    if (end >= text.size() || text[end] != '/') continue;
    std::string doi;
    int depth = 0;
    for (end = at; end < text.size() && is_graph(text[end]); ++end) {
      const char c = text[end];
      if (std::string_view("{}\"<>;").find(c) != std::string_view::npos) break;
      depth += c == '(' ? 1 : 0;
      if (c == ')' && --depth < 0) break;
      if (c == ',' && (end + 1 >= text.size() || !is_graph(text[end + 1]))) break;
      if (c != '\\') doi += c;  // \_ in LaTeX
    }
    drop_behind(doi, ".,:]");
    if (doi.size() > 8) return ascii_lower(doi);
  }
  return {};
}

std::string find_arxiv_id(std::string_view text) {
  const std::string lower = ascii_lower(text);
  for (std::size_t word = lower.find("arxiv"); word != std::string::npos;
       word = lower.find("arxiv", word + 5)) {
    // "arXiv:1706.03762", "arxiv.org/abs/…", "arXiv preprint arXiv:…", "arXiv, abs/1706.03762"
    for (std::size_t at = word + 5; at < std::min(word + 45, lower.size()); ++at) {
      if (const std::size_t size = new_arxiv_id(lower, at)) return lower.substr(at, size);
      if (const std::size_t size = old_arxiv_id(lower, at)) return lower.substr(at, size);
    }
  }
  for (std::size_t at = lower.find("abs/"); at != std::string::npos; at = lower.find("abs/", at + 1)) {
    if (const std::size_t size = new_arxiv_id(lower, at + 4)) return lower.substr(at + 4, size);
  }
  return {};
}

std::string find_url(std::string_view text) {
  std::size_t at = std::min(text.find("http://"), text.find("https://"));
  if (at == std::string_view::npos) at = text.find("www.");
  if (at == std::string_view::npos) return {};
  std::size_t end = at;
  while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' &&
         std::string_view("<>\"{}").find(text[end]) == std::string_view::npos)
    ++end;
  std::string url(text.substr(at, end - at));
  drop_behind(url, ".,;)]");
  return url;
}

std::string plain_doi(std::string_view doi) {
  std::string plain = ascii_lower(doi);
  drop_prefixes(plain, {"https://", "http://", "www.", "dx.", "doi.org/", "doi:"});
  drop_behind(plain, " .");
  return plain;
}

std::string plain_arxiv_id(std::string_view id) {
  std::string plain = ascii_lower(id);
  drop_prefixes(plain, {"https://", "http://", "www.", "arxiv.org/", "abs/", "pdf/", "arxiv:", "abs/"});
  drop_behind(plain, " ");
  if (plain.ends_with(".pdf")) plain.resize(plain.size() - 4);
  const std::size_t version = plain.rfind('v');
  if (version != std::string::npos && version > 4 && version + 1 < plain.size() &&
      plain.find_first_not_of("0123456789", version + 1) == std::string::npos)
    plain.resize(version);
  return plain;
}

}  // namespace mustcite::text
