#include "core/text/latex.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "core/text/latex_commands.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kLongestMaths = 1000;
constexpr int kMostDollarsPassed = 8;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
/// ASCII letters and any byte of another script: part of a word.
bool word_byte(char c) noexcept { return letter(c) || digit(c) || static_cast<unsigned char>(c) >= 0x80; }

class Reader {
 public:
  Reader(std::string_view text, LatexSource source) : text_(text), bibtex_(source == LatexSource::bibtex) {
    out_.reserve(text.size());
    if (text.find('{') != std::string_view::npos) match_braces();
  }

  std::string run() {
    parse(0, text_.size(), 0);
    return std::move(out_);
  }

 private:
  /// Closing brace of each opening one, found once, so that nested groups cost linear time.
  void match_braces() {
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

  /// Index of the brace closing the one at `at`, before `end`; kNone when there is none.
  [[nodiscard]] std::size_t closing(std::size_t at, std::size_t end) const {
    if (at >= end || text_[at] != '{') return kNone;
    const std::size_t close = match_[at];
    return close > at && close < end ? close : kNone;
  }

  [[nodiscard]] char at(std::size_t i, std::size_t end) const { return i < end ? text_[i] : '\0'; }

  void parse(std::size_t begin, std::size_t end, int depth) {
    for (std::size_t i = begin; i < end;) {
      const char c = text_[i];
      switch (c) {
        case '\\': i = command(i, end, depth); break;
        case '$': i = dollar(i, end, depth); break;
        case '{': i = group(i, end, depth); break;
        case '}':
          if (!bibtex_) out_.push_back(c);
          ++i;
          break;
        case '~':
          out_.push_back(is_tie(i, end) ? ' ' : '~');
          ++i;
          break;
        case '`': case '\'': i = quotes(i, end); break;
        case '-': i = dashes(i, end); break;
        default: out_.push_back(c); ++i;
      }
    }
  }

  /// "Figure~1" is a tie; "~90 %" and "/~name" are not.
  [[nodiscard]] bool is_tie(std::size_t i, std::size_t end) const {
    if (bibtex_) return true;
    const char before = i > 0 ? text_[i - 1] : ' ';
    const char after = at(i + 1, end);
    const bool joins = (word_byte(before) || before == '.' || before == ')' || before == ',') &&
                       (word_byte(after) || after == '\\' || after == '$');
    return joins && !(digit(before) && digit(after));
  }

  std::size_t quotes(std::size_t i, std::size_t end) {
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

  std::size_t dashes(std::size_t i, std::size_t end) {
    std::size_t run = 1;
    while (at(i + run, end) == '-') ++run;
    const char before = i > 0 ? text_[i - 1] : ' ';
    const char after = at(i + run, end);
    const bool balanced = bibtex_ || blank(before) == blank(after);
    if (run == 3 && balanced) {
      out_.append("—");
    } else if (run == 2 && balanced) {
      out_.append("–");
    } else {
      out_.append(run, '-');
    }
    return i + run;
  }

  std::size_t group(std::size_t i, std::size_t end, int depth) {
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

  /// Braces around words protect their case; braces around `0,1` or `x|y` are a set.
  [[nodiscard]] bool groups_words(std::size_t begin, std::size_t end) const {
    if (at(begin, end) == '\\' || (begin == 1 && end + 1 == text_.size())) return true;
    const std::size_t looked_at = std::min(end, begin + 200);
    for (std::size_t i = begin; i < looked_at; ++i) {
      const char c = text_[i];
      if (c == '\\') return true;
      if (!word_byte(c) && !blank(c) && std::string_view("-'.:&/+{}").find(c) == std::string_view::npos) return false;
    }
    return true;
  }

  /// Maths is kept; the closing dollar is found by pandoc's rule, so that "$5 to $10" is money.
  std::size_t dollar(std::size_t i, std::size_t end, int depth) {
    const std::size_t width = at(i + 1, end) == '$' ? 2 : 1;
    const std::size_t begin = i + width;
    const std::size_t close = width == 2 ? text_.substr(0, std::min(end, begin + kLongestMaths)).find("$$", begin)
                                         : closing_dollar(begin, end);
    if (close == kNone || close == std::string_view::npos || close == begin) {
      out_.append(text_.substr(i, width));
      return begin;
    }
    maths(begin, close, width, depth);
    return close + width;
  }

  [[nodiscard]] std::size_t closing_dollar(std::size_t begin, std::size_t end) const {
    if (begin >= end || blank(text_[begin])) return kNone;
    const std::size_t limit = std::min(end, begin + kLongestMaths);
    int passed = 0;
    for (std::size_t i = begin; i < limit; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '$') {
        if (i > begin && !blank(text_[i - 1]) && !digit(at(i + 1, end))) return i;
        if (++passed > kMostDollarsPassed) return kNone;
      }
    }
    return kNone;
  }

  void maths(std::size_t begin, std::size_t end, std::size_t width, int depth) {
    if (depth < kDeepest && (only_words(begin, end) || only_a_number(text_.substr(begin, end - begin)))) {
      parse(begin, end, depth + 1);
    } else {
      out_.append(text_.substr(begin - width, end - begin + 2 * width));
    }
  }

  /// "$31\%$" and "$>$" need no maths.
  [[nodiscard]] static bool only_a_number(std::string_view inside) {
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const char c = inside[i];
      if (c == '\\' && (i + 1 == inside.size() || (inside[i + 1] != '%' && inside[i + 1] != '\\'))) return false;
      if (!digit(c) && std::string_view(".,+<>=%\\ ").find(c) == std::string_view::npos) return false;
    }
    return true;
  }

  /// `\textbf{Word}` and the like, nothing else.
  [[nodiscard]] bool only_words(std::size_t begin, std::size_t end) const {
    bool any = false;
    for (std::size_t i = begin; i < end;) {
      if (blank(text_[i]) || (any && std::string_view(".,;:").find(text_[i]) != std::string_view::npos)) {
        ++i;
        continue;
      }
      if (text_[i] == '\\' && at(i + 1, end) == '\\') ++i;
      if (text_[i] != '\\') return false;
      std::size_t name_end = i + 1;
      while (name_end < end && letter(text_[name_end])) ++name_end;
      const std::string_view name = text_.substr(i + 1, name_end - i - 1);
      const std::size_t close = closing(name_end, end);
      if (close == kNone) return false;
      const std::string_view inside = text_.substr(name_end + 1, close - name_end - 1);
      if (inside.find_first_of("\\^_$") != std::string_view::npos) return false;
      const bool face = name == "mathrm" || name == "mathbf" || name == "mathit" || name == "mathsf" || name == "mathtt";
      if (!sets_words(name) && !(face && inside.size() >= 3)) return false;
      any = true;
      i = close + 1;
    }
    return any;
  }

  std::size_t command(std::size_t i, std::size_t end, int depth) {
    const char next = at(i + 1, end);
    if (next == '\0') {
      if (!bibtex_) out_.push_back('\\');
      return i + 1;
    }
    if (!letter(next)) return control_symbol(i, end, depth);
    std::size_t name_end = i + 1;
    while (name_end < end && letter(text_[name_end])) ++name_end;
    const std::string_view name = text_.substr(i + 1, name_end - i - 1);
    if (latex_accent(name) != 0) {
      if (const std::size_t after = accent(latex_accent(name), name_end, end, true); after != kNone) return after;
    }
    return named(i, name, name_end, end, depth);
  }

  std::size_t control_symbol(std::size_t i, std::size_t end, int depth) {
    const char c = text_[i + 1];
    const std::size_t after = i + 2;
    switch (c) {
      case '&': case '%': case '$': case '#': case '_': case '{': case '}':
        out_.push_back(c);
        return after;
      case ',': case ';': case ':': case ' ': case '\n': case '\t':
        out_.push_back(' ');
        return after;
      case '!': case '/': case '-': case '@':
        return after;
      case '(': case '[': return maths_block(i, c == '(' ? "\\)" : "\\]", end);
      case '\\': return double_backslash(i, end, depth);
      default: break;
    }
    if (const char32_t mark = latex_accent(text_.substr(i + 1, 1)); mark != 0) {
      if (c != '"' || !is_quotation(i, end)) {
        if (const std::size_t done = accent(mark, after, end, false); done != kNone) return done;
      }
    }
    out_.push_back(c);
    return after;
  }

  /// `\"word\"` is a quotation that was escaped twice; `na\"ive` and `\"Uber` are umlauts.
  [[nodiscard]] bool is_quotation(std::size_t i, std::size_t end) const {
    if (bibtex_ || at(i + 2, end) == '{') return false;
    if (escaped_quotes_open_ == i) return true;
    if (i > 0 && word_byte(text_[i - 1])) return false;
    const std::size_t other = text_.substr(0, std::min(end, i + 100)).find("\\\"", i + 2);
    if (other == std::string_view::npos || word_byte(at(other + 2, end))) return false;
    escaped_quotes_open_ = other;
    return true;
  }

  std::size_t maths_block(std::size_t i, std::string_view closing_mark, std::size_t end) {
    // What an earlier search found free of the closing mark is not searched again.
    std::size_t& searched = closing_mark[1] == ')' ? no_round_close_ : no_square_close_;
    const std::size_t limit = std::min(end, i + kLongestMaths);
    const std::size_t close = text_.substr(0, limit).find(closing_mark, std::max(i + 2, searched));
    if (close == std::string_view::npos) {
      searched = std::max(searched, limit - 1);
      out_.append(text_.substr(i, 2));
      return i + 2;
    }
    out_.append(text_.substr(i, close + 2 - i));
    return close + 2;
  }

  /// A line break, unless a known command follows: then the backslash was escaped twice.
  std::size_t double_backslash(std::size_t i, std::size_t end, int depth) {
    if (at(i + 2, end) == '%' || at(i + 2, end) == '&') {
      out_.push_back(text_[i + 2]);
      return i + 3;
    }
    std::size_t name_end = i + 2;
    while (name_end < end && letter(text_[name_end])) ++name_end;
    const std::string_view name = text_.substr(i + 2, name_end - i - 2);
    const LatexKind kind = latex_command(name).kind;
    if (kind != LatexKind::unknown && (name.size() > 1)) return named(i + 1, name, name_end, end, depth);
    out_.push_back(' ');
    return i + 2;
  }

  /// An accent over the letter at `i`: `e`, `{e}`, `\i`, `{\i}`. kNone when no letter follows.
  std::size_t accent(char32_t mark, std::size_t i, std::size_t end, bool named_command) {
    std::size_t p = i;
    while (p < end && text_[p] == ' ') ++p;
    if (named_command && p == i && at(p, end) != '{' && at(p, end) != '\\') return kNone;
    if (!named_command && p > i && !bibtex_) return kNone;
    std::size_t after = kNone;
    if (at(p, end) == '{') {
      const std::size_t close = closing(p, end);
      if (close == kNone) return kNone;
      after = close + 1;
      end = close;
      ++p;
    }
    std::string base;
    if (at(p, end) == '\\') {
      const char c = at(p + 1, end);
      if (c != 'i' && c != 'j') return kNone;
      base.push_back(c);
      p += 2;
      if (after == kNone && at(p, end) == ' ') ++p;
    } else {
      if (p >= end) return after == kNone ? kNone : after;
      std::size_t next = p;
      const char32_t code = decode(text_, next);
      if (code == kMalformed || !is_letter(code)) return kNone;
      base.append(text_.substr(p, next - p));
      p = next;
    }
    out_.append(base);
    if (mark != 0x361) encode(mark, out_);
    if (after == kNone) return p;
    if (p < end) out_.append(text_.substr(p, end - p));
    return after;
  }

  std::size_t named(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end, int depth) {
    const LatexCommand known = latex_command(name);
    switch (known.kind) {
      case LatexKind::symbol: out_.append(known.text); return skip_command_end(name_end, end);
      case LatexKind::typeface: return skip_command_end(name_end, end);
      case LatexKind::space: out_.push_back(' '); return skip_command_end(name_end, end);
      case LatexKind::drop: return drop(name, name_end, end);
      case LatexKind::keep: return argument(skip_options(name_end, end), end, depth);
      case LatexKind::keep_second: {
        const std::size_t first = closing(skip_options(name_end, end), end);
        return first == kNone ? name_end : argument(first + 1, end, depth);
      }
      case LatexKind::quote: {
        out_.append("“");
        const std::size_t after = argument(name_end, end, depth);
        out_.append("”");
        return after;
      }
      case LatexKind::ensure_maths: {
        const std::size_t close = closing(name_end, end);
        if (close == kNone) return name_end;
        out_.append("$").append(text_.substr(name_end + 1, close - name_end - 1)).append("$");
        return close + 1;
      }
      case LatexKind::maths: return as_written(i, name_end, end);
      case LatexKind::unknown: break;
    }
    return unknown(i, name, name_end, end, depth);
  }

  std::size_t unknown(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end, int depth) {
    if (closing(name_end, end) != kNone) return argument(name_end, end, depth);
    if (!bibtex_ && name.size() > 1 && name[0] == 'n') {
      // An escaped line end that was escaped once more: "first\nsecond".
      out_.push_back(' ');
      return i + 2;
    }
    return as_written(i, name_end, end);
  }

  std::size_t as_written(std::size_t i, std::size_t name_end, std::size_t end) {
    std::size_t after = name_end;
    for (std::size_t close = closing(after, end); close != kNone; close = closing(after, end)) after = close + 1;
    out_.append(text_.substr(i, after - i));
    return after;
  }

  /// `\o{}` and `\o ` both end here.
  [[nodiscard]] std::size_t skip_command_end(std::size_t i, std::size_t end) const {
    if (at(i, end) == '{' && at(i + 1, end) == '}') return i + 2;
    while (i < end && blank(text_[i])) ++i;
    return i;
  }

  [[nodiscard]] std::size_t skip_options(std::size_t i, std::size_t end) const {
    while (at(i, end) == '[' || at(i, end) == '*') {
      if (text_[i] == '*') {
        ++i;
        continue;
      }
      const std::size_t close = text_.substr(0, std::min(end, i + 200)).find(']', i);
      if (close == std::string_view::npos) break;
      i = close + 1;
    }
    return i;
  }

  std::size_t drop(std::string_view name, std::size_t name_end, std::size_t end) {
    std::size_t i = skip_options(name_end, end);
    const std::size_t close = closing(i, end);
    if (name == "documentclass" && close != kNone) return skip_preamble(name_end, end);
    if (close == kNone) return name_end;
    const char after = at(close + 1, end);
    // "shown by \cite{a}, who" must not leave "by , who".
    if ((after == ',' || after == '.' || after == ';') && !out_.empty() && out_.back() == ' ') out_.pop_back();
    return close + 1;
  }

  /// Publishers' systems leave whole LaTeX documents beside a formula that stands in the text already.
  std::size_t skip_preamble(std::size_t name_end, std::size_t end) {
    constexpr std::string_view kLast = "\\end{document}";
    const std::size_t last = text_.substr(0, std::min(end, name_end + 4000)).find(kLast, name_end);
    return last == std::string_view::npos ? name_end : last + kLast.size();
  }

  std::size_t argument(std::size_t i, std::size_t end, int depth) {
    const std::size_t close = closing(i, end);
    if (close == kNone) return skip_command_end(i, end);
    if (depth < kDeepest) parse(i + 1, close, depth + 1);
    return close + 1;
  }

  std::string_view text_;
  bool bibtex_;
  bool quoted_ = false;
  std::size_t no_round_close_ = 0;
  std::size_t no_square_close_ = 0;
  mutable std::size_t escaped_quotes_open_ = kNone;
  std::vector<std::uint32_t> match_;
  std::string out_;
};

}  // namespace

std::string latex_to_text(std::string_view text, LatexSource source) {
  if (text.find_first_of("\\{}$~`'-") == std::string_view::npos) return std::string(text);
  return Reader(text, source).run();
}

}  // namespace mustcite::text
