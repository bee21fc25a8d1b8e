#include "apps/audit/latex/authors.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text/names.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kMostNames = 200;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The end of the group that opens at `open`, behind its brace; the end of the text when it is never closed.
std::size_t group_end(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The block with separators as line ends, and without comments, mathematics, notes and commands; accents
/// stay.
std::string plain_block(std::string_view block) {
  std::string out;
  for (std::size_t i = 0; i < block.size();) {
    const char c = block[i];
    if (c == '%') {
      i = std::min(block.find('\n', i), block.size());
    } else if (c == '$') {
      i = std::min(block.find('$', i + 1), block.size() - 1) + 1;
    } else if (c == '~') {
      out += ' ';
      ++i;
    } else if (c == '\\' && i + 1 < block.size() && is_letter(block[i + 1])) {
      std::size_t end = i + 1;
      while (end < block.size() && is_letter(block[end])) ++end;
      const std::string_view name = block.substr(i + 1, end - i - 1);
      if (one_of(name, {"and", "And", "AND", "quad", "qquad", "hfill", "newline", "linebreak"})) {
        out += '\n';
      } else if (one_of(name, {"thanks", "footnote", "footnotemark", "textsuperscript", "email", "texttt",
                               "url", "href", "affiliation", "affil", "institution", "inst", "orcid",
                               "address", "vspace", "hspace"})) {
        if (end < block.size() && block[end] == '[')
          end = std::min(block.find(']', end), block.size() - 1) + 1;
        while (end < block.size() && block[end] == '{') end = group_end(block, end);
      } else if (name.size() == 1 || one_of(name, {"ss", "ae", "oe", "aa", "AA", "AE", "OE"})) {
        out.append(block.substr(i, end - i));  // an accent, or a letter: text::clean knows them
      }
      i = end;
    } else if (c == '\\' && i + 1 < block.size() && block[i + 1] == '\\') {
      out += '\n';
      i += 2;
    } else if (c == '\\' && i + 1 < block.size() && (block[i + 1] == '&' || block[i + 1] == ',')) {
      out += block[i + 1] == '&' ? '\n' : ' ';
      i += 2;
    } else if (c == '\\' && i + 1 == block.size()) {
      ++i;
    } else {
      out += c == ',' || c == '&' || c == ';' ? '\n' : c == '\n' ? ' ' : c;
      ++i;
    }
  }
  return out;
}

bool looks_like_a_name(std::string_view text) {
  static constexpr std::array<std::string_view, 24> kPlaces{
      "university", "institut", "department", "laborator",    "school",        "college",
      "research",   "center",   "centre",     "inc",          "anonymous",     "affiliation",
      "address",    "google",   "microsoft",  "deepmind",     "academy",       "technolog",
      "science",    "hospital", "faculty",    "first author", "second author", "email"};
  const std::string lower = text::to_lower(text);
  if (std::any_of(kPlaces.begin(), kPlaces.end(),
                  [&](std::string_view place) { return lower.find(place) != std::string::npos; })) {
    return false;
  }
  std::size_t words = 1;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '@' || c == '/' || c == ':') return false;
    words += c == ' ' ? 1 : 0;
  }
  return words >= 2 && words <= 5 && text.size() <= 80 &&
         (std::isupper(static_cast<unsigned char>(text[0])) != 0 ||
          static_cast<unsigned char>(text[0]) >= 0x80);
}

}  // namespace

std::vector<std::string> names_in_author_block(std::string_view block) {
  std::vector<std::string> names;
  const std::string plain = plain_block(block);
  for (std::size_t begin = 0; begin < plain.size() && names.size() < kMostNames;) {
    constexpr std::string_view kAnd = " and ";
    std::size_t end = std::min(plain.find('\n', begin), plain.size());
    std::size_t next = end + 1;
    if (const std::size_t word = plain.find(kAnd, begin); word < end) {
      end = word;
      next = word + kAnd.size();
    }
    std::string name = text::clean(plain.substr(begin, end - begin));
    std::erase_if(name, [](char c) { return c == '{' || c == '}' || c == '[' || c == ']'; });
    name = text::author_name(name);
    if (!name.empty() && looks_like_a_name(name)) names.push_back(std::move(name));
    begin = next;
  }
  return names;
}

}  // namespace mustcite::audit::latex
