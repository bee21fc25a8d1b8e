#include <algorithm>
#include <cctype>

#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Length of `yymm.nnnnn` at `at`, 0 when there is none.
std::size_t new_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) return 0;
  if (digits_at(text, at) != 4 || at + 4 >= text.size() || text[at + 4] != '.') return 0;
  const std::size_t tail = digits_at(text, at + 5);
  const int month = (text[at + 2] - '0') * 10 + (text[at + 3] - '0');
  return (tail == 4 || tail == 5) && month >= 1 && month <= 12 ? 5 + tail : 0;
}

/// Length of `cs/0112017` or `math.co/0112017` at `at` in lower case, 0 when there is none.
std::size_t old_arxiv_id(std::string_view text, std::size_t at) {
  if (at > 0 && is_alnum(text[at - 1])) return 0;
  std::size_t end = at;
  while (end < text.size() && end - at < 12 &&
         (std::isalpha(static_cast<unsigned char>(text[end])) != 0 || text[end] == '-' || text[end] == '.'))
    ++end;
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
    int depth = 0;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' &&
           static_cast<unsigned char>(text[end]) < 0x80 &&
           std::string_view("{}\"<>;").find(text[end]) == std::string_view::npos) {
      depth += text[end] == '(' ? 1 : 0;
      if (text[end] == ')' && --depth < 0) break;
      if (text[end] == ',' && (end + 1 >= text.size() || text[end + 1] == ' ')) break;
      ++end;
    }
    std::string doi = ascii_lower(text.substr(at, end - at));
    while (!doi.empty() && std::string_view(".,:]").find(doi.back()) != std::string_view::npos)
      doi.pop_back();
    if (doi.size() > 8) return doi;
  }
  return {};
}

std::string find_arxiv_id(std::string_view text) {
  const std::string lower = ascii_lower(text);
  for (std::size_t word = lower.find("arxiv"); word != std::string::npos;
       word = lower.find("arxiv", word + 5)) {
    for (std::size_t at = word + 5; at < std::min(word + 45, lower.size()); ++at) {
      if (const std::size_t size = new_arxiv_id(lower, at)) return lower.substr(at, size);
      if (const std::size_t size = old_arxiv_id(lower, at);
          size != 0 && !lower.substr(at).starts_with("org/") && !lower.substr(at).starts_with("abs/"))
        return lower.substr(at, size);
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
  while (!url.empty() && std::string_view(".,;)]").find(url.back()) != std::string_view::npos) url.pop_back();
  return url;
}

std::vector<PrintedYear> printed_years(std::string_view text) {
  std::vector<PrintedYear> years;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const std::size_t run = digits_at(text, at);
    const std::size_t begin = at;
    at += run - 1;
    if (run != 4) continue;
    const int value = (text[begin] - '0') * 1000 + (text[begin + 1] - '0') * 100 +
                      (text[begin + 2] - '0') * 10 + (text[begin + 3] - '0');
    if (value < 1600 || value > 2099) continue;
    const char before = begin > 0 ? text[begin - 1] : ' ';
    const char before2 = begin > 1 ? text[begin - 2] : ' ';
    std::size_t end = begin + 4;
    char letter = 0;
    if (end < text.size() && text[end] >= 'a' && text[end] <= 'z' &&
        (end + 1 >= text.size() || !is_alnum(text[end + 1])))
      letter = text[end++];
    const char after = end < text.size() ? text[end] : ' ';
    const char after2 = end + 1 < text.size() ? text[end + 1] : ' ';
    if (is_alnum(after) || (is_alnum(before) && !(before >= 'A' && before <= 'Z'))) continue;
    // Ids, addresses, decimals, "2010/03" and page ranges ("1998–2010" behind a colon or "pp.").
    if ((before == '.' && is_digit(before2)) || before == '/' || before == ':' || before == '_' ||
        before == '=')
      continue;
    if ((after == '.' && is_digit(after2)) || (after == '/' && is_digit(after2)) || after == '_') continue;
    const bool dash_before = before == '-' || (begin > 2 && text.substr(begin - 3, 3) == "–");
    const bool dash_after = (after == '-' && is_digit(after2)) || text.substr(end, 3) == "–";
    if (dash_before && begin > 1 && (is_digit(before2) || (begin > 3 && is_digit(text[begin - 4])))) continue;
    if (dash_after) continue;
    years.push_back({value, letter, begin, end});
  }
  return years;
}

}  // namespace mustcite::extract
