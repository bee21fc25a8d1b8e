#include "core/text/names.hpp"

#include <algorithm>
#include <array>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kEdges = " ,;\t\n\r";
  const std::size_t begin = text.find_first_not_of(kEdges);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kEdges) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator, begin)) {
    parts.push_back(trim(text.substr(begin, at - begin)));
    begin = at + separator.size();
  }
  parts.push_back(trim(text.substr(begin)));
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

bool is_suffix(std::string_view word) {
  constexpr std::array<std::string_view, 8> suffixes{"Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "PhD"};
  return std::find(suffixes.begin(), suffixes.end(), word) != suffixes.end();
}

bool is_nobody(std::string_view name) {
  const std::string lower = to_lower(name);
  constexpr std::array<std::string_view, 7> words{"others",  "et al", "et al.", "anonymous",
                                                  "unknown", "n/a",   "author"};
  return std::find(words.begin(), words.end(), lower) != words.end();
}

/// Words such as ada@example.org.
void drop_addresses(std::string& name) {
  for (std::size_t sign = name.find('@'); sign != std::string::npos; sign = name.find('@')) {
    const std::size_t begin = name.rfind(' ', sign) + 1;  // npos + 1 is 0
    name.erase(begin, name.find(' ', sign) - begin);
  }
}

/// Drops what is printed beside a name: footnote marks, remarks in parentheses, trailing digits, addresses.
std::string without_marks(std::string_view name) {
  name = name.substr(0, name.find_first_of("(<[*"));
  std::string kept;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t begin = at;
    const char32_t code = decode(name, at);
    if (code == U'†' || code == U'‡' || code == U'§' || code == U'¶' || code == U'∗' ||
        (code >= U'0' && code <= U'9'))
      continue;
    kept.append(name.substr(begin, at - begin));
  }
  drop_addresses(kept);
  return std::string(trim(kept));
}

std::string join(std::string_view first, std::string_view second, std::string_view third = {}) {
  std::string name(first);
  for (const std::string_view part : {second, third}) {
    if (part.empty()) continue;
    if (!name.empty()) name.push_back(' ');
    name.append(part);
  }
  return name;
}

/// "Family, Given" and "Family, Jr, Given" put in reading order.
std::string reading_order(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, ",");
  if (parts.size() < 2) return std::string(trim(name));
  if (parts.size() == 2) {
    return is_suffix(parts[1]) ? join(parts[0], parts[1]) : join(parts[1], parts[0]);
  }
  return is_suffix(parts[1]) ? join(parts[2], parts[0], parts[1]) : join(parts[1], parts[0], parts[2]);
}

bool has_several_words(std::string_view text) {
  return text.find(' ') != std::string_view::npos;
}

/// Fields with several commas list authors, unless the parts alternate as "Family, G." would.
bool lists_authors(const std::vector<std::string_view>& parts) {
  // "van der Berg, Anna Maria": a family name begins with its particle.
  const bool particle = !parts.empty() && parts[0][0] >= 'a' && parts[0][0] <= 'z';
  return !(particle && parts.size() == 2) && parts.size() >= 2 &&
         std::all_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return has_several_words(part) || is_suffix(part); });
}

}  // namespace

std::string author_name(std::string_view text) {
  const std::string cleaned = clean(text);
  const std::string name = without_marks(reading_order(without_marks(cleaned)));
  return is_nobody(name) ? std::string() : name;
}

std::vector<std::string> split_authors(std::string_view text) {
  const std::string cleaned = clean(text);
  std::vector<std::string> authors;
  const auto add = [&](std::string_view name) {
    std::string author = author_name(name);
    if (!author.empty()) authors.push_back(std::move(author));
  };
  for (const std::string_view part : split(cleaned, " and ")) {
    for (const std::string_view piece : split(part, ";")) {
      const std::vector<std::string_view> names = split(piece, ",");
      if (lists_authors(names)) {
        for (const std::string_view name : names) {
          if (!is_suffix(name)) add(name);
        }
      } else {
        add(piece);
      }
    }
  }
  return authors;
}

}  // namespace mustcite::text
