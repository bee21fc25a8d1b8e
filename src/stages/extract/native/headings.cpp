#include "stages/extract/native/headings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"
#include "stages/extract/document.hpp"

namespace mustcite::extract::native {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

/// The number a heading begins with: its depth, and where the words begin. Depth 0: none.
struct Number {
  int depth = 0;
  std::size_t end = 0;
  char style = 0;  ///< '1', 'I' or 'A'
  int first = 0;   ///< value of the first component
};

Number number_of(const std::string& text) {
  Number number;
  std::size_t at = 0;
  if (text.empty()) return number;
  if (is_digit(text[0])) {
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at > 2) return {};
    number.first = std::stoi(text.substr(0, at));
    number.style = '1';
  } else {
    std::size_t roman = 0;
    while (roman < text.size() && std::string_view("IVX").find(text[roman]) != std::string_view::npos)
      ++roman;
    if (roman > 0 && roman < text.size() && (text[roman] == '.' || (text[roman] == ' ' && roman > 1))) {
      at = roman;
      number.style = 'I';
      number.first = 1;
    } else if (is_capital(text[0]) && text.size() > 2 && (text[1] == '.' || text[1] == ' ')) {
      at = 1;
      number.style = 'A';
      number.first = text[0] - 'A' + 1;
    } else {
      return {};
    }
  }
  number.depth = 1;
  while (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++number.depth;
    ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  if (at < text.size() && (text[at] == '.' || text[at] == ')')) ++at;
  if (at >= text.size() || text[at] != ' ') return {};
  while (at < text.size() && text[at] == ' ') ++at;
  number.end = at;
  return number;
}

bool is_known_heading(const std::string& text) {
  static const std::set<std::string> kKnown{"abstract",
                                            "introduction",
                                            "background",
                                            "relatedwork",
                                            "relatedworks",
                                            "previouswork",
                                            "priorwork",
                                            "method",
                                            "methods",
                                            "methodology",
                                            "approach",
                                            "experiments",
                                            "experiment",
                                            "experimentalresults",
                                            "experimentalsetup",
                                            "experimentalsettings",
                                            "evaluation",
                                            "results",
                                            "resultsanddiscussion",
                                            "discussion",
                                            "discussions",
                                            "analysis",
                                            "conclusion",
                                            "conclusions",
                                            "conclusionandfuturework",
                                            "conclusionsandfuturework",
                                            "discussionandconclusion",
                                            "conclusionanddiscussion",
                                            "futurework",
                                            "limitations",
                                            "ethicsstatement",
                                            "broaderimpact",
                                            "acknowledgments",
                                            "acknowledgements",
                                            "acknowledgment",
                                            "acknowledgement",
                                            "appendix",
                                            "supplementarymaterial",
                                            "references",
                                            "bibliography",
                                            "preliminaries",
                                            "ablationstudy",
                                            "ablationstudies",
                                            "implementationdetails",
                                            "datasets",
                                            "summary",
                                            "keywords",
                                            "literaturereview",
                                            "materialsandmethods",
                                            "problemformulation",
                                            "problemstatement",
                                            "notation",
                                            "theory",
                                            "model",
                                            "ccsconcepts",
                                            "generalterms",
                                            "reproducibilitystatement"};
  return kKnown.contains(heading_key(text));
}

bool is_theorem_or_float(const std::string& text) {
  static constexpr const char* kWords[] = {
      "Theorem", "Lemma",  "Proposition", "Corollary",  "Definition", "Remark", "Proof", "Figure",
      "Fig.",    "Table",  "Algorithm",   "Assumption", "Example",    "Claim",  "Fact",  "Conjecture",
      "Input",   "Output", "Require",     "Ensure",     "Step",       "Case"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const char* word) {
    return text.starts_with(word) &&
           (text.size() == std::string_view(word).size() ||
            std::isalpha(static_cast<unsigned char>(text[std::string_view(word).size()])) == 0);
  });
}

bool mostly_words(const std::string& text) {
  std::size_t letters = 0;
  std::size_t other = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = text::decode(text, at);
    if (code == ' ') continue;
    if (code != text::kMalformed && text::is_letter(code))
      ++letters;
    else
      ++other;
  }
  return letters >= 3 && letters > other * 2;
}

/// A gap above, a new column, or another size than the line before.
bool stands_apart(const Flow& flow, std::size_t at) {
  if (at == 0 || !flow.follows(at)) return true;
  return flow[at].y1 - flow[at - 1].y1 > flow.layout().body_leading * 1.12F ||
         std::fabs(flow[at].size - flow[at - 1].size) > 0.7F || flow[at].bold != flow[at - 1].bold;
}

bool is_heading_by_type(const Flow& flow, std::size_t at) {
  const std::string& text = flow.text(at);
  const Line& line = flow[at];
  if (text.size() > 110 || is_theorem_or_float(text) || !mostly_words(text)) return false;
  // Words that head tables as well must look like headings.
  static const std::set<std::string> kWeak{"model",      "method",     "methods",   "approach", "theory",
                                           "datasets",   "notation",   "summary",   "results",  "analysis",
                                           "evaluation", "experiment", "background"};
  const bool weak = number_of(text).depth == 0 && kWeak.contains(heading_key(text)) &&
                    (!looks_like_heading(flow, at) || line.size < flow.layout().body_size * 0.97F);
  if (!weak && is_known_heading(text) && text.size() < 60)
    return std::isupper(static_cast<unsigned char>(text[number_of(text).end])) != 0 && stands_apart(flow, at);
  if (!looks_like_heading(flow, at) || line.size < flow.layout().body_size * 0.88F || !stands_apart(flow, at))
    return false;
  const char last = text.back();
  if (last == ',' || last == ';' || last == ':' || last == '-' || (last == '.' && !line.bold)) return false;
  const Number number = number_of(text);
  const bool capital = std::isupper(static_cast<unsigned char>(text[number.end])) != 0;
  if (number.depth > 0)
    return capital && (number.style != '1' || number.first <= 20) &&
           (line.bold || line.size > flow.layout().body_size * 1.05F || number.style != 'A');
  // Without a number: set large, or bold and short on a line of its own.
  return capital && line.page > 1 && line.bold && text.size() < 70 &&
         line.size >= flow.layout().body_size * 1.08F;
}

/// In papers without numbers: a bold line of the body's size on its own, apart from what stands above it,
/// with ordinary type below.
bool is_plain_heading(const Flow& flow, std::size_t at) {
  const std::string& text = flow.text(at);
  const Line& line = flow[at];
  const float body = flow.layout().body_size;
  if (!line.bold || line.size < body * 0.95F || text.size() > 70 || !looks_like_heading(flow, at) ||
      is_theorem_or_float(text) || !mostly_words(text) || number_of(text).depth > 0)
    return false;
  if (std::isupper(static_cast<unsigned char>(text.front())) == 0 ||
      std::string_view(",;:-.").find(text.back()) != std::string_view::npos)
    return false;
  const bool above = !flow.follows(at) || line.y1 - flow[at - 1].y1 > flow.layout().body_leading * 1.3F;
  const bool below = at + 1 < flow.size() && flow.follows(at + 1) && !flow[at + 1].bold &&
                     std::fabs(flow[at + 1].size - body) < 0.7F && flow[at + 1].x0 < line.x0 + body * 2;
  return above && below;
}

/// Words that begin the abstract on its own first line: "Abstract—We …", "Abstract. We …", "ABSTRACT: …".
std::size_t run_in_abstract(const Flow& flow, std::size_t at) {
  const std::string lower = text::fold(flow.text(at).substr(0, 24));
  if (!lower.starts_with("abstract") || flow.text(at).size() < 20) return 0;
  if (heading_key(flow.text(at)) == "abstract") return 0;
  return 1;
}

int level_of(const std::string& text, bool roman_paper) {
  const Number number = number_of(text);
  if (number.depth == 0) return 1;
  if (number.style == 'A' && number.depth == 1 && roman_paper) return 2;
  return std::min(number.depth, 4);
}

/// Takes in the next lines when the heading goes on in the same type.
void extend(const Flow& flow, Heading& heading) {
  while (heading.lines < 3 && heading.line + heading.lines < flow.size()) {
    const std::size_t next = heading.line + heading.lines;
    const Line& line = flow[next];
    const Line& first = flow[heading.line];
    if (!flow.follows(next) || line.bold != first.bold || std::fabs(line.size - first.size) > 0.4F ||
        !looks_like_heading(flow, next))
      return;
    if (line.y1 - flow[next - 1].y1 > first.size * 1.45F || number_of(flow.text(next)).depth > 0 ||
        is_known_heading(flow.text(next)))
      return;
    if (first.x1 < line.x1 - 20) return;  // the first line had room for more
    join_line(heading.text, flow.text(next));
    ++heading.lines;
  }
}

struct Hint {
  std::uint32_t page;
  float y;
  std::string key;  ///< of the title; empty for section destinations
  int level;
};

std::vector<Hint> hints_of(const pdf::Content& content) {
  std::vector<Hint> hints;
  for (const auto& item : content.outline) {
    const std::string key = heading_key(item.title);
    if (key.size() >= 3)
      hints.push_back({item.page, item.y, key, static_cast<int>(std::min<std::uint32_t>(item.level, 4))});
  }
  for (const auto& destination : content.destinations) {
    const std::string& name = destination.name;
    int level = 0;
    if (name.starts_with("section.") || name.starts_with("appendix.")) level = 1;
    if (name.starts_with("subsection.")) level = 2;
    if (name.starts_with("subsubsection.")) level = 3;
    if (level > 0) hints.push_back({destination.page, destination.y, "", level});
  }
  return hints;
}

/// The line that an outline item or a section destination means, or kNoLine.
std::size_t line_of_hint(const Flow& flow, const Hint& hint) {
  const auto [first, last] = flow.page(hint.page);
  std::size_t best = kNoLine;
  float best_off = 1e9F;
  for (std::size_t i = first; i < last; ++i) {
    const float below = flow[i].y0 - hint.y;
    if (hint.key.empty()) {
      if (below < -4 || below > 40 || number_of(flow.text(i)).depth != hint.level ||
          !mostly_words(flow.text(i)) || flow.text(i).size() > 110 || !stands_apart(flow, i))
        continue;
      if (!is_heading_by_type(flow, i) && flow[i].column != Column::whole && flow[i].tokens.size() > 12)
        continue;
    } else {
      const std::string key = heading_key(flow.text(i));
      if (key.size() < 3 || flow.text(i).size() > 160 ||
          !(key == hint.key || (key.size() >= 8 && hint.key.starts_with(key))))
        continue;
      if (!stands_apart(flow, i)) continue;
    }
    if (std::fabs(below) < best_off) {
      best_off = std::fabs(below);
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<Heading> find_headings(const Flow& flow, const ReferenceList& list, const pdf::Content* content) {
  std::map<std::size_t, int> found;  // line to level; 0: by its own number
  if (content != nullptr) {
    for (const auto& hint : hints_of(*content)) {
      if (const std::size_t line = line_of_hint(flow, hint); line != kNoLine)
        found.try_emplace(line, hint.level);
    }
  }
  const bool guided = found.size() >= 4;
  bool roman = false;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    if (list.holds(i) || i == list.heading) continue;
    if (is_heading_by_type(flow, i)) {
      // Where the paper names its headings itself, type alone adds only those that the names leave out.
      if (guided && !is_known_heading(flow.text(i)) && number_of(flow.text(i)).depth == 0) continue;
      found.try_emplace(i, 0);
      roman =
          roman || (number_of(flow.text(i)).style == 'I' && flow.text(i).find("INTRO") != std::string::npos);
    } else if (flow[i].page <= 2 && run_in_abstract(flow, i) > 0) {
      found.try_emplace(i, -1);
    }
  }
  const bool numbered = std::any_of(found.begin(), found.end(), [&](const auto& item) {
    return number_of(flow.text(item.first)).depth > 0;
  });
  if (!guided && !numbered && found.size() >= 2) {
    for (std::size_t i = found.begin()->first + 1; i < flow.size(); ++i) {
      if (!list.holds(i) && i != list.heading && is_plain_heading(flow, i))
        found.try_emplace(i, is_known_heading(flow.text(i)) ? 0 : 2);
    }
  }
  std::vector<Heading> headings;
  for (const auto& [line, level] : found) {
    if (list.holds(line) || line == list.heading) continue;
    if (!headings.empty() && line < headings.back().line + headings.back().lines) continue;
    Heading heading{line, 1, 0, flow.text(line), level};
    if (level == -1) {
      heading.tokens = 1;
      heading.text = "Abstract";
      heading.level = 1;
    } else {
      if (level == 0) heading.level = level_of(heading.text, roman);
      extend(flow, heading);
    }
    headings.push_back(std::move(heading));
  }
  return headings;
}

}  // namespace mustcite::extract::native
