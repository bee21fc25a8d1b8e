#include "stages/extract/reference_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::extract {
namespace {

std::string_view trimmed(std::string_view text, std::string_view also = "") {
  const auto drop = [&](char c) {
    return static_cast<unsigned char>(c) <= ' ' || also.find(c) != std::string_view::npos;
  };
  while (!text.empty() && drop(text.front())) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, space));
    text.remove_prefix(space);
  }
  return words;
}

/// Letters, and how many of them are capitals; a dot after each counts as initials.
struct Shape {
  std::size_t letters = 0, capitals = 0;
  bool dotted = false;
};
Shape shape_of(std::string_view word) {
  Shape shape;
  for (std::size_t at = 0; at < word.size();) {
    const char32_t code = text::decode(word, at);
    if (code == '.') shape.dotted = true;
    if (code == text::kMalformed || !text::is_letter(code)) continue;
    ++shape.letters;
    shape.capitals += text::is_upper(code) ? 1 : 0;
  }
  return shape;
}

/// "A.", "J.-P.", "JK", "Ch.".
bool is_initials(std::string_view word) {
  const Shape shape = shape_of(word);
  if (shape.letters == 0) return false;
  if (shape.letters == shape.capitals && shape.letters <= 3) return true;
  return shape.dotted && word.back() == '.' && shape.letters <= shape.capitals + 1 && shape.letters <= 4;
}

bool is_all_initials(std::string_view piece) {
  const auto words = words_of(piece);
  return !words.empty() && std::all_of(words.begin(), words.end(), is_initials);
}

bool is_particle(std::string_view word) {
  static constexpr std::array kParticles{"van", "von", "der", "den", "de",  "del", "della", "di",
                                         "da",  "dos", "du",  "la",  "le",  "el",  "al",    "ten",
                                         "ter", "bin", "ibn", "zu",  "zur", "st",  "mc",    "o"};
  const std::string lower = text::fold(trimmed(word, ".'’"));
  return std::find(kParticles.begin(), kParticles.end(), lower) != kParticles.end();
}

bool is_suffix(std::string_view piece) {
  const std::string lower = text::fold(trimmed(piece, ".,"));
  return lower == "jr" || lower == "sr" || lower == "ii" || lower == "iii" || lower == "iv";
}

bool is_filler(std::string_view piece) {
  const std::string lower = text::fold(trimmed(piece, ".,;&()"));
  return lower.empty() || lower == "et al" || lower == "others" || lower == "and" || lower == "eds" ||
         lower == "ed" || lower == "editors" || lower == "editor";
}

std::vector<std::string_view> pieces_of(std::string_view list) {
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  std::size_t at = 0;
  const auto cut = [&](std::size_t size) {
    pieces.push_back(trimmed(list.substr(from, at - from), ",;"));
    at += size;
    from = at;
  };
  while (at < list.size()) {
    if (list[at] == ',' || list[at] == ';')
      cut(1);
    else if (list.substr(at).starts_with(" and "))
      cut(5);
    else if (list.substr(at).starts_with(" & "))
      cut(3);
    else if (from == at && list.substr(at).starts_with("and "))
      cut(4);
    else if (from == at && list.substr(at).starts_with(" "))
      from = ++at;
    else
      ++at;
  }
  at = list.size();
  cut(0);
  std::vector<std::string_view> kept;
  for (auto piece : pieces) {
    if (!is_filler(piece) && !is_suffix(piece)) kept.push_back(piece);
  }
  return kept;
}

/// One word, or particles and a word: what stands before the comma of "Family, Given".
bool can_be_family(std::string_view piece) {
  auto words = words_of(piece);
  if (words.size() > 1 && is_suffix(words.back())) words.pop_back();
  if (words.empty() || words.size() > 4) return false;
  return std::all_of(words.begin(), words.end() - 1, is_particle) && shape_of(words.back()).letters >= 2;
}

bool followed_by_capital(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size()) return true;
  for (const char* word : {"arXiv", "http", "doi", "bioRxiv", "pp.", "pages", "eprint"}) {
    if (text.substr(at).starts_with(word)) return true;
  }
  const char32_t code = text::decode(text, at);
  return code != text::kMalformed && (text::is_upper(code) || !text::is_letter(code));
}

/// A word in small letters that joins or belongs to no name.
bool holds_small_word(std::string_view text) {
  for (const auto word : words_of(text)) {
    const Shape shape = shape_of(word);
    if (shape.letters >= 1 && shape.capitals == 0 && word != "and" && word != "et" && word != "al" &&
        word != "al." && word != "others" && !is_particle(word))
      return true;
  }
  return false;
}

/// Behind the stop at `at`: does the author list end here?
bool stop_ends_authors(std::string_view raw, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && raw[begin - 1] != ' ' && raw[begin - 1] != '.' && raw[begin - 1] != '-') --begin;
  const std::string_view word = raw.substr(begin, at - begin);
  const Shape shape = shape_of(word);
  if (shape.letters <= 1) {
    // "Smith, A. B. Learning to …": an initial ends the list when what follows holds a small word that is in
    // no name.
    const std::size_t end = std::min(raw.find_first_of(",.;:?", at + 1), raw.size());
    return holds_small_word(raw.substr(at + 1, end - at - 1)) && followed_by_capital(raw, at + 1);
  }
  if (is_suffix(word) || word == "St") return false;
  if (text::fold(word) == "al") return true;
  if (shape.letters == 2 && shape.capitals == 1 && begin > 0) {
    // "Ch.", "Yu." are initials when a comma or a name follows; else a short family name.
    return raw.substr(at + 1).starts_with(" ") && !raw.substr(at + 1).starts_with(" ,");
  }
  // "Adam Paszke. torch-opcounter. …": a whole word before the stop ends the list even before a small letter.
  return shape.letters >= 4 || followed_by_capital(raw, at + 1);
}

/// What follows the title, cut at a word after 300 bytes.
std::string venue_of(std::string_view rest) {
  rest = trimmed(rest, "\".,");
  if (rest.size() > 300)
    rest = rest.substr(0, rest.rfind(' ', 300) == std::string_view::npos ? 0 : rest.rfind(' ', 300));
  return std::string(rest);
}

}  // namespace

std::size_t authors_end(std::string_view raw) {
  std::size_t best = raw.size();
  for (const std::string_view quote : {std::string_view("“"), std::string_view("\""), std::string_view("``"),
                                       std::string_view("”"), std::string_view("‘‘")}) {
    best = std::min(best, raw.find(quote));
  }
  for (const auto& year : text::printed_years(raw.substr(0, std::min<std::size_t>(raw.size(), 1500)))) {
    if (year.begin < 4 || year.begin > best) break;
    const std::string_view before = trimmed(raw.substr(0, year.begin), "([");
    // "Smith, J. (2019)", "Doe. 2019.", "Doe, 2019": the year stands behind names, not behind a title of
    // small words.
    std::size_t small = 0;
    for (const auto word : words_of(before)) {
      const Shape shape = shape_of(word);
      if (shape.letters > 1 && shape.capitals == 0 && word != "and" && word != "et" && !is_particle(word) &&
          word != "al." && word != "al.,")
        ++small;
    }
    if (small <= 1) best = std::min(best, before.size());
    break;
  }
  for (std::size_t at = 1; at < best; ++at) {
    if (raw[at] == '.' && (at + 1 >= raw.size() || raw[at + 1] == ' ') && stop_ends_authors(raw, at)) {
      best = at;
    } else if (raw[at] == ':' && at + 1 < raw.size() && raw[at + 1] == ' ') {
      best = at;
    }
  }
  return best;
}

std::vector<std::string> printed_authors(std::string_view list) {
  std::vector<std::string> authors;
  const auto pieces = pieces_of(list.substr(0, 20'000));
  // "G. Bunin, Ecological communities with …": where initials lead every name, a piece without them is no
  // name.
  const auto leads = [](std::string_view piece) {
    const auto words = words_of(piece);
    return words.size() >= 2 && is_initials(words.front()) && words.front().back() == '.' &&
           !is_initials(words.back());
  };
  const bool initials_lead = !pieces.empty() && leads(pieces.front());
  for (std::size_t i = 0; i < pieces.size() && authors.size() < 1000; ++i) {
    const auto words = words_of(pieces[i]);
    if (words.empty()) continue;
    const bool more = i + 1 < pieces.size();
    if (holds_small_word(pieces[i]) && !authors.empty()) break;
    if (initials_lead && i > 0 && !leads(pieces[i])) break;
    if (more && is_all_initials(pieces[i + 1])) {
      authors.push_back(std::string(pieces[i + 1]) + " " + std::string(pieces[i]));  // "Smith, A. B."
      ++i;
    } else if (more && can_be_family(pieces[i]) && words_of(pieces[i + 1]).size() <= 3 &&
               !is_all_initials(pieces[i]) &&
               (can_be_family(pieces[i + 1]) || is_initials(words_of(pieces[i + 1]).back()))) {
      authors.push_back(std::string(pieces[i + 1]) + " " +
                        std::string(pieces[i]));  // "Smith, Anna", "Smith, Anna B."
      ++i;
    } else if (words.size() >= 2 && is_initials(words.back()) &&
               shape_of(words.back()).capitals == shape_of(words.back()).letters &&
               !is_initials(words.front())) {
      std::string family;  // "Smith AB"
      for (std::size_t w = 0; w + 1 < words.size(); ++w) family += (w > 0 ? " " : "") + std::string(words[w]);
      authors.push_back(std::string(words.back()) + " " + family);
    } else {
      std::string name(pieces[i]);
      if (const std::size_t al = name.find(" et al"); al != std::string::npos) name.resize(al);
      authors.push_back(name);
    }
  }
  return authors;
}

std::string surname_key(std::string_view author) {
  auto words = words_of(author);
  while (words.size() > 1 && is_suffix(words.back())) words.pop_back();
  if (words.empty()) return {};
  std::string key;
  for (const char c : text::fold(words.back())) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 || c == '-')
      key += c;
    if (key.ends_with("’")) key.resize(key.size() - 3);
  }
  return key;
}

void read_fields_by_rules(ReferenceEntry& entry) {
  Reference& fields = entry.fields;
  const std::string& raw = fields.raw;
  if (fields.doi.empty()) fields.doi = text::find_doi(raw);
  if (fields.arxiv_id.empty()) fields.arxiv_id = text::find_arxiv_id(raw);
  if (fields.url.empty()) fields.url = text::find_url(raw);
  const std::size_t end = authors_end(raw);
  const auto years = text::printed_years(raw);
  if (fields.year == 0 && !years.empty()) {
    // The year behind the authors, one with a letter, or the last one.
    const text::PrintedYear* chosen = &years.back();
    for (const auto& year : years) {
      if (year.letter != 0 || (year.begin >= end && year.begin <= end + 6)) {
        chosen = &year;
        break;
      }
    }
    fields.year = chosen->year;
    entry.year_letter = chosen->letter;
  }
  if (fields.authors.empty()) fields.authors = printed_authors(std::string_view(raw).substr(0, end));
  if (entry.surnames.empty()) {
    for (const auto& author : fields.authors) {
      if (std::string key = surname_key(author); !key.empty()) entry.surnames.push_back(std::move(key));
    }
  }
  if (entry.parts.empty()) {
    for (auto& part : composite_parts(raw)) {
      ReferenceEntry work;
      work.fields.raw = std::move(part);
      // A part is taken as a whole: one with parts of its own would be read again and again.
      if (composite_parts(work.fields.raw).empty()) read_fields_by_rules(work);
      entry.parts.push_back(std::move(work.fields));
    }
  }
  if (!fields.title.empty()) return;
  std::string_view rest = std::string_view(raw).substr(end);
  std::size_t open = std::min(rest.find("“"), rest.find("\""));
  if (open != std::string_view::npos && open < 12) {
    open += rest[open] == '"' ? 1 : 3;
    const std::size_t close = std::min({rest.find("”", open), rest.find('"', open), rest.size()});
    fields.title = text::clean_title(trimmed(rest.substr(open, close - open), ".,"));
    rest = rest.substr(close);
    if (rest.starts_with("”")) rest.remove_prefix(3);
    fields.venue = venue_of(rest);
    return;
  }
  rest = trimmed(rest, ".,:");
  if (!years.empty() && years.front().begin >= end && years.front().begin <= end + 6)
    rest = trimmed(std::string_view(raw).substr(years.front().end), ").,:]");
  std::size_t stop = rest.size();
  for (std::size_t at = 8; at + 1 < rest.size(); ++at) {
    if ((rest[at] == '.' || rest[at] == '?' || rest[at] == '!') && rest[at + 1] == ' ' &&
        followed_by_capital(rest, at + 1)) {
      stop = rest[at] == '.' ? at : at + 1;
      break;
    }
  }
  fields.title = text::clean_title(trimmed(rest.substr(0, stop), ",."));
  fields.venue = venue_of(rest.substr(std::min(rest.size(), stop)));
}

}  // namespace mustcite::extract
