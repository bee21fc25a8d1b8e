// What begins with a backslash.

#include <algorithm>

#include "core/text/latex_commands.hpp"
#include "core/text/latex_reader.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {

std::size_t LatexReader::command(std::size_t i, std::size_t end, int depth) {
  const char next = at(i + 1, end);
  if (next == '\0') {
    if (!bibtex_) out_.push_back('\\');
    return i + 1;
  }
  if (!latex_letter(next)) return control_symbol(i, end, depth);
  std::size_t name_end = i + 1;
  while (name_end < end && latex_letter(text_[name_end])) ++name_end;
  const std::string_view name = text_.substr(i + 1, name_end - i - 1);
  if (latex_accent(name) != 0) {
    if (const std::size_t after = accent(latex_accent(name), name_end, end, true); after != kNone)
      return after;
  }
  return named(i, name, name_end, end, depth);
}

std::size_t LatexReader::control_symbol(std::size_t i, std::size_t end, int depth) {
  const char c = text_[i + 1];
  const std::size_t after = i + 2;
  switch (c) {
    case '&':
    case '%':
    case '$':
    case '#':
    case '_':
    case '{':
    case '}':
      out_.push_back(c);
      return after;
    case ',':
    case ';':
    case ':':
    case ' ':
    case '\n':
    case '\t':
      out_.push_back(' ');
      return after;
    case '!':
    case '/':
    case '-':
    case '@':
      return after;
    case '(':
    case '[':
      return maths_block(i, c == '(' ? "\\)" : "\\]", end);
    case '\\':
      return double_backslash(i, end, depth);
    default:
      break;
  }
  if (const char32_t mark = latex_accent(text_.substr(i + 1, 1)); mark != 0) {
    if (c != '"' || !is_quotation(i, end)) {
      if (const std::size_t done = accent(mark, after, end, false); done != kNone) return done;
    }
  }
  out_.push_back(c);
  return after;
}

bool LatexReader::is_quotation(std::size_t i, std::size_t end) const {
  if (bibtex_ || at(i + 2, end) == '{') return false;
  if (escaped_quotes_open_ == i) return true;
  if (i > 0 && latex_word(text_[i - 1])) return false;
  const std::size_t other = text_.substr(0, std::min(end, i + 100)).find("\\\"", i + 2);
  if (other == std::string_view::npos || latex_word(at(other + 2, end))) return false;
  escaped_quotes_open_ = other;
  return true;
}

std::size_t LatexReader::maths_block(std::size_t i, std::string_view closing_mark, std::size_t end) {
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

std::size_t LatexReader::double_backslash(std::size_t i, std::size_t end, int depth) {
  if (at(i + 2, end) == '%' || at(i + 2, end) == '&') {
    out_.push_back(text_[i + 2]);
    return i + 3;
  }
  std::size_t name_end = i + 2;
  while (name_end < end && latex_letter(text_[name_end])) ++name_end;
  const std::string_view name = text_.substr(i + 2, name_end - i - 2);
  const LatexKind kind = latex_command(name).kind;
  if (kind != LatexKind::unknown && (name.size() > 1)) return named(i + 1, name, name_end, end, depth);
  out_.push_back(' ');
  return i + 2;
}

std::size_t LatexReader::accent(char32_t mark, std::size_t i, std::size_t end, bool named_command) {
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

std::size_t LatexReader::named(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end,
                               int depth) {
  const LatexCommand known = latex_command(name);
  switch (known.kind) {
    case LatexKind::symbol:
      out_.append(known.text);
      return skip_command_end(name_end, end);
    case LatexKind::typeface:
      return skip_command_end(name_end, end);
    case LatexKind::space:
      out_.push_back(' ');
      return skip_command_end(name_end, end);
    case LatexKind::drop:
      return drop(name, name_end, end);
    case LatexKind::keep:
      return argument(skip_options(name_end, end), end, depth);
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
    case LatexKind::maths:
      return as_written(i, name_end, end);
    case LatexKind::unknown:
      break;
  }
  return unknown(i, name, name_end, end, depth);
}

std::size_t LatexReader::unknown(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end,
                                 int depth) {
  if (closing(name_end, end) != kNone) return argument(name_end, end, depth);
  if (!bibtex_ && name.size() > 1 && name[0] == 'n') {
    // An escaped line end that was escaped once more: "first\nsecond".
    out_.push_back(' ');
    return i + 2;
  }
  return as_written(i, name_end, end);
}

std::size_t LatexReader::as_written(std::size_t i, std::size_t name_end, std::size_t end) {
  std::size_t after = name_end;
  for (std::size_t close = closing(after, end); close != kNone; close = closing(after, end))
    after = close + 1;
  out_.append(text_.substr(i, after - i));
  return after;
}

std::size_t LatexReader::skip_command_end(std::size_t i, std::size_t end) const {
  if (at(i, end) == '{' && at(i + 1, end) == '}') return i + 2;
  while (i < end && latex_blank(text_[i])) ++i;
  return i;
}

std::size_t LatexReader::skip_options(std::size_t i, std::size_t end) const {
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

std::size_t LatexReader::drop(std::string_view name, std::size_t name_end, std::size_t end) {
  std::size_t i = skip_options(name_end, end);
  const std::size_t close = closing(i, end);
  if (name == "documentclass" && close != kNone) return skip_preamble(name_end, end);
  if (close == kNone) return name_end;
  const char after = at(close + 1, end);
  // "shown by \cite{a}, who" must not leave "by , who".
  if ((after == ',' || after == '.' || after == ';') && !out_.empty() && out_.back() == ' ') out_.pop_back();
  return close + 1;
}

std::size_t LatexReader::skip_preamble(std::size_t name_end, std::size_t end) {
  constexpr std::string_view kLast = "\\end{document}";
  const std::size_t last = text_.substr(0, std::min(end, name_end + 4000)).find(kLast, name_end);
  return last == std::string_view::npos ? name_end : last + kLast.size();
}

std::size_t LatexReader::argument(std::size_t i, std::size_t end, int depth) {
  const std::size_t close = closing(i, end);
  if (close == kNone) return skip_command_end(i, end);
  if (depth < kDeepest) parse(i + 1, close, depth + 1);
  return close + 1;
}

}  // namespace mustcite::text
