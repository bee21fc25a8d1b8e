#include "apps/audit/numbered_references.hpp"

#include <algorithm>
#include <unordered_set>

#include "apps/audit/bibliography.hpp"

namespace mustcite::audit {
namespace {

constexpr std::size_t kMostMentions = 200'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that starts an entry, and where its text begins; 0 when the line starts none.
std::size_t entry_number(std::string_view line, std::size_t& behind) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos) return 0;
  const bool bracket = line[at] == '[';
  if (bracket) ++at;
  std::size_t number = 0;
  std::size_t digits = 0;
  while (at < line.size() && is_digit(line[at]) && digits < 5) {
    number = number * 10 + static_cast<std::size_t>(line[at++] - '0');
    ++digits;
  }
  if (digits == 0 || at >= line.size()) return 0;
  if (bracket ? line[at] != ']' : (line[at] != '.' && line[at] != ')')) return 0;
  behind = at + 1;
  if (!bracket && (digits > 3 || behind >= line.size() || line[behind] != ' ')) return 0;
  return number;
}

}  // namespace

void read_numbered_references(const std::vector<NumberedLine>& lines, const std::string& file, Draft& draft) {
  std::string pending;
  std::string key;
  std::uint32_t line_number = 0;
  std::size_t unnumbered = 0;
  const auto flush = [&] {
    if (!pending.empty()) {
      BibEntry entry;
      entry.reference = parse_printed_reference(pending);
      entry.reference.key = key.empty() ? "reference " + std::to_string(++unnumbered) : key;
      entry.type = "list";
      entry.note = entry.reference.venue;
      entry.where = {file, line_number};
      if (!entry.reference.raw.empty()) draft.bibliography.push_back(std::move(entry));
    }
    pending.clear();
    key.clear();
  };
  for (const auto& line : lines) {
    std::size_t behind = 0;
    if (const std::size_t number = entry_number(line.text, behind); number != 0) {
      flush();
      key = std::to_string(number);
      line_number = line.number;
      pending = line.text.substr(behind);
    } else if (line.text.find_first_not_of(" \t") == std::string::npos) {
      if (key.empty()) flush();
    } else {
      if (pending.empty()) line_number = line.number;
      if (pending.size() < 20'000) pending += (pending.empty() ? "" : " ") + line.text;
    }
  }
  flush();
  draft.printed_bibliography = !draft.bibliography.empty();
}

void mark_numbers(Draft& draft) {
  std::unordered_set<std::string> known;
  for (const auto& entry : draft.bibliography) known.insert(entry.reference.key);
  const std::string_view text = draft.text;
  for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
    const std::size_t close = text.substr(0, std::min(text.size(), open + 100)).find(']', open);
    if (close == std::string_view::npos) continue;
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    if (inside.empty() || inside.find_first_not_of("0123456789,;- \xE2\x80\x93") != std::string_view::npos) continue;
    std::size_t last = 0;
    bool range = false;
    for (std::size_t i = 0; i < inside.size();) {
      if (!is_digit(inside[i])) {
        range = range || inside[i] == '-' || static_cast<unsigned char>(inside[i]) >= 0x80;
        if (inside[i] == ',' || inside[i] == ';') range = false;
        ++i;
        continue;
      }
      std::size_t number = 0;
      while (i < inside.size() && is_digit(inside[i])) number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(inside[i++] - '0'), 100'000);
      const std::size_t first = range && number > last && number - last < 200 ? last + 1 : number;
      for (std::size_t n = first; n <= number && draft.mentions.size() < kMostMentions; ++n) {
        if (!known.contains(std::to_string(n))) continue;
        DraftMention mention;
        mention.key = std::to_string(n);
        mention.command = "[n]";
        mention.begin = open;
        mention.end = close + 1;
        mention.where = {draft.main_file, 0};
        draft.mentions.push_back(std::move(mention));
      }
      last = number;
      range = false;
    }
  }
}

}  // namespace mustcite::audit
