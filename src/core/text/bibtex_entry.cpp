#include <algorithm>
#include <array>

#include "core/text/bibtex.hpp"
#include "core/text/latex.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::text {
namespace {

bool blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Calls `separator(i)` for each position outside braces; it returns how many bytes separate there (0: none).
template <typename Separator>
std::vector<std::string_view> split_outside_braces(std::string_view text, const Separator& separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth > 0) --depth;
    const std::size_t width = depth == 0 ? separator(i) : 0;
    if (width == 0) {
      ++i;
      continue;
    }
    parts.push_back(trim(text.substr(begin, i - begin)));
    i += width;
    begin = i;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

std::vector<std::string_view> split_people(std::string_view text) {
  return split_outside_braces(text, [&](std::size_t i) -> std::size_t {
    if (i + 5 > text.size() || !blank(text[i]) || !blank(text[i + 4])) return 0;
    const auto is = [&](std::size_t at, char c) { return (text[at] | 0x20) == c; };
    // The blank after "and" stays, to separate once more: "and and".
    return is(i + 1, 'a') && is(i + 2, 'n') && is(i + 3, 'd') ? 4 : 0;
  });
}

std::vector<std::string_view> split_commas(std::string_view text) {
  return split_outside_braces(text, [&](std::size_t i) -> std::size_t { return text[i] == ',' ? 1 : 0; });
}

std::string decoded(std::string_view text) {
  return clean(latex_to_text(text, LatexSource::bibtex));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!name.empty()) name.push_back(' ');
    name += part;
  }
  return name;
}

/// BibLaTeX's "family=Doe, given=Jane, prefix=von".
std::string keyed_name(const std::vector<std::string_view>& parts) {
  std::string given, prefix, family, suffix;
  for (const std::string_view part : parts) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trim(part.substr(0, equals));
    const std::string value = decoded(trim(part.substr(equals + 1)));
    if (key == "given") given = value;
    if (key == "prefix") prefix = value;
    if (key == "family") family = value;
    if (key == "suffix") suffix = value;
  }
  return joined({given, prefix, family, suffix});
}

std::string reading_order(std::string_view name) {
  const std::vector<std::string_view> parts = split_commas(name);
  if (name.find("family=") != std::string_view::npos || name.find("family =") != std::string_view::npos)
    return keyed_name(parts);
  if (parts.size() == 1) return decoded(parts[0]);
  if (parts.size() == 2) return joined({decoded(parts[1]), decoded(parts[0])});
  return joined({decoded(parts[2]), decoded(parts[0]), decoded(parts[1])});
}

}  // namespace

std::vector<std::string> bibtex_people(std::string_view raw) {
  std::vector<std::string> people;
  for (const std::string_view part : split_people(raw)) {
    if (part.empty() || part == "others") continue;
    std::string name = reading_order(part);
    if (!name.empty()) people.push_back(std::move(name));
  }
  return people;
}

const std::string* BibEntry::raw(std::string_view name) const noexcept {
  for (const auto& [field, value] : fields) {
    if (field == name) return &value;
  }
  return nullptr;
}

std::string BibEntry::text(std::string_view name) const {
  const std::string* value = raw(name);
  return value == nullptr ? std::string() : decoded(*value);
}

std::string BibEntry::verbatim(std::string_view name) const {
  const std::string* value = raw(name);
  if (value == nullptr) return {};
  std::string result;
  std::string_view rest = trim(*value);
  constexpr std::string_view kUrl = "\\url";
  if (rest.substr(0, kUrl.size()) == kUrl) rest.remove_prefix(kUrl.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '{' || c == '}' || c == '\n' || c == '\r') continue;
    if (c == '\\' && i + 1 < rest.size() &&
        std::string_view("_%&#~$").find(rest[i + 1]) != std::string_view::npos)
      continue;
    result.push_back(c);
  }
  return repair_utf8(trim(result));
}

std::vector<std::string> BibEntry::people(std::string_view name) const {
  const std::string* value = raw(name);
  return value == nullptr ? std::vector<std::string>() : bibtex_people(*value);
}

int BibEntry::year() const {
  for (const char* name : {"year", "date"}) {
    const std::string value = text(name);
    const auto digit = [&](std::size_t i) { return i < value.size() && value[i] >= '0' && value[i] <= '9'; };
    for (std::size_t i = 0; i + 4 <= value.size(); ++i) {
      if (!digit(i)) continue;
      if (digit(i + 1) && digit(i + 2) && digit(i + 3) && !digit(i + 4)) return std::stoi(value.substr(i, 4));
      while (digit(i)) ++i;
    }
  }
  return 0;
}

}  // namespace mustcite::text
