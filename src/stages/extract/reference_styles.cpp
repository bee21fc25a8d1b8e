#include "stages/extract/reference_styles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/unicode.hpp"

namespace mustcite::extract {
namespace {

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t count) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % count);
  }
  bool once_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

struct NameParts {
  std::vector<std::string> given;
  std::string family;
};

bool is_particle(std::string_view word) {
  for (const std::string_view known : {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos",
                                       "du", "la", "le", "ten", "ter"}) {
    if (word == known) return true;
  }
  return false;
}

NameParts parts_of(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find(' ', at), name.size());
    if (end > at) words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  NameParts parts;
  if (words.empty()) return parts;
  std::size_t family = words.size() - 1;
  while (family > 1 && is_particle(words[family - 1])) --family;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i < family)
      parts.given.push_back(words[i]);
    else
      parts.family += (parts.family.empty() ? "" : " ") + words[i];
  }
  return parts;
}

/// The initials of one given name: "J.-P." of "Jean-Pierre".
std::string initials(const std::string& word, NameForm::Given form) {
  const bool dotted = form == NameForm::Given::spaced || form == NameForm::Given::closed;
  std::string out;
  for (std::size_t from = 0; from < word.size();) {
    std::size_t at = from;
    if (text::decode(word, at) == text::kMalformed) break;
    if (!out.empty() && dotted) out += '-';
    out += word.substr(from, at - from);
    if (dotted) out += '.';
    const std::size_t hyphen = word.find('-', at);
    if (hyphen == std::string::npos) break;
    from = hyphen + 1;
  }
  return out;
}

std::string given_names(const NameParts& parts, NameForm::Given form) {
  const bool apart = form == NameForm::Given::full || form == NameForm::Given::spaced ||
                     form == NameForm::Given::spaced_bare;
  std::string out;
  for (const auto& word : parts.given) {
    if (!out.empty() && apart) out += ' ';
    out += form == NameForm::Given::full ? word : initials(word, form);
  }
  return out;
}

std::string ordinal(std::size_t number) {
  const std::size_t last = number % 10;
  const bool teen = number % 100 / 10 == 1;
  return std::to_string(number) + (teen        ? "th"
                                   : last == 1 ? "st"
                                   : last == 2 ? "nd"
                                   : last == 3 ? "rd"
                                               : "th");
}

class Printer {
 public:
  Printer(std::span<const Paper> papers, Random& random) : papers_(papers), random_(random) {}

  LabelledString print(const Paper& paper, const PrintStyle& style) {
    paper_ = &paper;
    style_ = &style;
    year_ = paper.date.year > 1900 ? paper.date.year : 2015;
    const VenueForms* forms = nullptr;
    for (const auto& known : venue_forms()) {
      if (paper.venue == known.venue) forms = &known;
    }
    const bool elsewhere = forms == nullptr || random_.once_in(3);
    const std::size_t kind = random_.below(20);
    bool journal = !elsewhere && forms->journal;
    if (elsewhere) journal = random_.below(5) < 3;
    venue_ = elsewhere ? pick(journal ? other_journals() : other_proceedings())
                       : forms->forms[random_.below(forms->forms.size())];
    fill(style_template(kind, journal));
    return out_.take("rendered");
  }

 private:
  const char* style_template(std::size_t kind, bool journal) const {
    if (kind < 3) return style_->preprint;
    if (kind == 3) return style_->book;
    return journal ? style_->journal : style_->proceedings;
  }

  std::string pick(std::span<const char* const> list) { return list[random_.below(list.size())]; }

  /// The venue's form with its numbers filled in.
  std::string venue() const {
    std::string text;
    for (std::size_t i = 0; i < venue_.size(); ++i) {
      if (venue_[i] == '{' && i + 2 < venue_.size() && venue_[i + 2] == '}') {
        const auto number = static_cast<std::size_t>(std::max(1, year_ - 1985));
        text += venue_[i + 1] == 'y'   ? std::to_string(year_)
                : venue_[i + 1] == 'o' ? ordinal(number)
                                       : std::to_string(number);
        i += 2;
      } else {
        text += venue_[i];
      }
    }
    return text;
  }

  void fill(std::string_view form) {
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '{') {
        // Initials and abbreviations bring their own stop.
        if (form[i] != '.' || out_.last() != '.') out_.add(form.substr(i, 1), FieldLabel::other);
        continue;
      }
      put(form[i + 1]);
      i += 2;
      if (form[i - 1] == 'T' && ends_itself_ && i + 1 < form.size() &&
          (form[i + 1] == '.' || form[i + 1] == ','))
        ++i;
    }
  }

  void field(std::string_view text, FieldLabel label) {
    out_.close();
    out_.add(text, label);
    out_.close();
  }

  void put(char what) {
    static constexpr const char* kMonths[] = {"January",  "February", "March",  "April",     "May",
                                              "June",     "July",     "August", "September", "October",
                                              "November", "December", "Jan.",   "Oct."};
    switch (what) {
      case 'A':
        return field(authors(), FieldLabel::author);
      case 'E':
        return field(editors(), FieldLabel::editor);
      case 'T':
        return title();
      case 'B':
      case 'J':
        return field(venue(), what == 'B' ? FieldLabel::book : FieldLabel::journal);
      case 'S':
        return field(pick(series_names()), FieldLabel::series);
      case 'V':
        return field(std::to_string(1 + random_.below(120)), FieldLabel::volume);
      case 'N':
        return field(std::to_string(1 + random_.below(12)), FieldLabel::volume);
      case 'P':
        return pages();
      case 'Y':
        return field(std::to_string(year_) + (random_.once_in(20) ? "a" : ""), FieldLabel::date);
      case 'M':
        return field(fmt::format("{} {}", kMonths[random_.below(std::size(kMonths))], year_),
                     FieldLabel::date);
      case 'L':
        return field(pick(places()), FieldLabel::location);
      case 'U':
        return field(pick(publishers()), FieldLabel::publisher);
      case 'O':
        return field(pick(institutions()), FieldLabel::publisher);
      case 'W':
        return field(fmt::format("https://{}/{}", random_.once_in(2) ? "openreview.net" : "aclanthology.org",
                                 address()),
                     FieldLabel::id);
      case 'I':
        return field(fmt::format("10.{}/{}", 1000 + random_.below(9000), address()), FieldLabel::id);
      case 'X':
        return arxiv_id();
      case 'Q':
        return field(random_.below(3) > 0 ? "arXiv preprint"
                     : random_.once_in(2) ? "arXiv"
                                          : "CoRR",
                     FieldLabel::journal);
      case 'R':
        return field(pick(report_kinds()), FieldLabel::note);
      case 'K':
        return back_references();
      default:
        return;
    }
  }

  std::string address() {
    return fmt::format("P{:02}-{}.{}", random_.below(30), 1 + random_.below(4000), random_.below(100));
  }

  void arxiv_id() {
    const std::string id = fmt::format("{:02}{:02}.{:05}", std::clamp(year_ - 2000, 7, 26),
                                       1 + random_.below(12), random_.below(20000));
    field((random_.below(4) > 0 ? "arXiv:" : "") + id + (random_.once_in(5) ? " [cs.LG]" : ""),
          FieldLabel::id);
  }

  void pages() {
    const std::size_t from = 1 + random_.below(9000);
    const char* dash = random_.below(3) > 0 ? "–" : random_.once_in(2) ? "-" : "--";
    field(fmt::format("{}{}{}", from, dash, from + 3 + random_.below(25)), FieldLabel::pages);
  }

  void back_references() {
    std::string text = std::to_string(1 + random_.below(4));
    for (std::size_t page = 4; random_.below(2) > 0 && page < 9; ++page) text += fmt::format(", {}", page);
    out_.close();
    out_.add(text, FieldLabel::other);
  }

  void title() {
    std::string title = paper_->title;
    if (random_.once_in(3)) title = lower_behind_first(title);
    const char last = title.empty() ? '.' : title.back();
    ends_itself_ = last == '?' || last == '!';
    field(title, FieldLabel::title);
  }

  /// "Deep learning for NLP": words with one capital become small, as many styles print titles.
  static std::string lower_behind_first(const std::string& title) {
    std::string out = title;
    for (std::size_t i = 1; i + 1 < out.size(); ++i) {
      const bool starts = out[i - 1] == ' ';
      if (starts && out[i] >= 'A' && out[i] <= 'Z' && out[i + 1] >= 'a' && out[i + 1] <= 'z' &&
          (i < 2 || out[i - 2] != ':'))
        out[i] = static_cast<char>(out[i] + 32);
    }
    return out;
  }

  std::string authors() { return print_names(paper_->authors, style_->names); }

  std::string editors() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 1 + random_.below(3); ++i) {
      const auto& other = papers_[random_.below(papers_.size())].authors;
      if (!other.empty()) names.push_back(other.front());
    }
    NameForm form = style_->names;
    form.family_first = form.family_first && random_.once_in(2);
    return print_names(names, form);
  }

  std::span<const Paper> papers_;
  Random& random_;
  LabelledStringWriter out_;
  const Paper* paper_ = nullptr;
  const PrintStyle* style_ = nullptr;
  std::string venue_;
  int year_ = 0;
  bool ends_itself_ = false;
};

}  // namespace

std::string print_names(std::span<const std::string> authors, const NameForm& form) {
  std::string out;
  const std::size_t shown = std::min(authors.size(), form.most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == authors.size() ? form.last : form.between;
    const NameParts parts = parts_of(authors[i]);
    const std::string given = given_names(parts, form.given);
    if (given.empty()) {
      out += parts.family;
    } else if (form.family_first || (form.only_first_turned && i == 0)) {
      out +=
          form.only_first_turned && i > 0 ? given + " " + parts.family : parts.family + form.inside + given;
    } else {
      out += given + " " + parts.family;
    }
  }
  if (shown < authors.size()) out += " et al.";
  return out;
}

std::vector<LabelledString> render_references(std::span<const Paper> papers, const RenderOptions& options) {
  std::vector<std::uint32_t> usable;
  for (std::uint32_t i = 0; i < papers.size(); ++i) {
    const auto& paper = papers[i];
    if (!paper.authors.empty() && paper.title.size() >= 8 && paper.title.size() < 300) usable.push_back(i);
  }
  std::vector<LabelledString> strings;
  if (usable.empty()) return strings;
  Random random(options.seed);
  Printer printer(papers, random);
  const auto styles = print_styles();
  for (std::size_t i = 0; i < options.count; ++i)
    strings.push_back(printer.print(papers[usable[random.below(usable.size())]], styles[i % styles.size()]));
  return strings;
}

}  // namespace mustcite::extract
