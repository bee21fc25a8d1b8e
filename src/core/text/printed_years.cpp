#include "core/text/printed_years.hpp"

#include <cctype>

namespace mustcite::text {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

}  // namespace

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

int last_printed_year(std::string_view text) {
  const auto years = printed_years(text);
  for (auto year = years.rbegin(); year != years.rend(); ++year) {
    if (year->year >= 1900) return year->year;
  }
  return 0;
}

}  // namespace mustcite::text
