#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/check_document.hpp"
#include "stages/extract/mentions.hpp"
#include "stages/extract/reference_names.hpp"
#include "stages/extract/tei/tei.hpp"

namespace mustcite::extract::tei {
namespace {

using Targets = std::unordered_map<std::string, std::uint32_t>;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// "12", "3,4" or "7-9": a mark of a numbered list.
bool numeric(std::string_view printed) {
  bool digit = false;
  for (std::size_t at = 0; at < printed.size();) {
    const char c = printed[at];
    digit = digit || std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (printed.substr(at).starts_with("–") || printed.substr(at).starts_with("−")) {
      at += 3;
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != ',' && c != ' ' && c != '-' && c != ';')
      return false;
    ++at;
  }
  // A year in brackets is no label.
  return digit && !(printed.size() == 4 && all_digits(printed) && printed >= "1600");
}

/// "KPR+17".
bool tag(std::string_view printed) {
  if (printed.size() < 4 || printed.size() > 12 || printed.find(' ') != std::string_view::npos) return false;
  const auto digits = std::count_if(printed.begin(), printed.end(),
                                    [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return std::isupper(static_cast<unsigned char>(printed[0])) != 0 && digits == 2;
}

/// What the printed numbers say about the entries they lead to: GROBID keeps no labels. An entry that no mark
/// names gets the number that its neighbours leave for it.
void set_numbers(Document& document, const std::vector<Mark>& marks, const Targets& targets) {
  std::map<std::uint32_t, std::map<int, int>> votes;
  for (const auto& mark : marks) {
    const std::string printed = document.text.substr(mark.span.begin, mark.span.end - mark.span.begin);
    if (mark.targets.size() != 1 || printed.size() > 3 || !all_digits(printed)) continue;
    if (const auto target = targets.find(mark.targets.front()); target != targets.end())
      ++votes[target->second][std::stoi(printed)];
  }
  std::vector<int> numbers(document.references.size(), 0);
  std::map<int, std::pair<int, std::uint32_t>> claimed;  // number: votes, entry
  for (const auto& [entry, counts] : votes) {
    const auto best = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    auto& claim = claimed[best->first];
    if (best->second <= claim.first) continue;
    if (claim.first > 0) numbers[claim.second] = 0;
    claim = {best->second, entry};
    numbers[entry] = best->first;
  }
  int offset = 1;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) {
      offset = numbers[i] - static_cast<int>(i);
      continue;
    }
    const int guess = static_cast<int>(i) + offset;
    if (guess > 0 && !claimed.contains(guess)) {
      numbers[i] = guess;
      claimed[guess] = {1, i};
    }
  }
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] > 0) document.references[i].label = std::to_string(numbers[i]);
  }
}

/// Tags that marks print, where GROBID linked them.
void set_tags(Document& document, const std::vector<Mark>& marks, const Targets& targets) {
  for (const auto& mark : marks) {
    const std::string printed = document.text.substr(mark.span.begin, mark.span.end - mark.span.begin);
    if (mark.targets.size() != 1 || !tag(printed)) continue;
    if (const auto target = targets.find(mark.targets.front()); target != targets.end())
      document.references[target->second].label = printed;
  }
}

void set_style(Document& document, const std::vector<Mark>& marks, const Targets& targets) {
  std::size_t numbers = 0;
  std::size_t tags = 0;
  for (const auto& mark : marks) {
    const auto printed =
        std::string_view(document.text).substr(mark.span.begin, mark.span.end - mark.span.begin);
    numbers += numeric(printed) ? 1 : 0;
    tags += tag(printed) ? 1 : 0;
  }
  if (numbers * 2 > marks.size()) {
    document.style = ReferenceStyle::numeric;
    set_numbers(document, marks, targets);
  } else if (tags * 2 > marks.size()) {
    document.style = ReferenceStyle::alpha;
    set_tags(document, marks, targets);
  } else {
    document.style = ReferenceStyle::author_year;
  }
}

/// How well a mark prints what its target is: 2 name and year, 1 one of them, 0 neither.
int fit(std::string_view printed, const ReferenceEntry& entry) {
  const std::string folded = text::fold(printed);
  const bool named = std::any_of(entry.surnames.begin(), entry.surnames.end(), [&](const std::string& name) {
    return name.size() >= 2 && folded.find(name) != std::string::npos;
  });
  bool dated = false;
  for (const auto& year : text::printed_years(printed)) dated = dated || year.year == entry.fields.year;
  return (named ? 1 : 0) + (dated ? 1 : 0);
}

/// The bracket before a mark, over separators and other numbers; 0: none near.
char bracket_before(std::string_view text, std::size_t at) {
  const std::size_t limit = at > 40 ? at - 40 : 0;
  while (at > limit) {
    const char c = text[--at];
    if (c == '(' || c == '[') return c;
    const bool part = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == ',' || c == ' ' || c == '-' ||
                      c == ';' || static_cast<unsigned char>(c) >= 0x80;
    if (!part) return 0;
  }
  return 0;
}

/// "Eqs. [1" and "equations (3": numbers of formulas.
bool follows_equation(std::string_view text, std::size_t at) {
  const std::size_t begin = at > 24 ? at - 24 : 0;
  const std::string before = text::to_lower(text.substr(begin, at - begin));
  return before.find("eq.") != std::string::npos || before.find("eqs") != std::string::npos ||
         before.find("eqn") != std::string::npos || before.find("equation") != std::string::npos;
}

/// Joins what GROBID's targets and the text rules say of one paper.
class Joiner {
 public:
  Joiner(Document& document, const Targets& targets) : document_(document), targets_(targets) {}

  void join(const std::vector<Mark>& marks, std::vector<Mention> text) {
    std::size_t square = 0;
    for (const auto& mark : marks) square += bracket_before(document_.text, mark.span.begin) == '[' ? 1 : 0;
    square_ = document_.style == ReferenceStyle::numeric && square * 2 > marks.size();
    std::size_t at = 0;
    std::vector<bool> used(text.size(), false);
    for (const auto& mark : marks) {
      while (at < text.size() && text[at].span.end <= mark.span.begin) ++at;
      std::vector<std::size_t> met;
      for (std::size_t i = at; i < text.size() && text[i].span.begin < mark.span.end; ++i) {
        if (text[i].span.end > mark.span.begin) met.push_back(i);
      }
      one(mark, text, met);
      for (const std::size_t i : met) used[i] = true;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (used[i]) continue;
      // GROBID saw no mark here.
      text[i].confidence *= 0.9;
      document_.mentions.push_back(std::move(text[i]));
    }
    std::sort(document_.mentions.begin(), document_.mentions.end(), [](const Mention& a, const Mention& b) {
      return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end < b.span.end;
    });
    // Two marks may overlap the same text mention: it is kept once.
    const auto last = std::unique(
        document_.mentions.begin(), document_.mentions.end(),
        [](const Mention& a, const Mention& b) { return a.span == b.span && a.references == b.references; });
    document_.mentions.erase(last, document_.mentions.end());
  }

  [[nodiscard]] std::size_t disagreements() const noexcept { return disagreements_; }
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  [[nodiscard]] std::size_t equations() const noexcept { return equations_; }

 private:
  void one(const Mark& mark, const std::vector<Mention>& text, const std::vector<std::size_t>& met) {
    std::vector<std::uint32_t> linked;
    for (const auto& id : mark.targets) {
      if (const auto target = targets_.find(id); target != targets_.end()) linked.push_back(target->second);
    }
    std::sort(linked.begin(), linked.end());
    linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
    bool agreed = linked.empty();
    bool sure = false;
    for (const std::size_t i : met) {
      Mention mention = text[i];
      mention.box = mark.box;
      const bool same = std::any_of(linked.begin(), linked.end(), [&](std::uint32_t reference) {
        return std::binary_search(mention.references.begin(), mention.references.end(), reference);
      });
      if (same) {
        agreed = true;
        mention.evidence |= static_cast<std::uint8_t>(Evidence::link);
        mention.confidence = std::max(mention.confidence, 0.97);
      }
      sure = sure || mention.confidence >= 0.94;
      taken_.push_back(std::move(mention));
    }
    if (!agreed) {
      // A label or all names and the year against a target: the print is right, GROBID guessed.
      if (!met.empty()) ++disagreements_;
      if (sure || !alone(mark, linked))
        for (auto& mention : taken_) mention.confidence = std::min(mention.confidence, 0.9);
      else
        taken_.clear();
    }
    for (auto& mention : taken_) document_.mentions.push_back(std::move(mention));
    taken_.clear();
  }

  /// A target that no text rule confirms. False when the mark prints neither the names nor the year of it.
  bool alone(const Mark& mark, const std::vector<std::uint32_t>& linked) {
    const auto printed =
        std::string_view(document_.text).substr(mark.span.begin, mark.span.end - mark.span.begin);
    Mention mention;
    mention.span = mark.span;
    mention.references = linked;
    mention.evidence = static_cast<std::uint8_t>(Evidence::link);
    mention.box = mark.box;
    mention.confidence = 0.8;
    // Where the paper cites in square brackets, "(10)" is the number of an equation, which GROBID takes for a
    // mark.
    const bool equation = document_.style == ReferenceStyle::numeric &&
                          ((square_ && bracket_before(document_.text, mark.span.begin) == '(') ||
                           follows_equation(document_.text, mark.span.begin));
    if (equation) {
      ++equations_;
      return false;
    }
    if (document_.style == ReferenceStyle::author_year) {
      int best = 0;
      for (const std::uint32_t reference : linked)
        best = std::max(best, fit(printed, document_.references[reference]));
      if (best == 0) {
        ++refused_;
        return false;
      }
      mention.confidence = best == 2 ? 0.9 : 0.65;
    }
    document_.mentions.push_back(std::move(mention));
    return true;
  }

  Document& document_;
  const Targets& targets_;
  std::vector<Mention> taken_;
  std::size_t disagreements_ = 0;
  std::size_t refused_ = 0;
  std::size_t equations_ = 0;
  bool square_ = false;  ///< the paper cites by numbers in square brackets
};

}  // namespace

void link_marks(Document& document, const std::vector<Mark>& marks, double min_confidence) {
  Targets targets;
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const std::string& id = document.references[i].destination;
    if (!id.empty()) targets.try_emplace(id, static_cast<std::uint32_t>(i));
  }
  set_style(document, marks, targets);
  TextMentions text = find_mentions(document, {});
  Joiner joiner(document, targets);
  joiner.join(marks, std::move(text.mentions));
  std::erase_if(document.mentions,
                [&](const Mention& mention) { return mention.confidence < min_confidence; });
  group_by_brackets(document);
  if (joiner.disagreements() > 0)
    document.problems.push_back(
        {ProblemKind::disagreement,
         fmt::format("GROBID's target and the print name different entries at {} places",
                     joiner.disagreements())});
  if (joiner.refused() > 0)
    document.problems.push_back(
        {ProblemKind::disagreement,
         fmt::format(
             "{} of GROBID's targets share neither a name nor the year with their mark; they are left "
             "out",
             joiner.refused())});
  if (joiner.equations() > 0)
    document.problems.push_back(
        {ProblemKind::other,
         fmt::format("{} of GROBID's marks are numbers of equations; they are left out", joiner.equations()),
         true});
  note_links(document, text.unlinked);
}

}  // namespace mustcite::extract::tei
