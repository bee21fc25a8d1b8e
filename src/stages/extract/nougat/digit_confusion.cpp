#include "stages/extract/nougat/digit_confusion.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace mustcite::extract::nougat {
namespace {

constexpr std::size_t kLongestBracket = 120;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The digit that a letter is taken for; 0: the letter looks like none.
char digit_of(char c) {
  switch (c) {
    case 'l':
    case 'I':
    case 'i':
    case '|':
      return '1';
    case 'O':
    case 'o':
      return '0';
    case 'S':
    case 's':
      return '5';
    case 'B':
      return '8';
    case 'Z':
    case 'z':
      return '2';
    default:
      return 0;
  }
}

bool parts_items(std::string_view text, std::size_t at) {
  const char c = text[at];
  return c == ',' || c == ';' || c == ' ' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// What a bracket's items are.
struct Items {
  bool possible = true;
  bool letters = false;       ///< anywhere
  bool mixed = false;         ///< an item of letters and digits
  bool lone = false;          ///< an item of letters alone
  bool short_number = false;  ///< a printed number of one digit
  std::vector<int> numbers;   ///< as read
};

Items read_items(std::string_view inside) {
  Items items;
  for (std::size_t at = 0; at < inside.size();) {
    if (parts_items(inside, at)) {
      ++at;
      continue;
    }
    int number = 0;
    std::size_t digits = 0;
    std::size_t letters = 0;
    for (; at < inside.size() && !parts_items(inside, at); ++at) {
      const char digit = is_digit(inside[at]) ? inside[at] : digit_of(inside[at]);
      if (digit == 0 || digits + letters == 4) {
        items.possible = false;
        return items;
      }
      ++(is_digit(inside[at]) ? digits : letters);
      number = number * 10 + (digit - '0');
    }
    items.letters = items.letters || letters > 0;
    items.mixed = items.mixed || (letters > 0 && digits > 0);
    items.lone = items.lone || digits == 0;
    items.short_number = items.short_number || (letters == 0 && digits == 1);
    items.numbers.push_back(number);
  }
  return items;
}

}  // namespace

std::vector<Confused> mend_digits(std::string& text, const std::vector<ReferenceEntry>& entries) {
  std::set<std::string> labels;
  for (const auto& entry : entries) labels.insert(entry.label);
  std::vector<Confused> found;
  for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    const std::size_t close = std::string_view(text).substr(open, kLongestBracket).find(']');
    if (close == std::string_view::npos || close < 2) continue;
    const std::string inside = text.substr(open + 1, close - 1);
    const Items items = read_items(inside);
    if (!items.possible || !items.letters || items.numbers.empty()) continue;
    const bool is_marker = items.mixed || (items.lone && items.numbers.size() >= 2 && !items.short_number &&
                                           std::any_of(inside.begin(), inside.end(), is_digit));
    if (!is_marker) continue;
    std::set<int> once;
    const bool known = std::all_of(items.numbers.begin(), items.numbers.end(), [&](int number) {
      return once.insert(number).second && labels.contains(std::to_string(number));
    });
    Confused confused{{open, open + close + 1}, inside, {}};
    if (known) {
      confused.mended = inside;
      for (char& c : confused.mended) {
        if (!is_digit(c) && digit_of(c) != 0) c = digit_of(c);
      }
      text.replace(open + 1, inside.size(), confused.mended);
    }
    found.push_back(std::move(confused));
  }
  return found;
}

}  // namespace mustcite::extract::nougat
