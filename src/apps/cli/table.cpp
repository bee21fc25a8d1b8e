#include "apps/cli/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace mustcite::cli {
namespace {

std::size_t code_point_width(UChar32 c) {
  const int type = u_charType(c);
  if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR) return 0;
  const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

/// Calls visit(code point, end offset) until it returns false.
template <typename Visit>
void each_code_point(std::string_view text, const Visit& visit) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t i = 0; i < length;) {
    UChar32 c = 0;
    U8_NEXT(bytes, i, length, c);
    if (!visit(c < 0 ? 0xFFFD : c, static_cast<std::size_t>(i))) return;
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  each_code_point(text, [&](UChar32 c, std::size_t) {
    width += code_point_width(c);
    return true;
  });
  return width;
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  each_code_point(text, [&](UChar32 c, std::size_t after) {
    used += code_point_width(c);
    if (used > width - 1) return false;
    end = after;
    return true;
  });
  return std::string(text.substr(0, end)) + "…";
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string result;
  std::string line;
  std::size_t line_width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const std::size_t word_width = display_width(word);
    if (!line.empty() && line_width + 1 + word_width > room) {
      result += margin + line + "\n";
      line.clear();
      line_width = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++line_width;
    }
    line += word;
    line_width += word_width;
  }
  if (!line.empty()) result += margin + line + "\n";
  return result;
}

std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
    return size.ws_col;
  }
  return 100;
}

void Table::add_column(std::string title, Align align) { columns_.push_back({std::move(title), align}); }

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::render() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - display_width(cell), ' ');
      if (c > 0) text += "  ";
      text += columns_[c].align == Align::right ? padding + cell : cell + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string result = line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) result += line([&](std::size_t c) -> const std::string& { return row[c]; });
  return result;
}

}  // namespace mustcite::cli
