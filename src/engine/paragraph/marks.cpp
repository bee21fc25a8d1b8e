#include "engine/paragraph/marks.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace mustcite::paragraph {
namespace {

constexpr std::size_t kLongestBracket = 400;
constexpr std::size_t kLongestName = 40;

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}
/// Letters of any script: bytes beyond ASCII belong to some character that is no mark of ours.
bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Mark> run() {
    while (at_ < text_.size()) {
      if (const auto mark = mark_here()) {
        marks_.push_back(*mark);
        at_ = mark->end;
      } else {
        skip();
      }
    }
    return std::move(marks_);
  }

 private:
  [[nodiscard]] char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  [[nodiscard]] bool starts(std::size_t at, std::string_view word) const {
    return text_.substr(std::min(at, text_.size())).starts_with(word);
  }
  [[nodiscard]] std::size_t behind_spaces(std::size_t at) const {
    while (at < text_.size() && text_[at] == ' ') ++at;
    return at;
  }

  /// To the next place where a mark can begin.
  void skip() {
    const char c = text_[at_];
    if (!letter(c) && !digit(c)) {
      ++at_;
      return;
    }
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]))) ++at_;
  }

  [[nodiscard]] std::optional<Mark> mark_here() const {
    const char c = text_[at_];
    if (c == '[') return square();
    if (c == '(') return round();
    if (upper(c) || static_cast<unsigned char>(c) >= 0x80) return named();
    if (const auto end = year(at_)) return Mark{at_, *end, MarkForm::year, 0};
    return std::nullopt;
  }

  /// Behind a year from 1900 to 2099 with its letter; nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> year(std::size_t at) const {
    if (!starts(at, "19") && !starts(at, "20")) return std::nullopt;
    if (!digit(peek(at + 2)) || !digit(peek(at + 3)) ||
        (at > 0 && (digit(text_[at - 1]) || letter(text_[at - 1]))))
      return std::nullopt;
    std::size_t end = at + 4;
    const char next = peek(end);
    if (next >= 'a' && next <= 'f' && !letter(peek(end + 1)) && !digit(peek(end + 1))) return end + 1;
    return digit(next) || letter(next) ? std::nullopt : std::optional(end);
  }

  /// Where the bracket that opens at `at` closes; nothing when another opens first or it is long.
  [[nodiscard]] std::optional<std::size_t> closing(std::size_t at, char open, char close) const {
    const std::size_t limit = std::min(text_.size(), at + kLongestBracket);
    for (std::size_t i = at + 1; i < limit; ++i) {
      if (text_[i] == close) return i;
      if (text_[i] == open) return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t years_in(std::size_t begin, std::size_t end) const {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end;) {
      const auto behind = year(i);
      count += behind ? 1 : 0;
      i = behind ? *behind : i + 1;
    }
    return count;
  }

  /// [3], [3, 5-7], [KPR+17]: numbers of up to three digits, or letters with a short year.
  [[nodiscard]] std::size_t labels_in(std::string_view inner) const {
    std::size_t count = 0;
    std::size_t digits = 0;
    std::size_t letters = 0;
    const auto finish = [&] {
      const bool number = digits >= 1 && digits <= 3 && letters == 0;
      const bool tag = digits == 2 && letters >= 1 && letters <= 6;
      const bool fine = digits + letters == 0 || number || tag;
      count += number || tag ? 1 : 0;
      digits = letters = 0;
      return fine;
    };
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const char c = inner[i];
      if (digit(c)) {
        ++digits;
      } else if (inner.substr(i).starts_with("\xE2\x80\x93")) {  // an en dash
        i += 2;
        if (!finish()) return 0;
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '+') {
        ++letters;
      } else if (c == ',' || c == ';' || c == '-' || c == ' ') {
        if (!finish()) return 0;
      } else {
        return 0;
      }
    }
    return finish() ? count : 0;
  }

  [[nodiscard]] std::optional<Mark> square() const {
    const auto close = closing(at_, '[', ']');
    if (!close) return std::nullopt;
    if (const std::size_t labels = labels_in(text_.substr(at_ + 1, *close - at_ - 1)); labels > 0)
      return Mark{at_, *close + 1, MarkForm::label, labels};
    if (const std::size_t years = years_in(at_ + 1, *close); years > 0)
      return Mark{at_, *close + 1, MarkForm::bracketed, years};
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Mark> round() const {
    const auto close = closing(at_, '(', ')');
    if (!close) return std::nullopt;
    const std::size_t years = years_in(at_ + 1, *close);
    if (years == 0) return std::nullopt;
    const auto inner = text_.substr(at_ + 1, *close - at_ - 1);
    const bool names = std::any_of(inner.begin(), inner.end(), upper);
    return Mark{at_, *close + 1, names ? MarkForm::bracketed : MarkForm::year, names ? years : 0};
  }

  /// Behind a capitalised word; nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> name(std::size_t at) const {
    const char first = peek(at);
    if (!upper(first) && static_cast<unsigned char>(first) < 0x80) return std::nullopt;
    std::size_t end = at;
    while (end < text_.size() && end - at < kLongestName &&
           (letter(text_[end]) || ((text_[end] == '\'' || text_[end] == '-') && letter(peek(end + 1)))))
      ++end;
    if (text_.substr(at, end - at).ends_with("'s")) end -= 2;
    return end == at || (end - at == 1 && first != 'O') ? std::nullopt : std::optional(end);
  }

  /// "(2015)", "2015", "(2015; 2016)", "[12]" behind names; the end and how many works.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> date(std::size_t at) const {
    if (starts(at, "'s")) at += 2;
    at = behind_spaces(at);
    if (peek(at) == ',') at = behind_spaces(at + 1);
    if (const auto end = year(at)) return std::pair(*end, std::size_t{1});
    const char open = peek(at);
    if (open != '(' && open != '[') return std::nullopt;
    const auto close = closing(at, open, open == '(' ? ')' : ']');
    if (!close) return std::nullopt;
    const auto inner = text_.substr(at + 1, *close - at - 1);
    if (open == '[') {
      const std::size_t labels = labels_in(inner);
      return labels == 0 ? std::nullopt : std::optional(std::pair(*close + 1, labels));
    }
    const std::size_t years = years_in(at + 1, *close);
    if (years == 0 || std::any_of(inner.begin(), inner.end(), upper)) return std::nullopt;
    return std::pair(*close + 1, years);
  }

  /// A list of names: "A", "A and B", "A, B and C", "A et al."; where it ends and whether it says et al.
  struct Names {
    std::size_t end = 0;
    bool et_al = false;
    bool several = false;
  };
  [[nodiscard]] std::optional<Names> names(std::size_t at) const {
    auto end = name(at);
    if (!end) return std::nullopt;
    Names list{*end, false, false};
    for (int i = 0; i < 5; ++i) {
      std::size_t next = behind_spaces(list.end);
      if (starts(next, "et al")) {
        next += 5;
        list.end = peek(next) == '.' ? next + 1 : next;
        list.et_al = true;
        return list;
      }
      if (peek(next) == ',') next = behind_spaces(next + 1);
      if (starts(next, "and ")) next = behind_spaces(next + 4);
      if (starts(next, "& ")) next = behind_spaces(next + 2);
      if (next == behind_spaces(list.end)) break;  // neither a comma nor a word between
      end = name(next);
      if (!end) break;
      list.end = *end;
      list.several = true;
    }
    return list;
  }

  [[nodiscard]] std::optional<Mark> named() const {
    if (at_ > 0 && letter(text_[at_ - 1])) return std::nullopt;
    const auto list = names(at_);
    if (!list) return std::nullopt;
    const auto when = date(list->end);
    if (when) {
      // A label behind one capitalised word ("GloVe [12]") names no author.
      const bool label = text_[when->first - 1] == ']';
      if (label && !list->et_al) return std::nullopt;
      // "Since 2015" does not either.
      if (!list->et_al && !list->several && text_[when->first - 1] != ')') return std::nullopt;
      return Mark{at_, when->first, MarkForm::named, when->second};
    }
    if (list->et_al) return Mark{at_, list->end, MarkForm::named, 1};
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace

std::vector<Mark> find_marks(std::string_view text) {
  return Scanner(text).run();
}

std::string masked(std::string_view text) {
  std::string kept;
  std::size_t at = 0;
  for (const Mark& mark : find_marks(text)) {
    kept += text.substr(at, mark.begin - at);
    kept += ' ';
    at = mark.end;
  }
  kept += text.substr(at);
  std::string out;
  for (const char c : kept) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (out.empty() || out.back() == ' ')) continue;
    if ((c == ',' || c == ';') && out.empty()) continue;
    if ((c == ',' || c == '.' || c == ';') && !out.empty() && out.back() == ' ') out.pop_back();
    out += space ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace mustcite::paragraph
