#include "stages/annotate/marker.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace mustcite::annotate {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_year_at(std::string_view text, std::size_t at) {
  if (at + 4 > text.size() || (at > 0 && is_digit(text[at - 1]))) return false;
  if (!(text.substr(at, 2) == "19" || text.substr(at, 2) == "20")) return false;
  return is_digit(text[at + 2]) && is_digit(text[at + 3]) &&
         (at + 4 == text.size() || !is_digit(text[at + 4]));
}

/// The numbers and ranges between square brackets; `wanted` is searched for.
void find_number(std::string_view sentence, int wanted, std::vector<MarkerPlace>& places) {
  for (std::size_t open = sentence.find('['); open != std::string_view::npos;
       open = sentence.find('[', open + 1)) {
    const std::size_t close = sentence.find(']', open);
    if (close == std::string_view::npos) return;
    std::size_t group = 0;
    bool found = false;
    int last = -1;
    bool is_range = false;
    MarkerPlace place;
    for (std::size_t at = open + 1; at < close;) {
      if (!is_digit(sentence[at])) {
        // A dash of any script between two numbers makes a range.
        if (sentence[at] == '-' || static_cast<unsigned char>(sentence[at]) == 0xE2) is_range = last >= 0;
        if (sentence[at] == ',' || sentence[at] == ';') is_range = false;
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < close && is_digit(sentence[end])) ++end;
      const int value = number(sentence.substr(at, end - at));
      const bool inside = is_range && last < wanted && wanted < value;
      if (value == wanted || inside) {
        found = true;
        place.begin = at;
        place.end = end;
      }
      group += is_range && value > last ? static_cast<std::size_t>(std::min(value - last, 50)) : 1;
      last = value;
      is_range = false;
      at = end;
    }
    if (!found) continue;
    place.group = std::max<std::size_t>(group, 1);
    // "[17], for instance, develop" starts a sentence; "of [17]" and "by [17]" name it as well.
    place.is_textual = place.group == 1 && (open == 0 || sentence.substr(0, open).ends_with("of ") ||
                                            sentence.substr(0, open).ends_with("by ") ||
                                            sentence.substr(0, open).ends_with("in "));
    places.push_back(place);
  }
}

/// The brackets around `at`, or nothing: positions of the open and the closing one.
bool enclosing(std::string_view sentence, std::size_t at, std::size_t& open, std::size_t& close) {
  int depth = 0;
  open = at;
  while (open > 0) {
    --open;
    if (sentence[open] == ')' || sentence[open] == ']') ++depth;
    if (sentence[open] != '(' && sentence[open] != '[') continue;
    if (depth == 0) {
      close = sentence.find_first_of(")]", at);
      if (close == std::string_view::npos) close = sentence.size();
      return true;
    }
    --depth;
  }
  return false;
}

std::size_t years_between(std::string_view sentence, std::size_t begin, std::size_t end) {
  std::size_t years = 0;
  for (std::size_t at = begin; at + 4 <= end; ++at) years += is_year_at(sentence, at) ? 1 : 0;
  return years;
}

/// The years of a marker such as "2016/2017a", four digits each.
std::vector<std::string> years_of(std::string_view text) {
  std::vector<std::string> years;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    if (is_year_at(text, at)) years.emplace_back(text.substr(at, 4));
  }
  return years;
}

void find_name(std::string_view sentence, std::string_view name, const std::vector<std::string>& years,
               std::vector<MarkerPlace>& places) {
  constexpr std::size_t kReach = 70;  // "Name and Another-Long-Name, 2016"
  for (std::size_t at = sentence.find(name); at != std::string_view::npos; at = sentence.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    if ((at > 0 && is_word(sentence[at - 1])) || (after < sentence.size() && is_word(sentence[after])))
      continue;
    std::size_t year_at = std::string_view::npos;
    for (std::size_t i = after; i + 4 <= sentence.size() && i < after + kReach; ++i) {
      if (sentence[i] == ';') break;
      if (!is_year_at(sentence, i)) continue;
      if (years.empty() || std::find(years.begin(), years.end(), sentence.substr(i, 4)) != years.end()) {
        year_at = i;
        break;
      }
    }
    if (year_at == std::string_view::npos) continue;
    MarkerPlace place{at, year_at + 4, 1, false};
    std::size_t open = 0;
    std::size_t close = 0;
    if (enclosing(sentence, at, open, close)) {
      place.group = std::max<std::size_t>(1, years_between(sentence, open, close));
    } else {
      place.is_textual = true;
      if (enclosing(sentence, year_at, open, close) && close < sentence.size()) place.end = close + 1;
    }
    places.push_back(place);
  }
}

}  // namespace

std::vector<MarkerPlace> find_marker(std::string_view sentence, std::string_view cited_as) {
  std::vector<MarkerPlace> places;
  while (!cited_as.empty() && (cited_as.front() == '[' || cited_as.front() == '(')) cited_as.remove_prefix(1);
  while (!cited_as.empty() && (cited_as.back() == ']' || cited_as.back() == ')')) cited_as.remove_suffix(1);
  if (cited_as.empty()) return places;
  if (std::all_of(cited_as.begin(), cited_as.end(), is_digit)) {
    find_number(sentence, number(cited_as), places);
    return places;
  }
  const auto years = years_of(cited_as);
  std::size_t name_end = 0;
  while (name_end < cited_as.size() && !is_digit(cited_as[name_end])) ++name_end;
  std::string_view name = cited_as.substr(0, name_end);
  // "Kingma and Ba," and "Kingma et al.": the first name is what every style prints.
  for (const std::string_view stop : {" and ", " & ", " et al", ","}) name = name.substr(0, name.find(stop));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (!years.empty() && !name.empty()) {
    find_name(sentence, name, years, places);
    return places;
  }
  // A tag such as BF+13 or KPR+17.
  for (std::size_t at = sentence.find(cited_as); at != std::string_view::npos;
       at = sentence.find(cited_as, at + 1)) {
    std::size_t open = 0;
    std::size_t close = 0;
    MarkerPlace place{at, at + cited_as.size(), 1, false};
    if (enclosing(sentence, at, open, close)) {
      place.group = 1 + static_cast<std::size_t>(
                            std::count(sentence.begin() + static_cast<std::ptrdiff_t>(open),
                                       sentence.begin() + static_cast<std::ptrdiff_t>(close), ','));
      place.is_textual = place.group == 1 && open == 0;
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace mustcite::annotate
