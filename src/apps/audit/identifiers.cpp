#include <algorithm>
#include <array>

#include "apps/audit/bibliography.hpp"

namespace mustcite::audit {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string ascii_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Length of `yymm.nnnn(n)` at `at`, 0 when there is none.
std::size_t new_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) return 0;
  if (digits_at(text, at) != 4 || at + 4 >= text.size() || text[at + 4] != '.') return 0;
  const std::size_t tail = digits_at(text, at + 5);
  const int month = (text[at + 2] - '0') * 10 + (text[at + 3] - '0');
  return (tail == 4 || tail == 5) && month >= 1 && month <= 12 ? 5 + tail : 0;
}

/// Length of `cs/0112017` or `math.CO/0112017` at `at`, 0 when there is none.
std::size_t old_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && (is_alpha(text[at - 1]) || is_digit(text[at - 1]))) return 0;
  std::size_t end = at;
  while (end < text.size() && end - at < 12 && (is_alpha(text[end]) || text[end] == '-' || text[end] == '.')) ++end;
  if (end - at < 2 || end >= text.size() || text[end] != '/' || digits_at(text, end + 1) != 7) return 0;
  return end + 8 - at;
}

}  // namespace

std::string find_doi(std::string_view text) {
  for (std::size_t at = text.find("10."); at != std::string_view::npos; at = text.find("10.", at + 1)) {
    if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) continue;
    const std::size_t registrant = digits_at(text, at + 3);
    if (registrant < 4 || registrant > 9) continue;
    std::size_t end = at + 3 + registrant;
    if (end >= text.size() || text[end] != '/') continue;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' && std::string_view("{}\"<>,;").find(text[end]) == std::string_view::npos) ++end;
    std::string doi;
    for (const char c : text.substr(at, end - at)) {
      if (c != '\\') doi += c;  // \_ in LaTeX
    }
    while (!doi.empty() && (doi.back() == '.' || doi.back() == ')' || doi.back() == ']')) doi.pop_back();
    if (doi.size() > 8) return ascii_lower(doi);
  }
  return {};
}

std::string find_arxiv_id(std::string_view text) {
  const std::string lower = ascii_lower(text);
  for (std::size_t word = lower.find("arxiv"); word != std::string::npos; word = lower.find("arxiv", word + 5)) {
    // "arXiv:1706.03762", "arxiv.org/abs/…", "arXiv preprint arXiv:…", "arXiv, abs/1706.03762"
    for (std::size_t at = word + 5; at < std::min(word + 45, text.size()); ++at) {
      if (const std::size_t size = new_arxiv_id(text, at)) return std::string(text.substr(at, size));
      if (lower.compare(at, 4, "abs/") == 0 || lower.compare(at, 4, "pdf/") == 0) continue;
      if (const std::size_t size = old_arxiv_id(text, at); size != 0 && lower.compare(at, 4, "org/") != 0) {
        return lower.substr(at, size);
      }
    }
  }
  for (std::size_t at = lower.find("abs/"); at != std::string::npos; at = lower.find("abs/", at + 1)) {
    if (const std::size_t size = new_arxiv_id(text, at + 4)) return std::string(text.substr(at + 4, size));
  }
  return {};
}

int find_year(std::string_view text) {
  int year = 0;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const std::size_t run = digits_at(text, at);
    if (run == 4) {
      const int value = (text[at] - '0') * 1000 + (text[at + 1] - '0') * 100 + (text[at + 2] - '0') * 10 + (text[at + 3] - '0');
      const char before = at > 0 ? text[at - 1] : ' ';
      const char after = at + 4 < text.size() ? text[at + 4] : ' ';
      const bool in_number = before == '.' || before == '/' || before == '-' || before == ':' || after == '/' || after == '-' ||
                             (after == '.' && at + 5 < text.size() && is_digit(text[at + 5])) || static_cast<unsigned char>(before) == 0x93;
      if (value >= 1900 && value <= 2099 && !in_number && !is_alpha(before)) year = value;
    }
    at += run;
  }
  return year;
}

}  // namespace mustcite::audit
