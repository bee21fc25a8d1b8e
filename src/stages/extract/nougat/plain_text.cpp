#include <algorithm>
#include <cctype>
#include <optional>

#include "core/text/normalise.hpp"
#include "stages/extract/nougat/markup.hpp"

namespace mustcite::extract::nougat {
namespace {

constexpr std::size_t kLongestFormula = 8000;
constexpr std::size_t kLongestLink = 800;

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// "12" or "3,7-9" of the formula "{}^{12}"; nothing for other formulas.
std::optional<std::string_view> raised_numbers(std::string_view formula) {
  const auto strip = [&](std::string_view mark) {
    if (formula.starts_with(mark)) formula.remove_prefix(mark.size());
  };
  while (!formula.empty() && formula.front() == ' ') formula.remove_prefix(1);
  while (!formula.empty() && formula.back() == ' ') formula.remove_suffix(1);
  strip("{}");
  if (!formula.starts_with("^")) return std::nullopt;
  formula.remove_prefix(1);
  if (formula.starts_with("{") && formula.ends_with("}")) {
    formula.remove_prefix(1);
    formula.remove_suffix(1);
  }
  const bool digits = !formula.empty() && std::isdigit(static_cast<unsigned char>(formula[0])) != 0;
  if (!digits || formula.find_first_not_of("0123456789,-– ") != std::string_view::npos) return std::nullopt;
  return formula;
}

class Writer {
 public:
  explicit Writer(PlainText& out) : out_(out) {}

  void write(std::string_view markup) {
    markup_ = markup;
    while (at_ < markup.size()) step();
  }

 private:
  void put(char c) {
    if (is_space(c)) {
      if (!out_.text.empty() && !is_space(out_.text.back())) out_.text += ' ';
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out_.text += c;
    }
  }

  void step() {
    const char c = markup_[at_];
    const std::string_view rest = markup_.substr(at_);
    if (rest.starts_with("\\(") || rest.starts_with("\\[")) {
      formula(rest[1] == '(' ? "\\)" : "\\]");
    } else if (c == '\\' && rest.size() > 1 && std::ispunct(static_cast<unsigned char>(rest[1])) != 0) {
      put(rest[1]);
      at_ += 2;
    } else if (c == '*' || (c == '_' && emphasis())) {
      ++at_;
    } else if (c == '[' && link()) {
      return;
    } else {
      put(c);
      ++at_;
    }
  }

  void formula(std::string_view closing) {
    std::size_t& next = closing == "\\)" ? next_inline_ : next_display_;
    // Looked for once each: openings that are never closed cost nothing more.
    if (next != std::string_view::npos && next < at_ + 2) next = markup_.find(closing, at_ + 2);
    const std::size_t close = next;
    if (close == std::string_view::npos || close - at_ > kLongestFormula) {
      put(markup_[at_]);
      ++at_;
      return;
    }
    const std::string_view inside = markup_.substr(at_ + 2, close - at_ - 2);
    if (const auto numbers = raised_numbers(inside)) {
      const std::size_t begin = out_.text.size();
      out_.text += *numbers;
      out_.raised.push_back({begin, out_.text.size()});
    } else {
      const std::size_t begin = out_.text.size();
      for (const char c : markup_.substr(at_, close + 2 - at_)) put(c);
      out_.formulas.push_back({begin, out_.text.size()});
    }
    at_ = close + 2;
  }

  /// Bounded, so that marks that are never closed cost no more than their number.
  std::size_t find_near(std::string_view mark, std::size_t from, std::size_t distance) const {
    const std::size_t at = markup_.substr(std::min(from, markup_.size()), distance).find(mark);
    return at == std::string_view::npos ? at : from + at;
  }

  /// An underscore at a word's edge sets italics; inside a word it belongs to it.
  bool emphasis() const {
    const bool before = at_ > 0 && is_word(markup_[at_ - 1]);
    const bool after = at_ + 1 < markup_.size() && is_word(markup_[at_ + 1]);
    return !(before && after);
  }

  /// "[text](address)".
  bool link() {
    const std::size_t close = find_near("](", at_, kLongestLink);
    if (close == std::string_view::npos) return false;
    if (markup_.substr(at_ + 1, close - at_ - 1).find('[') != std::string_view::npos) return false;
    const std::size_t end = find_near(")", close, kLongestLink);
    if (end == std::string_view::npos) return false;
    const std::string_view address = markup_.substr(close + 2, end - close - 2);
    // "[3](2017)" is no link.
    if (!address.starts_with("http") && !address.starts_with("#") && !address.starts_with("www"))
      return false;
    for (const char c : markup_.substr(at_ + 1, close - at_ - 1)) put(c);
    at_ = end + 1;
    return true;
  }

  PlainText& out_;
  std::string_view markup_;
  std::size_t at_ = 0;
  std::size_t next_inline_ = 0;   ///< the next "\\)" from `at_` on; npos: none
  std::size_t next_display_ = 0;  ///< the same of "\\]"
};

}  // namespace

void append_plain(std::string_view markup, PlainText& out) {
  Writer(out).write(markup);
}

std::string plain(std::string_view markup) {
  PlainText out;
  append_plain(markup, out);
  std::string text = std::move(out.text);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace mustcite::extract::nougat
