#include "apps/audit/latex/scanner.hpp"

#include <algorithm>

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kWasteLimit = std::size_t{16} << 20;
/// How far an end is looked for when too many were missing.
constexpr std::size_t kShort = 200;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '@'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::size_t closing_brace(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  const std::size_t end = std::min(text.size(), most);
  for (std::size_t i = 0; i < end; ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (c == '%') {
      const std::size_t line = text.find('\n', i);
      if (line == std::string_view::npos) return std::string_view::npos;
      i = line;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      result += text[i];
      result += text[++i];
    } else if (text[i] == '%') {
      const std::size_t line = text.find('\n', i);
      if (line == std::string_view::npos) break;
      i = line;
    } else {
      result += text[i];
    }
  }
  return result;
}

void Scanner::push_file(std::string content, std::uint32_t file) {
  Frame frame;
  frame.text = std::move(content);
  frame.file = file;
  frame.is_file = true;
  frames_.push_back(std::move(frame));
  ++file_depth_;
}

void Scanner::push_body(std::string body) {
  Frame frame;
  frame.text = std::move(body);
  frames_.push_back(std::move(frame));
}

void Scanner::pop() {
  if (frames_.back().is_file) --file_depth_;
  frames_.pop_back();
}

void Scanner::end_file() {
  while (!frames_.empty() && !frames_.back().is_file) frames_.pop_back();
  if (!frames_.empty()) frames_.back().at = frames_.back().text.size();
}

bool Scanner::has_file(std::uint32_t file) const noexcept {
  return std::any_of(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.is_file && f.file == file; });
}

std::uint32_t Scanner::file() const noexcept {
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    if (it->is_file) return it->file;
  }
  return 0;
}

Place Scanner::place() { return place_at(0); }

Place Scanner::place_at(std::size_t offset) {
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    if (!it->is_file) {
      offset = 0;  // inside a macro: the call's place
      continue;
    }
    Frame& frame = *it;
    const std::size_t at = std::min(frame.at + offset, frame.text.size());
    if (at < frame.counted) {
      frame.line -= static_cast<std::uint32_t>(
          std::count(frame.text.begin() + static_cast<std::ptrdiff_t>(at),
                     frame.text.begin() + static_cast<std::ptrdiff_t>(frame.counted), '\n'));
    } else {
      frame.line += static_cast<std::uint32_t>(
          std::count(frame.text.begin() + static_cast<std::ptrdiff_t>(frame.counted),
                     frame.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
    frame.counted = at;
    return {frame.file, frame.line};
  }
  return {};
}

void Scanner::skip_to_argument() {
  while (!frames_.empty()) {
    if (at_end()) {
      if (frames_.back().is_file) return;
      pop();
      continue;
    }
    const std::string_view text = rest();
    std::size_t i = 0;
    int line_ends = 0;
    while (i < text.size()) {
      if (text[i] == '\n') ++line_ends;
      if (line_ends > 1) return;
      if (text[i] == '%') {
        i = std::min(text.find('\n', i), text.size() - 1);
      } else if (!is_space(text[i])) {
        break;
      }
      ++i;
    }
    skip(i);
    if (!at_end()) return;
  }
}

bool Scanner::argument(std::string& content, std::size_t most) {
  content.clear();
  skip_to_argument();
  if (frames_.empty() || at_end()) return false;
  const std::string_view text = rest();
  if (is_space(text.front()) || text.front() == '}') return false;
  if (text.front() != '{') {
    if (text.front() == '\\') {
      content = command_name();
      content.insert(content.begin(), '\\');
    } else {
      content.assign(1, text.front());
      skip(1);
    }
    return true;
  }
  if (wasted_ > kWasteLimit) most = std::min(most, kShort);
  const std::size_t end = closing_brace(text, most);
  if (end == std::string_view::npos) {
    wasted_ += std::min(most, text.size());
    return false;
  }
  content = text.substr(1, end - 2);
  skip(end);
  return true;
}

bool Scanner::bracket(std::string& content, std::size_t most) { return delimited('[', ']', content, most); }

bool Scanner::delimited(char open, char close, std::string& content, std::size_t most) {
  content.clear();
  skip_to_argument();
  if (frames_.empty() || at_end()) return false;
  const std::string_view text = rest();
  if (text.front() != open) return false;
  if (wasted_ > kWasteLimit) most = std::min(most, kShort);
  std::size_t braces = 0;
  const std::size_t end = std::min(text.size(), most);
  for (std::size_t i = 1; i < end; ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (c == '{') {
      ++braces;
    } else if (c == '}') {
      if (braces == 0) break;
      --braces;
    } else if (c == close && braces == 0) {
      content = text.substr(1, i - 1);
      skip(i + 1);
      return true;
    }
  }
  wasted_ += std::min(end, text.size());
  return false;
}

bool Scanner::star() {
  if (frames_.empty() || at_end() || rest().front() != '*') return false;
  skip(1);
  return true;
}

std::string Scanner::command_name() {
  const std::string_view text = rest();
  if (text.size() < 2) {
    skip(text.size());
    return {};
  }
  std::size_t end = 1;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end == 1) {
    // Not a letter: one character, all bytes of it.
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) ++end;
  }
  std::string name(text.substr(1, end - 1));
  skip(end);
  return name;
}

}  // namespace mustcite::audit::latex
