#include "core/text/bibtex.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "core/text/html.hpp"
#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

constexpr std::size_t kMostFields = 500;
constexpr std::size_t kMostProblems = 10000;
constexpr std::size_t kLongestValue = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 300;

bool blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
/// Characters of macro, field and type names.
bool name_byte(char c) noexcept {
  return letter(c) || digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-_+.:/!?*'&$[]").find(c) != std::string_view::npos;
}

class Parser {
 public:
  Parser(std::string_view text, BibFile& file)
      : text_(text), file_(file), budget_(4 * text.size() + kLongestValue) {
    constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
    for (const std::string_view month : months) macros_[to_lower(month.substr(0, 3))] = month;
  }

  void run() {
    while (at_ < text_.size()) {
      // Text between entries is a comment.
      const std::size_t sign = text_.find('@', at_);
      if (sign == std::string_view::npos) return;
      at_ = sign;
      entry();
    }
  }

 private:
  [[nodiscard]] bool ended() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return ended() ? '\0' : text_[at_]; }

  void skip_blanks() {
    while (!ended() && blank(text_[at_])) ++at_;
  }

  /// Lines are counted as reading goes on, so that asking costs nothing.
  [[nodiscard]] std::uint64_t line_of(std::size_t position) {
    for (; counted_ < position && counted_ < text_.size(); ++counted_) {
      if (text_[counted_] == '\n') ++line_;
    }
    return line_;
  }

  void problem(std::uint64_t line, const std::string& key, std::string reason, bool lost = false) {
    if (file_.problems.size() < kMostProblems) file_.problems.push_back({line, key, std::move(reason), lost});
  }

  std::string name() {
    const std::size_t begin = at_;
    while (!ended() && name_byte(text_[at_])) ++at_;
    return to_lower(text_.substr(begin, std::min(at_ - begin, kLongestName)));
  }

  /// True when an entry seems to begin at `position`: "@word{" at the start of a line.
  [[nodiscard]] bool entry_begins(std::size_t position) const {
    if (position >= text_.size() || text_[position] != '@') return false;
    std::size_t i = position + 1;
    while (i < text_.size() && letter(text_[i]) && i < position + 30) ++i;
    if (i == position + 1) return false;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t') && i < position + 40) ++i;
    return i < text_.size() && (text_[i] == '{' || text_[i] == '(');
  }

  /// Moves to the next line that begins an entry, or to the end.
  void resynchronise() {
    while (!ended()) {
      const std::size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos) {
        at_ = text_.size();
        return;
      }
      at_ = end + 1;
      std::size_t first = at_;
      while (first < text_.size() && (text_[first] == ' ' || text_[first] == '\t')) ++first;
      if (entry_begins(first)) {
        at_ = first;
        return;
      }
    }
  }

  void entry() {
    const std::uint64_t line = line_of(at_);
    ++at_;
    skip_blanks();
    const std::string type = name();
    skip_blanks();
    if (type.empty() || (peek() != '{' && peek() != '(')) return;  // an e-mail address in a comment
    const char close = peek() == '{' ? '}' : ')';
    if (type == "comment") {
      skip_group();
      return;
    }
    ++at_;
    if (type == "string") {
      macro(close, line);
    } else if (type == "preamble") {
      if (!value(line, {})) return resynchronise();
      end_of_entry(close, line, {});
    } else {
      fields(type, close, line);
    }
  }

  /// A comment's content need not be balanced: it then ends where the next entry begins.
  void skip_group() {
    int depth = 0;
    for (; !ended(); ++at_) {
      const char c = text_[at_];
      if (c == '{' || c == '(') ++depth;
      if ((c == '}' || c == ')') && --depth == 0) {
        ++at_;
        return;
      }
      if (c == '\n' && entry_begins(at_ + 1)) return;
    }
  }

  void macro(char close, std::uint64_t line) {
    skip_blanks();
    const std::string macro_name = name();
    skip_blanks();
    if (macro_name.empty() || peek() != '=') {
      problem(line, {}, "@string without a name and '='");
      return resynchronise();
    }
    ++at_;
    std::optional<std::string> expansion = value(line, {});
    if (!expansion) return resynchronise();
    macros_[macro_name] = std::move(*expansion);
    end_of_entry(close, line, {});
  }

  void end_of_entry(char close, std::uint64_t line, const std::string& key) {
    skip_blanks();
    if (peek() == ',') {
      ++at_;
      skip_blanks();
    }
    if (peek() == close) {
      ++at_;
    } else {
      problem(line, key, "the closing brace is missing");
      resynchronise();
    }
  }

  void fields(const std::string& type, char close, std::uint64_t line) {
    BibEntry entry;
    entry.type = type;
    entry.line = line;
    const bool keyed = entry_key(entry, close);
    if (!keyed) problem(line, {}, "the entry has no key");
    while (true) {
      skip_blanks();
      if (ended()) {
        problem(line, entry.key, "the file ends inside the entry");
        break;
      }
      if (peek() == close || peek() == '}') {
        ++at_;
        break;
      }
      if (peek() == ',') {
        ++at_;
        continue;
      }
      if (!field(entry)) {
        resynchronise();
        break;
      }
    }
    if (entry.fields.empty()) {
      problem(line, entry.key, "the entry has no fields", true);
    } else {
      file_.entries.push_back(std::move(entry));
    }
  }

  /// Reads up to the first comma. An entry whose first token is followed by '=' has no key.
  bool entry_key(BibEntry& entry, char close) {
    skip_blanks();
    const std::size_t begin = at_;
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != ',' && text_[end] != close && text_[end] != '\n' &&
           text_[end] != '=' && text_[end] != '{' && text_[end] != '"') {
      ++end;
    }
    if (end < text_.size() && (text_[end] == '=' || text_[end] == '{' || text_[end] == '"')) return false;
    std::size_t last = end;
    while (last > begin && blank(text_[last - 1])) --last;
    entry.key = std::string(text_.substr(begin, std::min(last - begin, kLongestName)));
    at_ = end;
    return !entry.key.empty();
  }

  /// One `name = value`; false when reading cannot go on inside this entry.
  bool field(BibEntry& entry) {
    const std::size_t begin = at_;
    const std::string field_name = name();
    skip_blanks();
    if (field_name.empty() || peek() != '=') {
      problem(line_of(begin), entry.key, "expected 'name = value'");
      return false;
    }
    ++at_;
    std::optional<std::string> content = value(line_of(begin), entry.key);
    if (!content) return false;
    if (entry.raw(field_name) != nullptr) {
      problem(line_of(begin), entry.key, "field '" + field_name + "' is given twice; the first one counts");
    } else if (entry.fields.size() < kMostFields) {
      entry.fields.emplace_back(field_name, std::move(*content));
    }
    skip_blanks();
    if (!ended() && peek() != ',' && peek() != '}' && peek() != ')') {
      problem(line_of(at_), entry.key, "a comma is missing after field '" + field_name + "'");
    }
    return true;
  }

  /// Parts joined by `#`; nothing when a part is not closed.
  std::optional<std::string> value(std::uint64_t line, const std::string& key) {
    std::string result;
    while (true) {
      skip_blanks();
      const std::optional<std::string> part = value_part(line, key);
      if (!part) return std::nullopt;
      if (result.size() + part->size() > kLongestValue) {
        problem(line, key, "a value is longer than 1 MiB and was cut");
      } else {
        result += *part;
      }
      skip_blanks();
      if (peek() != '#') return result;
      ++at_;
    }
  }

  std::optional<std::string> value_part(std::uint64_t line, const std::string& key) {
    if (peek() == '{') return delimited(line, key, '}');
    if (peek() == '"') return delimited(line, key, '"');
    const std::string word = name();
    if (word.empty()) {
      problem(line, key, "a value is missing");
      return std::nullopt;
    }
    if (std::all_of(word.begin(), word.end(), digit)) return word;
    const auto known = macros_.find(word);
    if (known == macros_.end()) {
      problem(line, key, "macro '" + word + "' is not defined");
      return word;
    }
    if (known->second.size() > budget_) {
      problem(line, key, "macros expand the file too much");
      return std::string();
    }
    budget_ -= known->second.size();
    return known->second;
  }

  /// Text between braces or quotes; braces nest in both.
  std::optional<std::string> delimited(std::uint64_t line, const std::string& key, char close) {
    const std::size_t begin = ++at_;
    std::size_t depth = 0;
    for (; !ended(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && c == close) {
        const std::string_view content = text_.substr(begin, at_ - begin);
        ++at_;
        return std::string(content);
      }
      if (c == '{') {
        ++depth;
      } else if (c == '}') {
        if (depth > 0) {
          --depth;
        } else {
          problem(line, key, "an unmatched closing brace");
        }
      } else if (c == '\n' && entry_begins(at_ + 1)) {
        break;
      }
    }
    problem(line, key, close == '"' ? "a quoted value is not closed" : "a braced value is not closed");
    return std::nullopt;
  }

  std::string_view text_;
  BibFile& file_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::uint64_t line_ = 1;
  std::size_t budget_;
  std::unordered_map<std::string, std::string> macros_;
};

/// Old files are in Latin-1 or Windows-1252: what is no UTF-8 is read so, byte by byte.
std::string repair_latin1(std::string_view text, std::size_t& repaired) {
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (decode(text, at) != kMalformed) {
      result.append(text.substr(begin, at - begin));
    } else {
      encode(windows_1252(static_cast<unsigned char>(text[begin])), result);
      ++repaired;
    }
  }
  return result;
}

}  // namespace

BibFile parse_bibtex(std::string_view text) {
  BibFile file;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::string repaired;
  if (!is_valid_utf8(text)) {
    repaired = repair_latin1(text, file.repaired_bytes);
    text = repaired;
  }
  Parser(text, file).run();
  return file;
}

}  // namespace mustcite::text
