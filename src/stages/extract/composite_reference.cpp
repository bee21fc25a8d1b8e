#include <algorithm>
#include <cctype>

#include "core/text/printed_years.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto drop = [](char c) { return c == ' ' || c == ';' || c == ','; };
  while (!text.empty() && drop(text.front())) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

/// "A. Smith, …" or "Smith, A., …": a capital, and a name's comma or initial soon.
bool starts_with_name(std::string_view part) {
  if (part.empty() || std::isupper(static_cast<unsigned char>(part[0])) == 0) return false;
  const std::string_view head = part.substr(0, 40);
  return (head.size() > 2 && head[1] == '.') || head.find(", ") != std::string_view::npos;
}

bool is_work(std::string_view part) {
  return part.size() >= 20 && starts_with_name(part) && !text::printed_years(part).empty();
}

/// Cuts at "(a) ", "(b) ", … when they count up from the entry's beginning.
std::vector<std::string> by_letters(std::string_view raw) {
  std::vector<std::size_t> cuts;
  for (char letter = 'a'; letter <= 'p'; ++letter) {
    const std::string mark = std::string("(") + letter + ") ";
    const std::size_t at = raw.find(mark, cuts.empty() ? 0 : cuts.back());
    if (at == std::string_view::npos || (cuts.empty() && at > 2)) break;
    cuts.push_back(at);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cuts.size() && cuts.size() >= 2; ++i) {
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1] : raw.size();
    parts.emplace_back(trimmed(raw.substr(cuts[i] + 4, end - cuts[i] - 4)));
  }
  return parts;
}

}  // namespace

std::vector<std::string> composite_parts(std::string_view raw) {
  if (auto lettered = by_letters(raw); !lettered.empty()) return lettered;
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = raw.find("; "); at != std::string_view::npos; at = raw.find("; ", at + 2)) {
    // Semicolons part authors as well: both sides must be whole works.
    if (!is_work(trimmed(raw.substr(from, at - from))) || !is_work(trimmed(raw.substr(at + 2)))) continue;
    parts.emplace_back(trimmed(raw.substr(from, at - from)));
    from = at + 2;
  }
  if (parts.empty()) return {};
  parts.emplace_back(trimmed(raw.substr(from)));
  return parts;
}

}  // namespace mustcite::extract
