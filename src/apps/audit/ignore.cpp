#include "apps/audit/ignore.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mustcite/error.hpp"

namespace mustcite::audit {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

IgnoreList IgnoreList::parse(std::string_view content, const std::string& file) {
  IgnoreList list;
  list.file_ = file;
  std::uint32_t number = 0;
  std::size_t at = 0;
  while (at < content.size() && list.lines_.size() < 100'000) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view line = trimmed(content.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    // A reason starts with " #": keys may contain the sign.
    const std::size_t mark = line.find(" #");
    std::string_view words = line.substr(0, mark);
    Line item;
    item.number = number;
    if (mark != std::string_view::npos) item.reason = std::string(trimmed(line.substr(mark + 2)));
    const std::string_view kind = next_word(words);
    item.subject = std::string(next_word(words));
    item.field = std::string(next_word(words));
    try {
      item.kind = parse_finding(kind);
    } catch (const Error& unknown) {
      list.broken_.push_back(fmt::format("{}:{}: {}", file, number, unknown.what()));
      continue;
    }
    if (item.subject.empty() || item.reason.empty()) {
      list.broken_.push_back(fmt::format("{}:{}: {}; the line is not obeyed", file, number,
                                         item.subject.empty() ? "a key or paper id is missing" : "a reason is missing (write it behind \" # \")"));
      continue;
    }
    list.lines_.push_back(std::move(item));
  }
  return list;
}

const std::string* IgnoreList::answer(const Finding& finding) {
  for (Line& line : lines_) {
    if (line.kind != finding.kind) continue;
    if (line.subject != "*" && line.subject != finding.subject) continue;
    if (!line.field.empty() && line.field != finding.field) continue;
    line.used = true;
    return &line.reason;
  }
  return nullptr;
}

std::vector<std::string> IgnoreList::notes() const {
  std::vector<std::string> notes = broken_;
  for (const Line& line : lines_) {
    if (!line.used) notes.push_back(fmt::format("{}:{}: {} {} answers nothing any more", file_, line.number, finding_name(line.kind), line.subject));
  }
  return notes;
}

}  // namespace mustcite::audit
