// Selectors of Element: parsed for each question, which costs less than reading one page.
#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "stages/collect/html/document.hpp"

namespace mustcite::collect::html {
namespace {

enum class Test { present, equal, contains, starts, has_class };

struct Condition {
  std::string name;
  std::string value;
  Test test = Test::present;
};

/// What one element must be; `child`: its parent must match the part before, not only some ancestor.
struct Part {
  std::string tag;
  std::vector<Condition> conditions;
  bool child = false;
};

using Chain = std::vector<Part>;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

class SelectorReader {
 public:
  explicit SelectorReader(std::string_view text) : text_(text) {}

  std::vector<Chain> read() {
    std::vector<Chain> chains(1);
    bool child = false;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      if (text_[at_] == ',') {
        ++at_;
        chains.emplace_back();
      } else if (text_[at_] == '>') {
        ++at_;
        child = true;
      } else {
        chains.back().push_back(part(child));
        child = false;
      }
    }
    return chains;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) fail(ErrorCode::internal, "selector '{}': a name is missing", text_);
    return std::string(text_.substr(begin, at_ - begin));
  }

  Condition bracket() {
    Condition condition{name(), {}, Test::present};
    const std::size_t close = text_.find(']', at_);
    if (close == std::string_view::npos) fail(ErrorCode::internal, "selector '{}': no ]", text_);
    std::string_view rest = text_.substr(at_, close - at_);
    at_ = close + 1;
    if (rest.empty()) return condition;
    condition.test = rest[0] == '*' ? Test::contains : rest[0] == '^' ? Test::starts : Test::equal;
    condition.value = rest.substr(rest.find('=') + 1);
    return condition;
  }

  Part part(bool child) {
    Part made;
    made.child = child;
    if (is_name(text_[at_])) {
      made.tag = name();
    } else if (text_[at_] == '*') {
      ++at_;
    }
    while (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '#' || text_[at_] == '[')) {
      const char kind = text_[at_++];
      if (kind == '[') {
        made.conditions.push_back(bracket());
      } else if (kind == '.') {
        made.conditions.push_back({"class", name(), Test::has_class});
      } else {
        made.conditions.push_back({"id", name(), Test::equal});
      }
    }
    if (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '>' && text_[at_] != ',')
      fail(ErrorCode::internal, "selector '{}': {} is not understood", text_, text_[at_]);
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool holds(const Element& element, const Condition& condition) {
  const std::string_view value = element.attribute(condition.name);
  switch (condition.test) {
    case Test::present:
      return element.has_attribute(condition.name);
    case Test::equal:
      return value == condition.value;
    case Test::contains:
      return value.find(condition.value) != std::string_view::npos;
    case Test::starts:
      return value.starts_with(condition.value);
    case Test::has_class:
      break;
  }
  return element.has_class(condition.value);
}

bool is(const Element& element, const Part& part) {
  if (!part.tag.empty() && element.tag() != part.tag) return false;
  return std::all_of(part.conditions.begin(), part.conditions.end(),
                     [&](const Condition& condition) { return holds(element, condition); });
}

/// Whether the parts before `last` are found above the element. The nearest match is taken first; a chain has
/// few parts, so trying on is cheap.
bool is_below(const Element& element, const Chain& chain, std::size_t last) {
  if (last == 0) return true;
  for (Element above = element.parent(); above; above = above.parent()) {
    if (is(above, chain[last - 1]) && is_below(above, chain, last - 1)) return true;
    if (chain[last].child) return false;
  }
  return false;
}

bool is_one_of(const Element& element, const std::vector<Chain>& chains) {
  return std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) {
    return !chain.empty() && is(element, chain.back()) && is_below(element, chain, chain.size() - 1);
  });
}

}  // namespace

std::vector<Element> Element::all(std::string_view selector) const {
  std::vector<Element> found;
  if (document_ == nullptr) return found;
  const std::vector<Chain> chains = SelectorReader(selector).read();
  for (std::uint32_t i = index_ + 1; i < node().end; ++i) {
    if (document_->nodes()[i].tag.empty()) continue;
    const Element candidate(*document_, i);
    if (is_one_of(candidate, chains)) found.push_back(candidate);
  }
  return found;
}

Element Element::first(std::string_view selector) const {
  if (document_ == nullptr) return {};
  const std::vector<Chain> chains = SelectorReader(selector).read();
  for (std::uint32_t i = index_ + 1; i < node().end; ++i) {
    if (document_->nodes()[i].tag.empty()) continue;
    const Element candidate(*document_, i);
    if (is_one_of(candidate, chains)) return candidate;
  }
  return {};
}

bool Element::matches(std::string_view selector) const {
  return document_ != nullptr && is_one_of(*this, SelectorReader(selector).read());
}

}  // namespace mustcite::collect::html
