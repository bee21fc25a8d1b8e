#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/text/normalise.hpp"
#include "stages/extract/mentions.hpp"

namespace mustcite::extract {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

using Labels = std::unordered_map<int, std::uint32_t>;

Labels labels_of(const Document& document) {
  Labels labels;
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const std::string& label = document.references[i].label;
    if (!label.empty() && label.size() <= 4 && std::all_of(label.begin(), label.end(), is_digit))
      labels.try_emplace(std::stoi(label), static_cast<std::uint32_t>(i));
  }
  return labels;
}

/// Bytes of a dash at `at`: '-', '–', '—', '−'; 0 for none.
std::size_t dash_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == '-') return text.substr(at).starts_with("--") ? 2 : 1;
  for (const std::string_view dash : {"–", "—", "−"}) {
    if (text.substr(at).starts_with(dash)) return dash.size();
  }
  return 0;
}

/// One number or range of a bracket.
struct Item {
  Span span;
  int first = 0;
  int last = 0;
};

/// A note behind a number: "[12, Theorem 3]", "[4, p. 7]", "[see 3]".
bool is_note(std::string_view part) {
  static constexpr const char* kNotes[] = {
      "theorem",  "thm",  "lemma", "prop",    "cor",    "section",    "sec",   "chapter",
      "chap",     "ch.",  "page",  "p.",      "pp.",    "fig",        "table", "eq",
      "appendix", "app",  "def",   "example", "remark", "see",        "e.g",   "cf",
      "and ",     "for ", "alg",   "§",       "among",  "inter alia", "i.e",   "also"};
  const std::string lower = text::to_lower(part);
  return std::any_of(std::begin(kNotes), std::end(kNotes),
                     [&](const char* note) { return lower.starts_with(note); });
}

/// The items between two brackets, or nothing when it holds anything but numbers, ranges and notes.
std::optional<std::vector<Item>> items_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Item> items;
  std::size_t at = begin;
  while (at < end) {
    while (at < end && (text[at] == ' ' || text[at] == '\n' || text[at] == ',' || text[at] == ';')) ++at;
    if (at >= end) break;
    if (!is_digit(text[at])) {
      const std::size_t stop = std::min({text.find(',', at), text.find(';', at), end});
      const std::string_view part = text.substr(at, stop - at);
      // Behind a number any words may stand ("[16, ADA]"), a single letter is a variable ("[1, n]").
      const bool words = !items.empty() && is_letter(part[0]) && part.size() >= 2 && is_letter(part[1]);
      if ((!is_note(part) && !words) || part.size() > 50) return std::nullopt;
      // "see 3", "and 5": the number behind the word counts; a note behind a number does not.
      const std::size_t digit = part.find_first_of("0123456789");
      const std::string lower = text::to_lower(part.substr(0, 4));
      const bool leads = lower.starts_with("see") || lower.starts_with("e.g") || lower.starts_with("cf") ||
                         lower.starts_with("and") || lower.starts_with("also");
      at = leads && digit != std::string_view::npos ? at + digit : stop;
      continue;
    }
    Item item;
    item.span.begin = at;
    std::size_t digits = at;
    while (digits < end && is_digit(text[digits])) ++digits;
    if (digits - at > 4) return std::nullopt;
    item.first = item.last = std::stoi(std::string(text.substr(at, digits - at)));
    at = digits;
    std::size_t after = at;
    while (after < end && text[after] == ' ') ++after;
    if (const std::size_t dash = dash_at(text, after); dash != 0) {
      std::size_t second = after + dash;
      while (second < end && text[second] == ' ') ++second;
      digits = second;
      while (digits < end && is_digit(text[digits])) ++digits;
      if (digits == second || digits - second > 4) return std::nullopt;
      item.last = std::stoi(std::string(text.substr(second, digits - second)));
      at = digits;
    }
    item.span.end = at;
    if (at < end && (is_letter(text[at]) || text[at] == '.' || text[at] == '%')) return std::nullopt;
    if (item.last < item.first || item.last - item.first > 60) return std::nullopt;
    items.push_back(item);
  }
  if (items.empty()) return std::nullopt;
  return items;
}

std::string word_before(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '.')) --at;
  std::size_t begin = at;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  return text::to_lower(text.substr(begin, at - begin));
}

/// Maths: "x ∈ [0, 1]", "the interval [1, 2]", "A[3]", "[1, 5]^d".
bool looks_like_maths(std::string_view text, std::size_t open, std::size_t close,
                      const std::vector<Item>& items, const std::vector<Span>& raised) {
  std::size_t before = open;
  while (before > 0 && text[before - 1] == ' ') --before;
  const std::string_view head = text.substr(0, before);
  for (const std::string_view sign :
       {"∈", "⊂", "⊆", "×", "=", "≤", "≥", "<", ">", "+", "∩", "∪", "→", "∼", "\\in", "∖"}) {
    if (head.ends_with(sign)) return true;
  }
  const std::string word = word_before(text, open);
  const bool pair = items.size() == 2 && items[0].first == items[0].last && items[1].first == items[1].last &&
                    items[0].first < items[1].first;
  if (word.starts_with("eqn") || word.starts_with("equation") || word == "eq" || word == "eqs") return true;
  if (word == "interval" || word == "intervals" || word == "range" || word == "ranges" || word == "segment" ||
      word == "domain")
    return pair || items.size() == 1;
  if (before == open && open > 0) {
    // An index: "x[1]", "w2[3]"; but "method[3]" is a marker without its space.
    std::size_t begin = open;
    while (begin > 0 && (is_letter(text[begin - 1]) || is_digit(text[begin - 1]) || text[begin - 1] == '_'))
      --begin;
    const std::string_view glued = text.substr(begin, open - begin);
    if (!glued.empty() &&
        (glued.size() <= 2 || std::any_of(glued.begin(), glued.end(), [](char c) { return c == '_'; })))
      return true;
  }
  if (pair) {
    const auto next = std::lower_bound(raised.begin(), raised.end(), close + 1,
                                       [](const Span& span, std::size_t at) { return span.begin < at; });
    if (next != raised.end() && next->begin == close + 1) return true;
    if (close + 1 < text.size() && text[close + 1] == '^') return true;
  }
  return false;
}

class NumericFinder {
 public:
  NumericFinder(const Document& document, TextMentions& out)
      : text_(document.text), labels_(labels_of(document)), out_(out) {}

  /// Adds one mention an item; all or nothing: a bracket with an unknown number is no citation of this list.
  bool add(const std::vector<Item>& items, double confidence, std::uint8_t evidence) {
    std::vector<Mention> mentions;
    for (const auto& item : items) {
      Mention mention;
      mention.span = item.span;
      mention.group = group_;
      mention.confidence = confidence;
      mention.evidence = evidence;
      if (!labels_.contains(item.first) || !labels_.contains(item.last)) return false;
      for (int number = item.first; number <= item.last; ++number) {
        if (const auto at = labels_.find(number); at != labels_.end())
          mention.references.push_back(at->second);
      }
      std::sort(mention.references.begin(), mention.references.end());
      mentions.push_back(std::move(mention));
    }
    out_.mentions.insert(out_.mentions.end(), mentions.begin(), mentions.end());
    ++group_;
    return true;
  }

  void brackets(const std::vector<Span>& raised) {
    std::size_t last_close = 0;
    int last_number = 0;
    for (std::size_t open = text_.find('['); open != std::string_view::npos;
         open = text_.find('[', open + 1)) {
      const std::size_t close = text_.find(']', open);
      if (close == std::string_view::npos) break;
      if (close - open > 160 || text_.find('[', open + 1) < close) continue;
      auto items = items_of(text_, open + 1, close);
      if (!items || looks_like_maths(text_, open, close, *items, raised)) continue;
      // "[3]–[7]": the second bracket takes what lies between.
      if (last_close != 0 && items->size() == 1) {
        std::size_t at = last_close + 1;
        while (at < open && text_[at] == ' ') ++at;
        const std::size_t dash = dash_at(text_, at);
        if (dash != 0 &&
            text_.substr(at + dash, open - at - dash).find_first_not_of(' ') == std::string_view::npos &&
            items->front().first > last_number && items->front().first - last_number <= 60)
          items->front().first = last_number + 1;
      }
      if (add(*items, 0.97, static_cast<std::uint8_t>(Evidence::label))) {
        last_close = close;
        last_number = items->back().last;
      } else {
        last_close = 0;
        const bool zero =
            std::any_of(items->begin(), items->end(), [](const Item& item) { return item.first == 0; });
        if (!zero) out_.unlinked.push_back({open, close + 1});
      }
    }
  }

  void superscripts(const std::vector<Span>& raised) {
    for (const auto& span : raised) {
      if (span.begin == 0) continue;
      const char before = text_[span.begin - 1];
      // Behind a digit or a single letter it is an exponent.
      const bool word =
          span.begin >= 2 &&
          (is_letter(before) || before == '.' || before == ',' || before == ')' || before == ';') &&
          !is_digit(before);
      if (!word) continue;
      if (is_letter(before) && (span.begin < 3 || !is_letter(text_[span.begin - 2]))) continue;
      auto items = items_of(text_, span.begin, span.end);
      if (items)
        add(*items, 0.85,
            static_cast<std::uint8_t>(static_cast<std::uint8_t>(Evidence::label) |
                                      static_cast<std::uint8_t>(Evidence::superscript)));
    }
  }

  void parentheses() {
    for (std::size_t open = text_.find('('); open != std::string_view::npos;
         open = text_.find('(', open + 1)) {
      const std::size_t close = text_.find(')', open);
      if (close == std::string_view::npos) break;
      if (close - open > 60) continue;
      const std::string word = word_before(text_, open);
      if (word.starts_with("eq") || word == "problem" || word == "constraint" || word == "condition" ||
          word == "and" || word == "to" || word == "formula")
        continue;
      auto items = items_of(text_, open + 1, close);
      if (items) add(*items, 0.7, static_cast<std::uint8_t>(Evidence::label));
    }
  }

 private:
  std::string_view text_;
  Labels labels_;
  TextMentions& out_;
  std::uint32_t group_ = 0;
};

}  // namespace

void find_numeric(const Document& document, const std::vector<Span>& raised, TextMentions& out) {
  NumericFinder(document, out).brackets(raised);
  if (coverage(document, out.mentions) >= 0.25) return;
  // Superscripts and parentheses hold many other numbers: they count only when they name most of the list.
  for (const bool superscripts : {true, false}) {
    TextMentions other;
    NumericFinder finder(document, other);
    if (superscripts)
      finder.superscripts(raised);
    else
      finder.parentheses();
    if (coverage(document, other.mentions) >= 0.6 && document.references.size() >= 8) {
      out = std::move(other);
      return;
    }
  }
}

void find_tags(const Document& document, TextMentions& out) {
  std::map<std::string, std::uint32_t> tags;
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    std::string key = text::fold(document.references[i].label);
    key.erase(std::remove(key.begin(), key.end(), ' '), key.end());
    if (!key.empty()) tags.try_emplace(key, static_cast<std::uint32_t>(i));
  }
  const std::string_view text = document.text;
  std::uint32_t group = 0;
  for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) break;
    if (close - open > 300) continue;
    std::vector<Mention> mentions;
    std::size_t at = open + 1;
    while (at < close) {
      const std::size_t stop = std::min({text.find(',', at), text.find(';', at), close});
      std::size_t begin = at;
      std::size_t end = stop;
      while (begin < end && (text[begin] == ' ' || text[begin] == '\n')) ++begin;
      while (end > begin && text[end - 1] == ' ') --end;
      std::string key = text::fold(text.substr(begin, end - begin));
      key.erase(std::remove(key.begin(), key.end(), ' '), key.end());
      if (const auto tag = tags.find(key); tag != tags.end()) {
        Mention mention;
        mention.span = {begin, end};
        mention.references = {tag->second};
        mention.group = group;
        mention.confidence = 0.97;
        mention.evidence = static_cast<std::uint8_t>(Evidence::label);
        mentions.push_back(std::move(mention));
      }
      at = stop + 1;
    }
    if (mentions.empty()) continue;
    out.mentions.insert(out.mentions.end(), mentions.begin(), mentions.end());
    ++group;
  }
}

}  // namespace mustcite::extract
