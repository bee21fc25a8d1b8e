#include <algorithm>

#include "apps/audit/latex/reader_state.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kMostSetAside = 50'000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

void Reader::put(std::string_view text) { draft_.text += text; }

void Reader::put_space() {
  if (!draft_.text.empty() && draft_.text.back() != ' ' && draft_.text.back() != '\n') draft_.text += ' ';
}

void Reader::put_paragraph() {
  std::string& text = draft_.text;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (!text.empty() && text.back() != '\n') text += "\n\n";
}

void Reader::cut_text(std::size_t size) {
  draft_.text.resize(std::min(size, draft_.text.size()));
  for (auto it = draft_.mentions.rbegin(); it != draft_.mentions.rend() && it->end > draft_.text.size(); ++it) {
    it->begin = std::min(it->begin, draft_.text.size());
    it->end = draft_.text.size();
  }
}

void Reader::put_accent(const char* mark) {
  std::string base;
  if (!scanner_.argument(base, 64)) return;
  if (base == "\\i" || base == "\\i ") base.assign(1, 'i');
  if (base == "\\j") base.assign(1, 'j');
  if (base.empty()) return;
  std::size_t first = 1;
  while (first < base.size() && (static_cast<unsigned char>(base[first]) & 0xC0U) == 0x80) ++first;
  if (!is_letter(base[0]) && static_cast<unsigned char>(base[0]) < 0x80) {
    put(base);
    return;
  }
  base.insert(first, mark);
  put(text::nfc(base));
}

SourcePosition Reader::position(const Place& place) const {
  if (place.line == 0 || place.file >= file_names_.size()) return {draft_.main_file, 0};
  return {file_names_[place.file], place.line};
}

void Reader::problem(const Place& place, std::string what) {
  SourcePosition where = position(place);
  draft_.note(std::move(where.file), where.line, std::move(what));
}

void Reader::set_aside(std::string_view text, std::size_t offset, const char* reason) {
  std::size_t at = 0;
  while ((at = text.find('\\', at)) != std::string_view::npos && draft_.set_aside.size() < kMostSetAside) {
    std::size_t end = at + 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const std::size_t begin = at;
    at = std::max(end, at + 2);
    const CiteShape shape = cite_shape(name);
    if (shape == CiteShape::none) continue;
    if (end < text.size() && text[end] == '*') ++end;
    while (end < text.size() && text[end] == '[') {
      const std::size_t close = text.find(']', end);
      if (close == std::string_view::npos || close - end > 400) break;
      end = close + 1;
    }
    if (end >= text.size() || text[end] != '{') continue;
    const std::size_t close = text.substr(end, 4096).find('}');
    if (close == std::string_view::npos) continue;
    const SourcePosition where = position(scanner_.place_at(offset + begin));
    const std::string list = without_comments(text.substr(end + 1, close - 1));
    std::size_t from = 0;
    while (from <= list.size() && draft_.set_aside.size() < kMostSetAside) {
      const std::size_t comma = std::min(list.find(',', from), list.size());
      std::size_t first = from;
      std::size_t last = comma;
      while (first < last && static_cast<unsigned char>(list[first]) <= ' ') ++first;
      while (last > first && static_cast<unsigned char>(list[last - 1]) <= ' ') --last;
      if (last > first && last - first <= 300) draft_.set_aside.push_back({list.substr(first, last - first), reason, where});
      from = comma + 1;
    }
    at = end + close;
  }
}

}  // namespace mustcite::audit::latex
