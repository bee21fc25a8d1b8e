#include <array>
#include <string>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

bool ascii_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr std::array<std::string_view, 24> kGreek{"alpha", "beta",    "gamma",   "delta", "epsilon", "zeta",
                                                  "eta",   "theta",   "iota",    "kappa", "lambda",  "mu",
                                                  "nu",    "xi",      "omicron", "pi",    "rho",     "sigma",
                                                  "tau",   "upsilon", "phi",     "chi",   "psi",     "omega"};

/// α to ω in their order (final sigma left out); -1 for anything else.
int greek_index(char32_t code) noexcept {
  if (code < 0x3B1 || code > 0x3C9) return -1;
  if (code == 0x3C2) return 17;
  return static_cast<int>(code - 0x3B1) - (code > 0x3C2 ? 1 : 0);
}

/// What a LaTeX command that survived `clean` (so one of mathematics) leaves in a key: Greek letters their
/// name, others nothing.
void append_command(std::string_view name, std::string& out) {
  if (name == "ell") out.push_back('l');
  if (name.substr(0, 3) == "var") name.remove_prefix(3);
  for (const std::string_view letter : kGreek) {
    if (name.size() == letter.size() && (name[0] | 0x20) == letter[0] && name.substr(1) == letter.substr(1)) {
      out.append(letter);
    }
  }
}

std::string drop_commands(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result.push_back(text[i++]);
      continue;
    }
    std::size_t end = ++i;
    while (end < text.size() && ascii_letter(text[end])) ++end;
    append_command(text.substr(i, end - i), result);
    i = end;
  }
  return result;
}

}  // namespace

std::string title_key(std::string_view title) {
  std::string prepared;
  if (title.find_first_of("\\&<(") != std::string_view::npos || !is_ascii(title)) {
    prepared = drop_commands(clean_title(title));
    title = prepared;
  }
  const std::string folded = fold(title);
  std::string key;
  key.reserve(folded.size());
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t begin = at;
    const char32_t code = decode(folded, at);
    if (code < 0x80) {
      const char c = static_cast<char>(code);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) key.push_back(c);
    } else if (const int greek = greek_index(code); greek >= 0) {
      key.append(kGreek[static_cast<std::size_t>(greek)]);
    } else if (code != kMalformed && (is_letter(code) || is_digit(code) || is_mark(code))) {
      key.append(folded, begin, at - begin);
    }
  }
  return key;
}

std::string author_key(std::string_view author) {
  std::string key = family_name(author);
  if (key.empty()) return key;
  const std::string name = fold(clean(author));
  // "Family, Given" or "Given Family".
  const std::size_t comma = name.find(',');
  std::size_t at = comma == std::string::npos ? 0 : comma + 1;
  while (at < name.size() && name[at] == ' ') ++at;
  if (at >= name.size() || std::string_view(name).substr(at).starts_with(key)) return key;
  std::size_t end = at + 1;  // the first letter may take several bytes
  while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80) ++end;
  return key + ' ' + name.substr(at, end - at);
}

std::string family_name(std::string_view author) {
  const std::string cleaned = clean(author);
  const std::string name = fold(cleaned);
  const auto trim = [](std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == ',')) text.remove_suffix(1);
    return text;
  };
  const auto is_suffix = [](std::string_view word) {
    return word == "jr" || word == "jr." || word == "sr" || word == "sr." || word == "ii" || word == "iii" ||
           word == "iv";
  };
  const auto is_particle = [](std::string_view word) {
    constexpr std::array<std::string_view, 24> particles{
        "van", "von", "der", "den", "de",  "del", "della", "di", "da",  "dos", "du", "la",
        "le",  "el",  "al",  "bin", "ibn", "ter", "ten",   "zu", "zur", "vom", "af", "st."};
    for (const std::string_view particle : particles) {
      if (word == particle) return true;
    }
    return false;
  };
  std::string_view rest = trim(name);
  if (const std::size_t comma = rest.find(','); comma != std::string_view::npos) {
    if (!is_suffix(trim(rest.substr(comma + 1)))) return std::string(trim(rest.substr(0, comma)));
    rest = trim(rest.substr(0, comma));
  }
  std::size_t begin = rest.rfind(' ');
  if (begin != std::string_view::npos && is_suffix(rest.substr(begin + 1))) {
    rest = trim(rest.substr(0, begin));
    begin = rest.rfind(' ');
  }
  while (begin != std::string_view::npos && begin > 0) {
    const std::size_t before = rest.rfind(' ', begin - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (!is_particle(rest.substr(start, begin - start))) break;
    if (before == std::string_view::npos) {
      // "van Gogh" is a family name; "Le Song" has a given name that looks like a particle.
      if (cleaned[0] >= 'a' && cleaned[0] <= 'z') return std::string(rest);
      break;
    }
    begin = before;
  }
  return std::string(begin == std::string_view::npos ? rest : rest.substr(begin + 1));
}

}  // namespace mustcite::text
