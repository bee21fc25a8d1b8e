#include "core/text/latex.hpp"

#include <algorithm>

#include "core/text/latex_commands.hpp"
#include "core/text/latex_reader.hpp"

namespace mustcite::text {
namespace {

constexpr int kMostDollarsPassed = 8;

}  // namespace

std::string LatexReader::run() {
  parse(0, text_.size(), 0);
  return std::move(out_);
}

void LatexReader::match_braces() {
  match_.assign(text_.size(), 0);
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '{') {
      open.push_back(static_cast<std::uint32_t>(i));
    } else if (text_[i] == '}' && !open.empty()) {
      match_[open.back()] = static_cast<std::uint32_t>(i);
      open.pop_back();
    }
  }
}

std::size_t LatexReader::closing(std::size_t at, std::size_t end) const {
  if (at >= end || text_[at] != '{') return kNone;
  const std::size_t close = match_[at];
  return close > at && close < end ? close : kNone;
}

void LatexReader::parse(std::size_t begin, std::size_t end, int depth) {
  for (std::size_t i = begin; i < end;) {
    const char c = text_[i];
    switch (c) {
      case '\\':
        i = command(i, end, depth);
        break;
      case '$':
        i = dollar(i, end, depth);
        break;
      case '{':
        i = group(i, end, depth);
        break;
      case '}':
        if (!bibtex_) out_.push_back(c);
        ++i;
        break;
      case '~':
        out_.push_back(is_tie(i, end) ? ' ' : '~');
        ++i;
        break;
      case '`':
      case '\'':
        i = quotes(i, end);
        break;
      case '-':
        i = dashes(i, end);
        break;
      default:
        out_.push_back(c);
        ++i;
    }
  }
}

bool LatexReader::is_tie(std::size_t i, std::size_t end) const {
  if (bibtex_) return true;
  const char before = i > 0 ? text_[i - 1] : ' ';
  const char after = at(i + 1, end);
  const bool joins = (latex_word(before) || before == '.' || before == ')' || before == ',') &&
                     (latex_word(after) || after == '\\' || after == '$');
  return joins && !(latex_digit(before) && latex_digit(after));
}

std::size_t LatexReader::quotes(std::size_t i, std::size_t end) {
  if (at(i + 1, end) != text_[i]) {
    out_.push_back(text_[i]);
    return i + 1;
  }
  if (text_[i] == '`') {
    quoted_ = true;
    out_.append("“");
  } else if (quoted_ || bibtex_) {
    out_.append("”");
  } else {
    out_.append("''");
  }
  return i + 2;
}

std::size_t LatexReader::dashes(std::size_t i, std::size_t end) {
  std::size_t run = 1;
  while (at(i + run, end) == '-') ++run;
  const char before = i > 0 ? text_[i - 1] : ' ';
  const char after = at(i + run, end);
  const bool balanced = bibtex_ || latex_blank(before) == latex_blank(after);
  if (run == 3 && balanced) {
    out_.append("—");
  } else if (run == 2 && balanced) {
    out_.append("–");
  } else {
    out_.append(run, '-');
  }
  return i + run;
}

std::size_t LatexReader::group(std::size_t i, std::size_t end, int depth) {
  const std::size_t close = closing(i, end);
  if (close == kNone || depth >= kDeepest) {
    if (!bibtex_ && close == kNone) out_.push_back('{');
    return i + 1;
  }
  if (bibtex_ || groups_words(i + 1, close)) {
    parse(i + 1, close, depth + 1);
  } else {
    out_.append(text_.substr(i, close - i + 1));
  }
  return close + 1;
}

bool LatexReader::groups_words(std::size_t begin, std::size_t end) const {
  if (at(begin, end) == '\\' || (begin == 1 && end + 1 == text_.size())) return true;
  const std::size_t looked_at = std::min(end, begin + 200);
  for (std::size_t i = begin; i < looked_at; ++i) {
    const char c = text_[i];
    if (c == '\\') return true;
    if (!latex_word(c) && !latex_blank(c) && std::string_view("-'.:&/+{}").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

std::size_t LatexReader::dollar(std::size_t i, std::size_t end, int depth) {
  const std::size_t width = at(i + 1, end) == '$' ? 2 : 1;
  const std::size_t begin = i + width;
  const std::size_t close = width == 2
                                ? text_.substr(0, std::min(end, begin + kLongestMaths)).find("$$", begin)
                                : closing_dollar(begin, end);
  if (close == kNone || close == std::string_view::npos || close == begin) {
    out_.append(text_.substr(i, width));
    return begin;
  }
  maths(begin, close, width, depth);
  return close + width;
}

std::size_t LatexReader::closing_dollar(std::size_t begin, std::size_t end) const {
  if (begin >= end || latex_blank(text_[begin])) return kNone;
  const std::size_t limit = std::min(end, begin + kLongestMaths);
  int passed = 0;
  for (std::size_t i = begin; i < limit; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '$') {
      if (i > begin && !latex_blank(text_[i - 1]) && !latex_digit(at(i + 1, end))) return i;
      if (++passed > kMostDollarsPassed) return kNone;
    }
  }
  return kNone;
}

void LatexReader::maths(std::size_t begin, std::size_t end, std::size_t width, int depth) {
  if (depth < kDeepest && (only_words(begin, end) || only_a_number(text_.substr(begin, end - begin)))) {
    parse(begin, end, depth + 1);
  } else {
    out_.append(text_.substr(begin - width, end - begin + 2 * width));
  }
}

bool LatexReader::only_a_number(std::string_view inside) {
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (c == '\\' && (i + 1 == inside.size() || (inside[i + 1] != '%' && inside[i + 1] != '\\')))
      return false;
    if (!latex_digit(c) && std::string_view(".,+<>=%\\ ").find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool LatexReader::only_words(std::size_t begin, std::size_t end) const {
  bool any = false;
  for (std::size_t i = begin; i < end;) {
    if (latex_blank(text_[i]) || (any && std::string_view(".,;:").find(text_[i]) != std::string_view::npos)) {
      ++i;
      continue;
    }
    if (text_[i] == '\\' && at(i + 1, end) == '\\') ++i;
    if (text_[i] != '\\') return false;
    std::size_t name_end = i + 1;
    while (name_end < end && latex_letter(text_[name_end])) ++name_end;
    const std::string_view name = text_.substr(i + 1, name_end - i - 1);
    const std::size_t close = closing(name_end, end);
    if (close == kNone) return false;
    const std::string_view inside = text_.substr(name_end + 1, close - name_end - 1);
    if (inside.find_first_of("\\^_$") != std::string_view::npos) return false;
    const bool face =
        name == "mathrm" || name == "mathbf" || name == "mathit" || name == "mathsf" || name == "mathtt";
    if (!sets_words(name) && !(face && inside.size() >= 3)) return false;
    any = true;
    i = close + 1;
  }
  return any;
}

std::string latex_to_text(std::string_view text, LatexSource source) {
  if (text.find_first_of("\\{}$~`'-") == std::string_view::npos) return std::string(text);
  return LatexReader(text, source).run();
}

}  // namespace mustcite::text
