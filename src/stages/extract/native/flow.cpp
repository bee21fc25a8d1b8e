#include "stages/extract/native/flow.hpp"

#include <algorithm>
#include <cctype>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::extract::native {

Flow::Flow(const Layout& layout) : layout_(&layout) {
  for (const auto& page : layout.pages) {
    page_begins_.push_back(lines_.size());
    for (const auto& line : page.lines) {
      lines_.push_back(&line);
      texts_.push_back(line.text());
    }
  }
  page_begins_.push_back(lines_.size());
}

std::pair<std::size_t, std::size_t> Flow::page(std::uint32_t number) const {
  if (number == 0 || number >= page_begins_.size()) return {0, 0};
  return {page_begins_[number - 1], page_begins_[number]};
}

bool Flow::follows(std::size_t at) const {
  if (at == 0 || at >= lines_.size()) return false;
  const Line& line = *lines_[at];
  const Line& before = *lines_[at - 1];
  return line.page == before.page && line.column == before.column && line.band == before.band &&
         line.y0 > before.y0;
}

std::string heading_key(std::string_view text) {
  const std::string folded = text::fold(text);
  std::size_t at = 0;
  // "4.1 ", "IV. ", "A.2 ": the number goes, when a word is left.
  const std::size_t space = folded.find(' ');
  if (space != std::string::npos && space <= 8) {
    const std::string_view first = std::string_view(folded).substr(0, space);
    if (first.find_first_not_of("0123456789.ivxabcdefs") == std::string_view::npos &&
        (first.size() == 1 || first.find_first_of("0123456789.") != std::string_view::npos ||
         first.find_first_not_of("ivx") == std::string_view::npos))
      at = space + 1;
  }
  std::string key;
  for (; at < folded.size(); ++at) {
    if (std::isalnum(static_cast<unsigned char>(folded[at])) != 0 ||
        static_cast<unsigned char>(folded[at]) >= 0x80)
      key += folded[at];
  }
  return key;
}

bool looks_like_heading(const Flow& flow, std::size_t at) {
  const Line& line = flow[at];
  const std::string& text = flow.text(at);
  if (text.size() < 3 || text.size() > 140 || line.tokens.size() > 16) return false;
  std::size_t letters = 0;
  std::size_t capitals = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t code = text::decode(text, i);
    if (code == text::kMalformed || !text::is_letter(code)) continue;
    ++letters;
    capitals += text::is_upper(code) ? 1 : 0;
  }
  if (letters < 3) return false;
  const bool shouted = letters >= 4 && capitals == letters;
  return line.bold || shouted || line.size > flow.layout().body_size * 1.08F;
}

void join_line(std::string& text, std::string_view line) {
  if (text.empty()) {
    text = line;
    return;
  }
  const bool hyphen = text.back() == '-' && text.size() >= 2 &&
                      std::isalpha(static_cast<unsigned char>(text[text.size() - 2])) != 0;
  std::size_t at = 0;
  const char32_t first = line.empty() ? U' ' : text::decode(line, at);
  // Addresses and ids run on: "https://doi.org/" "10.1000/1", "1998–" "2010". The hyphens of addresses are
  // their own, but for DOIs, which have few and which word processors break like words.
  const std::string_view tail =
      std::string_view(text).substr(text.rfind(' ') == std::string::npos ? 0 : text.rfind(' ') + 1);
  const bool address = tail.find("://") != std::string_view::npos || tail.starts_with("10.");
  if (hyphen && first != text::kMalformed && text::is_letter(first)) {
    const bool keeps = address && tail.find("10.") == std::string_view::npos;
    if (!text::is_upper(first) && !keeps) text.pop_back();
    text += line;
    return;
  }
  const bool runs_on = (address && std::string_view("/.-_=&?").find(text.back()) != std::string_view::npos) ||
                       (hyphen && first >= '0' && first <= '9') || text.ends_with("–") ||
                       (text.back() == '-' && first >= '0' && first <= '9');
  if (!runs_on) text += ' ';
  text += line;
}

}  // namespace mustcite::extract::native
