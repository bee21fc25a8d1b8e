#include "core/text/normalise.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text/html.hpp"
#include "core/text/latex.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

bool ascii_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool word_byte(char c) noexcept {
  return ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// The ligature that a TeX font code stands for (old encoding 11-15, new one 27-31), or nothing.
std::string_view tex_ligature(unsigned code) noexcept {
  constexpr std::array<std::string_view, 5> ligatures{"ff", "fi", "fl", "ffi", "ffl"};
  if (code >= 11 && code <= 15) return ligatures[code - 11];
  if (code >= 27 && code <= 31) return ligatures[code - 27];
  return {};
}

/// Replaces what PDF extractors leave behind, character by character.
class CharacterPass {
 public:
  explicit CharacterPass(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '(' && cid()) continue;
      const std::size_t begin = at_;
      const char32_t code = decode(text_, at_);
      if (code >= 0x20 && code < 0x7F) {
        out_.push_back(static_cast<char>(code));
      } else {
        other(code, begin);
      }
    }
    return std::move(out_);
  }

 private:
  /// `(cid:173)`: a glyph without a name. 173 is the soft hyphen of a line break.
  bool cid() {
    constexpr std::string_view kMark = "(cid:";
    if (text_.substr(at_, kMark.size()) != kMark) return false;
    std::size_t end = at_ + kMark.size();
    unsigned code = 0;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9' && code < 100000) {
      code = code * 10 + static_cast<unsigned>(text_[end++] - '0');
    }
    if (end >= text_.size() || text_[end] != ')') return false;
    at_ = end + 1;
    if (code == 173) {
      skip_line_break();
    } else if (in_word()) {
      out_.append(tex_ligature(code));
    }
    return true;
  }

  [[nodiscard]] bool in_word() const {
    return !out_.empty() && ascii_letter(out_.back()) && at_ < text_.size() && lower(text_[at_]);
  }

  /// After a soft hyphen: the word goes on in the next line.
  void skip_line_break() {
    std::size_t next = at_;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\n' || text_[next] == '\r')) ++next;
    if (!out_.empty() && word_byte(out_.back()) && next < text_.size() && lower(text_[next])) at_ = next;
  }

  void other(char32_t code, std::size_t begin) {
    if (code == U'\t' || code == U'\n' || code == U'\r' || code == 0x85 || code == 0x2028 || code == 0x2029) {
      out_.push_back(' ');
    } else if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
      if (in_word() && (code == 0x0B || code == 0x0C || code == 0x0E || code == 0x0F))
        out_.append(tex_ligature(code));
    } else if (code == 0xAD) {
      const bool alone = !out_.empty() && out_.back() == ' ' && at_ < text_.size() && text_[at_] == ' ';
      if (alone) out_.push_back('-');  // between words it stood for a dash
      skip_line_break();
    } else if (code == 0xFFFD) {
      lost(begin);
    } else if (code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
               code == 0x205F || code == 0x3000) {
      out_.push_back(' ');
    } else if ((code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
               (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xE000 && code <= 0xF8FF) ||
               (code >= 0xFE00 && code <= 0xFE0F) || code >= 0xE0000) {
      return;  // zero-width, direction marks, variation selectors, private use
    } else if (code >= 0xFB00 && code <= 0xFB06) {
      constexpr std::array<std::string_view, 7> ligatures{"ff", "fi", "fl", "ffi", "ffl", "st", "st"};
      out_.append(ligatures[code - 0xFB00]);
    } else if (is_accent(code)) {
      accent(begin);
    } else {
      out_.append(text_.substr(begin, at_ - begin));
    }
  }

  /// A lost character before a final "s" was an apostrophe; elsewhere the mark stays, so that the loss is
  /// seen.
  void lost(std::size_t begin) {
    const bool genitive = !out_.empty() && ascii_letter(out_.back()) && at_ < text_.size() &&
                          text_[at_] == 's' && (at_ + 1 == text_.size() || !word_byte(text_[at_ + 1]));
    out_.append(genitive ? std::string_view("’") : text_.substr(begin, at_ - begin));
  }

  /// "a ̀" (accent after a space) and "ı̂" (accent over a dotless i) are extraction artefacts.
  void accent(std::size_t begin) {
    if (out_.size() >= 2 && out_.back() == ' ' && word_byte(out_[out_.size() - 2])) out_.pop_back();
    constexpr std::string_view kDotlessI = "ı";
    if (std::string_view(out_).ends_with(kDotlessI)) {
      out_.resize(out_.size() - kDotlessI.size());
      out_.push_back('i');
    }
    out_.append(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

/// Markdown emphasis: `**word**`, also inside words, and `*words*` between spaces or punctuation.
std::string strip_emphasis(std::string_view text) {
  if (text.find('*') == std::string_view::npos) return std::string(text);
  constexpr std::size_t kLongest = 300;
  std::string result;
  bool in_maths = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '$') in_maths = !in_maths;
    if (text[i] != '*' || in_maths) {
      result.push_back(text[i++]);
      continue;
    }
    const std::size_t width = text.substr(i, 2) == "**" ? 2 : 1;
    const std::size_t begin = i + width;
    const bool may_open = begin < text.size() && word_byte(text[begin]) &&
                          (width == 2 || i == 0 || text[i - 1] == ' ' || text[i - 1] == '(');
    const std::string_view rest = may_open ? text.substr(begin, kLongest) : std::string_view();
    const std::size_t close = rest.find(text.substr(i, width));
    const bool closes = close != std::string_view::npos && close > 0 && rest[close - 1] != ' ' &&
                        rest.substr(0, close).find_first_of("$*") == std::string_view::npos &&
                        (width == 2 || close + 1 >= rest.size() || !word_byte(rest[close + 1]));
    if (!closes) {
      result.append(text.substr(i, width));
      i = begin;
      continue;
    }
    result.append(rest.substr(0, close));
    i = begin + close + width;
  }
  return result;
}

/// Words whose hyphen stays when the line broke after it ("low- dimensional").
bool keeps_hyphen(std::string_view first, std::string_view second) noexcept {
  constexpr std::array<std::string_view, 34> firsts{
      "self",   "non",   "high",  "low",    "multi", "semi",  "real",  "large",  "small",
      "well",   "time",  "cross", "long",   "short", "end",   "state", "near",   "fine",
      "coarse", "zero",  "one",   "two",    "three", "few",   "first", "second", "third",
      "data",   "model", "task",  "domain", "deep",  "human", "graph"};
  constexpr std::array<std::string_view, 16> seconds{
      "based", "aware", "driven", "free",        "level", "specific", "wise",      "shot",
      "art",   "scale", "order",  "dimensional", "of",    "the",      "invariant", "dependent"};
  const auto among = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return among(firsts, first) || among(seconds, second);
}

/// "pre- and post-processing": the hyphen stands for a word to come.
bool is_conjunction(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 9> words{"and",  "or",     "to", "nor", "und",
                                                  "oder", "versus", "vs", "but"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Joins "rep- resentation" and folds white space. Only a hyphen between lower-case letters is one of a line
/// break.
std::string fold_spaces(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t word = 0;  // where the current word begins in `result`
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ') {
      result.push_back(text[i]);
      continue;
    }
    if (result.empty() || result.back() == ' ') continue;
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    const std::size_t size = result.size();
    if (size >= 2 && result.back() == '-' && lower(result[size - 2]) && i + 1 < text.size() &&
        lower(text[i + 1])) {
      std::size_t end = i + 1;
      while (end < text.size() && lower(text[end])) ++end;
      const std::string_view next = text.substr(i + 1, end - i - 1);
      const std::string_view first = std::string_view(result).substr(word, size - 1 - word);
      if (!is_conjunction(next)) {
        if (!keeps_hyphen(first, next)) result.pop_back();
        continue;
      }
    }
    result.push_back(' ');
    word = result.size();
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

bool needs_character_pass(std::string_view text) noexcept {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) return true;
  }
  return text.find("(cid:") != std::string_view::npos;
}

bool starts_with_any_case(std::string_view text, std::string_view start) noexcept {
  if (text.size() < start.size()) return false;
  return std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
    return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
  });
}

/// What sites print where there is no abstract.
bool is_boilerplate(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 12> whole{
      "download pdf",           "pdf",      "n/a",           "none", "no abstract", "no abstract available",
      "abstract not available", "abstract", "not available", "null", "[abstract]",  "international audience"};
  constexpr std::array<std::string_view, 3> starts{
      "no abstract available", "hal is a multi-disciplinary open access", "abstract not available"};
  while (!text.empty() && (text.back() == '.' || text.back() == '!')) text.remove_suffix(1);
  if (text.substr(0, 3) == "10." && text.find(' ') == std::string_view::npos) return true;  // a DOI alone
  for (const std::string_view phrase : whole) {
    if (text.size() == phrase.size() && starts_with_any_case(text, phrase)) return true;
  }
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view phrase) { return starts_with_any_case(text, phrase); });
}

/// Tables as CSV leave doubled quotation marks, and single ones around the whole field.
void undo_table_quotes(std::string& text) {
  for (std::size_t at = text.find("\"\""); at != std::string::npos; at = text.find("\"\"", at + 1))
    text.erase(at, 1);
  if (text.size() > 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"') &&
      text.find(text.front(), 1) == text.size() - 1) {
    text = text.substr(1, text.size() - 2);
  }
}

/// Bytes of a leading "Abstract" label with its punctuation; "Abstract reasoning is" has none.
std::size_t label_size(std::string_view text) noexcept {
  constexpr std::string_view kLabel = "abstract";
  if (!starts_with_any_case(text, kLabel)) return 0;
  std::size_t i = kLabel.size();
  std::size_t end = i;
  bool punctuated = false;
  while (end < text.size()) {
    if (text[end] == ' ') {
      ++end;
    } else if (text[end] == ':' || text[end] == '.' ||
               (text[end] == '-' && end > 0 && text[end - 1] != 't')) {
      punctuated = true;
      ++end;
    } else if (text.substr(end, 3) == "—" || text.substr(end, 3) == "–") {
      punctuated = true;
      end += 3;
    } else {
      break;
    }
  }
  if (punctuated) return end;
  if (end == i || end >= text.size()) return 0;
  if (text.substr(0, i) == "ABSTRACT") return end;
  constexpr std::array<std::string_view, 8> openings{"We ", "This ", "In ",  "The ",
                                                     "A ",  "An ",   "Our ", "It "};
  const std::string_view rest = text.substr(end);
  const bool opens = std::any_of(openings.begin(), openings.end(),
                                 [&](std::string_view word) { return rest.substr(0, word.size()) == word; });
  return opens ? end : 0;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result = is_valid_utf8(text) ? std::string(text) : repair_utf8(text);
  if (result.find_first_of("&<") != std::string::npos) result = html_to_text(result);
  if (!is_ascii(result)) {
    result = undo_mojibake(undo_mojibake(result));
  }
  if (needs_character_pass(result)) result = CharacterPass(result).run();
  if (result.find_first_of("\\{$~`-") != std::string::npos)
    result = latex_to_text(result, LatexSource::prose);
  result = strip_emphasis(result);
  return nfc(fold_spaces(result));
}

std::string clean_title(std::string_view text) {
  std::string title = clean(text);
  for (bool again = true; again;) {
    again = false;
    if (title.size() >= 2 && title.front() == '{' && title.back() == '}') {
      title = title.substr(1, title.size() - 2);
      again = true;
    }
    while (!title.empty() && title.back() == ' ') title.pop_back();
    const std::size_t last_word = title.rfind(' ') + 1;
    if (!title.empty() && title.back() == '.' && title.find('.', last_word) == title.size() - 1) {
      title.pop_back();
      again = true;
    }
  }
  return title;
}

std::string clean_abstract(std::string_view text) {
  std::string abstract = clean(text);
  abstract.erase(0, label_size(abstract));
  undo_table_quotes(abstract);
  return is_boilerplate(abstract) ? std::string() : abstract;
}

}  // namespace mustcite::text
