#include "stages/collect/venues/yaml.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/ascii.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::collect {
namespace {

constexpr int kDeepest = 24;
constexpr std::size_t kLongestQuote = 1000;  // lines

struct Line {
  std::size_t indent = 0;
  std::string_view text;  ///< without indent and trailing blanks
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t indent = raw.find_first_not_of(' ');
    lines.push_back({indent == std::string_view::npos ? 0 : indent, ascii_trimmed(raw)});
  }
  return lines;
}

bool is_item(std::string_view text) {
  return text == "-" || text.starts_with("- ");
}

/// Where a key ends ("abstract: …"); npos for a line that is none. Keys are words.
std::size_t colon_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::string_view::npos;
  if (colon + 1 < text.size() && text[colon + 1] != ' ') return std::string_view::npos;
  const bool word = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return word ? colon : std::string_view::npos;
}

int hex(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/// One escape of a double-quoted scalar at `text[at]` (after the backslash).
void append_escape(std::string_view text, std::size_t& at, std::string& out) {
  const char kind = text[at++];
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits > 0) {
    const int code = at + digits <= text.size() ? hex(text.substr(at, digits)) : -1;
    at = std::min(text.size(), at + digits);
    const bool valid = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    text::encode(valid ? static_cast<char32_t>(code) : 0xFFFD, out);
    return;
  }
  switch (kind) {
    case 'n':
      out.push_back('\n');
      break;
    case 't':
      out.push_back('\t');
      break;
    case 'r':
    case '0':
      out.push_back(' ');
      break;
    default:
      out.push_back(kind);
  }
}

class Reader {
 public:
  explicit Reader(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Yaml read() {
    skip();
    return at_ < lines_.size() ? block(lines_[at_].indent, 0) : Yaml{};
  }

 private:
  /// Passes blank lines, comments and document marks.
  void skip() {
    while (at_ < lines_.size() && (lines_[at_].text.empty() || lines_[at_].text.front() == '#' ||
                                   lines_[at_].text == "---" || lines_[at_].text == "..."))
      ++at_;
  }

  Yaml block(std::size_t indent, int depth) {
    Yaml value;
    for (skip(); at_ < lines_.size() && lines_[at_].indent >= indent; skip()) {
      Line& line = lines_[at_];
      const std::size_t colon = colon_of(line.text);
      if (line.indent > indent || depth >= kDeepest) {
        ++at_;  // fits nowhere
      } else if (is_item(line.text)) {
        value.list.push_back(item(line, depth));
      } else if (colon != std::string_view::npos) {
        std::string key(line.text.substr(0, colon));
        const std::string_view rest = ascii_trimmed(line.text.substr(colon + 1));
        ++at_;
        value.map.push_back({std::move(key), after_key(rest, indent, depth)});
      } else {
        ++at_;
      }
    }
    return value;
  }

  /// "- key: value" is a map that begins behind the dash; "- value" a scalar.
  Yaml item(Line& line, int depth) {
    const std::size_t inner = line.indent + 2;
    const std::string_view rest =
        line.text.size() > 2 ? ascii_trimmed(line.text.substr(2)) : std::string_view();
    if (rest.empty() || is_item(rest) || colon_of(rest) != std::string_view::npos) {
      const std::size_t own = line.indent;
      if (rest.empty()) {
        ++at_;
        skip();
        if (at_ >= lines_.size() || lines_[at_].indent <= own) return {};
        return block(lines_[at_].indent, depth + 1);
      }
      line = {inner, rest};
      return block(inner, depth + 1);
    }
    ++at_;
    return scalar(rest, line.indent);
  }

  Yaml after_key(std::string_view rest, std::size_t indent, int depth) {
    if (!rest.empty()) return scalar(rest, indent);
    const std::size_t before = at_;
    skip();
    if (at_ < lines_.size()) {
      const Line& line = lines_[at_];
      // A list may stand at the indent of its key.
      if (line.indent == indent && is_item(line.text)) return list_at(indent, depth);
      if (line.indent > indent) {
        const bool structured = is_item(line.text) || colon_of(line.text) != std::string_view::npos;
        if (structured) return block(line.indent, depth + 1);
        const std::string_view first = line.text;
        ++at_;
        return scalar(first, indent);
      }
    }
    at_ = before;
    return {};
  }

  Yaml list_at(std::size_t indent, int depth) {
    Yaml value;
    for (skip(); at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].text); skip()) {
      if (depth >= kDeepest) {
        ++at_;
      } else {
        value.list.push_back(item(lines_[at_], depth + 1));
      }
    }
    return value;
  }

  Yaml scalar(std::string_view first, std::size_t indent) {
    Yaml value;
    if (first.front() == '|' || first.front() == '>') {
      value.scalar = literal(indent);
    } else if (first.front() == '\'' || first.front() == '"') {
      value.scalar = quoted(first);
    } else if (first.front() == '[' && first.back() == ']') {
      flow(first.substr(1, first.size() - 2), value);
    } else if (first != "{}") {
      value.scalar = std::string(first);
      while (at_ < lines_.size() && (lines_[at_].indent > indent || lines_[at_].text.empty())) {
        if (!lines_[at_].text.empty()) value.scalar += " " + std::string(lines_[at_].text);
        ++at_;
      }
    }
    return value;
  }

  std::string literal(std::size_t indent) {
    std::string text;
    for (; at_ < lines_.size() && (lines_[at_].indent > indent || lines_[at_].text.empty()); ++at_) {
      if (!text.empty()) text.push_back('\n');
      text.append(lines_[at_].text);
    }
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  static void flow(std::string_view inside, Yaml& value) {
    while (!inside.empty()) {
      const std::size_t comma = inside.find(',');
      Yaml entry;
      entry.scalar = std::string(ascii_trimmed(inside.substr(0, comma)));
      value.list.push_back(std::move(entry));
      inside.remove_prefix(comma == std::string_view::npos ? inside.size() : comma + 1);
    }
  }

  /// To the closing quote, over line ends (which fold to a blank). Without one: to the end of the line.
  std::string quoted(std::string_view first) {
    const char quote = first.front();
    std::string out;
    std::string_view text = first.substr(1);
    const std::size_t start = at_;
    for (;;) {
      for (std::size_t at = 0; at < text.size();) {
        const char c = text[at++];
        if (c == quote) {
          const bool doubled = quote == '\'' && at < text.size() && text[at] == quote;
          if (!doubled) return out;
          ++at;
          out.push_back(quote);
        } else if (c == '\\' && quote == '"') {
          if (at == text.size())
            out.push_back('\0');  // the line goes on without a blank
          else
            append_escape(text, at, out);
        } else {
          out.push_back(c);
        }
      }
      if (at_ >= lines_.size() || at_ - start > kLongestQuote) break;
      if (!out.empty() && out.back() == '\0') {
        out.pop_back();
      } else {
        out.push_back(' ');
      }
      text = lines_[at_++].text;
    }
    // No closing quote anywhere: it was no quote.
    at_ = start;
    return std::string(first);
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

const Yaml& Yaml::operator[](std::string_view key) const {
  static const Yaml nothing;
  for (const Entry& entry : map) {
    if (entry.key == key) return entry.value;
  }
  return nothing;
}

Yaml read_yaml(std::string_view text) {
  return Reader(lines_of(text)).read();
}

}  // namespace mustcite::collect
