#include <algorithm>
#include <cctype>

#include "core/text/normalise.hpp"
#include "stages/extract/tei/tei.hpp"

namespace mustcite::extract::tei {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// How a section number places its heading: "4.2" is 2 deep, "IV" 1, "B" depends on the numbers beside it.
enum class Numbering { none, digits, roman, letter };

Numbering numbering_of(std::string_view number) {
  while (!number.empty() && (number.back() == '.' || number.back() == ')')) number.remove_suffix(1);
  if (number.empty()) return Numbering::none;
  if (std::isdigit(static_cast<unsigned char>(number[0])) != 0) return Numbering::digits;
  if (number.find_first_not_of("IVX") == std::string_view::npos) return Numbering::roman;
  return std::isupper(static_cast<unsigned char>(number[0])) != 0 ? Numbering::letter : Numbering::none;
}

/// "IV." of "IV. RELATED WORK": the number that GROBID left in the heading.
std::string number_of(std::string_view words) {
  const std::size_t space = words.find(' ');
  if (space == std::string_view::npos || space < 2 || space > 8) return {};
  const std::string_view first = words.substr(0, space);
  const bool dotted = first.back() == '.' && numbering_of(first) != Numbering::none;
  const bool shaped =
      first.find_first_not_of("0123456789.IVX") == std::string_view::npos || first.size() == 2;
  return dotted && shaped ? std::string(first) : std::string();
}

int parts_of(std::string_view number) {
  while (!number.empty() && number.back() == '.') number.remove_suffix(1);
  return 1 + static_cast<int>(std::count(number.begin(), number.end(), '.'));
}

/// Builds the text, one paragraph after another.
class Builder {
 public:
  explicit Builder(Body& body) : body_(body) {}

  void add(std::string_view value) {
    const std::string clean = text::nfc(text::repair_utf8(value));
    for (const char c : clean) {
      if (is_space(c)) {
        space_ = true;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) continue;
      settle();
      body_.text += c;
      empty_ = false;
    }
  }
  /// Where the next character will stand.
  std::size_t here() {
    settle();
    return body_.text.size();
  }
  void end_paragraph() {
    if (empty_) return;
    empty_ = true;
    space_ = false;
    breaks_ = true;
  }
  void begin_section(std::string heading, int level) {
    end_paragraph();
    if (breaks_) body_.text += "\n\n";
    breaks_ = false;
    const std::size_t begin = body_.text.size();
    if (body_.sections.empty() && begin > 0) {
      body_.sections.push_back({"", {}, SectionKind::other, {0, begin}});
      body_.levels.push_back(1);
    }
    if (!body_.sections.empty()) body_.sections.back().span.end = begin;
    body_.sections.push_back({heading, {}, SectionKind::other, {begin, begin}});
    body_.levels.push_back(level);
    if (heading.empty()) return;
    body_.text += heading;
    empty_ = false;
    end_paragraph();
  }
  void finish() {
    end_paragraph();
    if (body_.sections.empty()) {
      body_.sections.push_back({});
      body_.levels.push_back(1);
    }
    body_.sections.back().span.end = body_.text.size();
  }
  [[nodiscard]] bool no_sections() const { return body_.sections.empty(); }

 private:
  /// Puts what stands between the last character and the next one.
  void settle() {
    if (breaks_) body_.text += "\n\n";
    if (space_ && !empty_ && !breaks_) body_.text += ' ';
    breaks_ = space_ = false;
  }

  Body& body_;
  bool empty_ = true;   ///< the paragraph
  bool space_ = false;  ///< stands before the next character
  bool breaks_ = false;
};

/// Brackets and separators around a mark are no part of it.
Span bare(std::string_view text, Span span) {
  const auto drop_front = [](char c) { return c == '(' || c == '[' || c == ' ' || c == ',' || c == ';'; };
  const auto drop_back = [](char c) { return c == ')' || c == ']' || c == ' ' || c == ',' || c == ';'; };
  while (span.begin < span.end && drop_front(text[span.begin])) ++span.begin;
  while (span.end > span.begin && drop_back(text[span.end - 1])) --span.end;
  return span;
}

class Reader {
 public:
  explicit Reader(Body& body) : body_(body), out_(body) {}

  void read(const pugi::xml_node& root) {
    const pugi::xml_node text = root.child("text");
    const pugi::xml_node abstract = root.child("teiHeader").child("profileDesc").child("abstract");
    if (!text_of(abstract).empty()) {
      out_.begin_section("Abstract", 1);
      blocks(abstract, 0);
      // Text before the first heading is no part of the abstract.
      if (!begins_with_heading(text.child("body"))) out_.begin_section({}, 1);
    }
    roman_ = has_roman(text.child("body"));
    blocks(text.child("body"), 0);
    blocks(text.child("back"), 0);
    if (!floats_.empty()) {
      if (!out_.no_sections()) out_.begin_section({}, 1);
      for (const auto& node : floats_) float_text(node);
    }
    out_.finish();
  }

 private:
  static bool begins_with_heading(const pugi::xml_node& part) {
    pugi::xml_node first = part;
    do {
      first =
          first.find_child([](const pugi::xml_node& child) { return child.type() == pugi::node_element; });
    } while (is(first, "div"));
    return is(first, "head") || !first;
  }

  static bool has_roman(const pugi::xml_node& part) {
    int found = 0;
    for (const pugi::xml_node& div : part.children("div")) {
      const pugi::xml_node head = div.child("head");
      std::string number = head.attribute("n").value();
      if (number.empty()) number = number_of(text_of(head));
      // "C." is a letter as well: "II" and "IV" are not.
      if (numbering_of(number) == Numbering::roman && parts_of(number) == 1 && number.size() > 1) ++found;
    }
    return found >= 2;
  }

  void blocks(const pugi::xml_node& node, int depth) {
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        out_.add(child.value());  // text outside a paragraph
        continue;
      }
      if (child.type() != pugi::node_element || depth > kDeepest) continue;
      if (is(child, "listBibl")) continue;
      if (is(child, "figure") || is(child, "note")) {
        floats_.push_back(child);
      } else if (is(child, "head")) {
        heading(child);
      } else if (is(child, "p") || is(child, "formula") || is(child, "item") || is(child, "ab")) {
        out_.end_paragraph();
        inline_text(child, depth + 1);
        out_.end_paragraph();
      } else if (is(child, "s") || is(child, "ref")) {
        inline_node(child, depth + 1);
      } else {
        out_.end_paragraph();
        blocks(child, depth + 1);
        out_.end_paragraph();
      }
    }
  }

  void heading(const pugi::xml_node& head) {
    std::string number = text::clean(head.attribute("n").value());
    const std::string words = text_of(head);
    if (words.empty()) return;
    if (number.empty()) number = number_of(words);
    const std::string printed = number.empty() || words.starts_with(number) ? words : number + " " + words;
    out_.begin_section(printed, level_of(number, words));
  }

  int level_of(const std::string& number, const std::string& words) {
    switch (numbering_of(number)) {
      case Numbering::roman:
        return numbered_ = roman_ ? 1 : parts_of(number);
      case Numbering::digits:
        return numbered_ = parts_of(number) + (roman_ ? 2 : 0);
      case Numbering::letter:
        return numbered_ = parts_of(number) + (roman_ ? 1 : 0);
      case Numbering::none:
        break;
    }
    // Between numbered sections a heading without a number is a run-in one, unless it names a part of its
    // own.
    const SectionKind kind = kind_of_heading(words);
    const bool part = kind == SectionKind::conclusion || kind == SectionKind::appendix ||
                      kind == SectionKind::introduction || words.starts_with("Acknowledg") ||
                      words.starts_with("ACKNOWLEDG") || words.starts_with("Limitations") ||
                      words.starts_with("Ethic");
    if (part) numbered_ = 0;
    return numbered_ == 0 ? 1 : numbered_ + 1;
  }

  void inline_text(const pugi::xml_node& node, int depth) {
    for (const pugi::xml_node& child : node.children()) inline_node(child, depth);
  }

  void inline_node(const pugi::xml_node& child, int depth) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      out_.add(child.value());
      return;
    }
    if (child.type() != pugi::node_element || depth > kDeepest) return;
    if (!is(child, "ref") || std::string_view(child.attribute("type").value()) != "bibr") {
      inline_text(child, depth + 1);
      return;
    }
    Mark mark;
    mark.span.begin = out_.here();
    inline_text(child, depth + 1);
    mark.span.end = body_.text.size();
    mark.span = bare(body_.text, mark.span);
    std::string_view targets = child.attribute("target").value();
    while (!targets.empty()) {
      const std::size_t end = std::min(targets.find(' '), targets.size());
      std::string_view one = targets.substr(0, end);
      if (one.starts_with("#")) one.remove_prefix(1);
      if (!one.empty()) mark.targets.emplace_back(one);
      targets.remove_prefix(std::min(targets.size(), end + 1));
    }
    mark.box = place_of(child);
    if (mark.span.begin < mark.span.end) body_.marks.push_back(std::move(mark));
  }

  /// A caption with its table, or a note.
  void float_text(const pugi::xml_node& node) {
    if (is(node, "note")) {
      inline_text(node, 0);
      out_.end_paragraph();
      return;
    }
    for (const pugi::xml_node& part : node.children()) {
      if (is(part, "head") || is(part, "figDesc")) {
        inline_text(part, 0);
        out_.add(" ");
      }
    }
    out_.end_paragraph();
    for (const pugi::xml_node& row : node.child("table").children("row")) {
      for (const pugi::xml_node& cell : row.children("cell")) {
        inline_text(cell, 0);
        out_.add(" ");
      }
      out_.end_paragraph();
    }
    out_.end_paragraph();
  }

  Body& body_;
  Builder out_;
  std::vector<pugi::xml_node> floats_;
  bool roman_ = false;
  int numbered_ = 0;  ///< level of the last heading with a number; 0: none yet
};

}  // namespace

Body read_body(const pugi::xml_node& root) {
  Body body;
  Reader(body).read(root);
  return body;
}

}  // namespace mustcite::extract::tei
