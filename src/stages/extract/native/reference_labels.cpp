#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Label numbered(const std::string& line, char open, char close, Label::Form form) {
  std::size_t at = 0;
  if (open != 0) {
    if (line.empty() || line[0] != open) return {};
    at = 1;
  }
  while (at < line.size() && line[at] == ' ') ++at;
  const std::size_t begin = at;
  while (at < line.size() && is_digit(line[at]) && at - begin < 4) ++at;
  if (at == begin || (at < line.size() && is_digit(line[at]))) return {};
  const int number = std::stoi(line.substr(begin, at - begin));
  std::string text = line.substr(begin, at - begin);
  while (at < line.size() && line[at] == ' ' && open != 0) ++at;
  if (close != 0) {
    if (at >= line.size() || line[at] != close) return {};
    ++at;
    if (close == '.' && at < line.size() && line[at] != ' ') return {};
  } else if (at >= line.size() || line[at] != ' ') {
    return {};
  }
  while (at < line.size() && line[at] == ' ') ++at;
  return {form, number, text, at};
}

/// "[KPR+17]", "[Smi04a]", "[Smith et al., 2010]": a bracket with letters and a two- or four-digit year.
Label alpha(const std::string& line) {
  if (line.size() < 4 || line[0] != '[') return {};
  const std::size_t close = line.find(']');
  if (close == std::string::npos || close < 3 || close > 60) return {};
  std::string text = line.substr(1, close - 1);
  if (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && static_cast<unsigned char>(text[0]) < 0x80)
    return {};
  const auto digits = std::count_if(text.begin(), text.end(), is_digit);
  if (digits < 2 || digits > 4) return {};
  std::size_t end = close + 1;
  while (end < line.size() && line[end] == ' ') ++end;
  return {Label::Form::alpha, 0, text, end};
}

}  // namespace

Label label_at_start(const std::string& line, Label::Form form) {
  switch (form) {
    case Label::Form::bracketed:
      return numbered(line, '[', ']', form);
    case Label::Form::parenthesised:
      return numbered(line, '(', ')', form);
    case Label::Form::dotted:
      return numbered(line, 0, '.', form);
    case Label::Form::bare:
      return numbered(line, 0, 0, form);
    case Label::Form::alpha:
      return alpha(line);
    case Label::Form::none:
      break;
  }
  return {};
}

}  // namespace mustcite::extract::native
