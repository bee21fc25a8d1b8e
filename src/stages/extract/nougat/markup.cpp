#include "stages/extract/nougat/markup.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace mustcite::extract::nougat {
namespace {

/// A table longer than this was never closed.
constexpr std::size_t kMostTableLines = 400;
constexpr std::size_t kMostFormulaLines = 60;
constexpr std::size_t kLongestCell = 1000;

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> lines_of(std::string_view markup) {
  std::vector<std::string_view> lines;
  while (!markup.empty()) {
    const std::size_t end = std::min(markup.find('\n'), markup.size());
    lines.push_back(trimmed(markup.substr(0, end)));
    markup.remove_prefix(std::min(markup.size(), end + 1));
  }
  return lines;
}

/// "\begin{table*}" gives "table*".
std::string_view environment_of(std::string_view line) {
  if (!line.starts_with("\\begin{")) return {};
  const std::size_t close = line.find('}');
  if (close == std::string_view::npos) return {};
  const std::string_view name = line.substr(7, close - 7);
  constexpr std::array kNames{"table", "table*", "tabular", "figure", "figure*"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ? name : std::string_view{};
}

/// "* ", "** [12]": stars of a list item. 0: none. "**Bold** text" is no item.
std::size_t item_mark(std::string_view line) {
  std::size_t stars = 0;
  while (stars < line.size() && stars < 3 && line[stars] == '*') ++stars;
  if (stars == 0) return line.starts_with("- ") ? 2 : 0;
  return stars < line.size() && line[stars] == ' ' ? stars + 1 : 0;
}

/// Cells and rows of a table without its commands.
std::string table_text(std::string_view source) {
  std::string out;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (c == '&') {
      out += ' ';
      ++at;
    } else if (c == '\\') {
      if (source.substr(at).starts_with("\\\\")) {
        out += '\n';
        at += 2;
        continue;
      }
      if (source.substr(at).starts_with("\\(")) {  // a formula in a cell
        const std::string_view cell = source.substr(at, kLongestCell);
        const std::size_t close = std::min(cell.find("\\)"), cell.size());
        out += cell.substr(0, close + 2);
        at += std::min(close + 2, cell.size());
        continue;
      }
      std::size_t end = at + 1;
      while (end < source.size() && std::isalpha(static_cast<unsigned char>(source[end])) != 0) ++end;
      const std::string_view command = source.substr(at + 1, end - at - 1);
      if (command.empty()) {  // "\%"
        out += source.substr(at + 1, 1);
        at = std::min(at + 2, source.size());
        continue;
      }
      // Arguments that are layout: "{table}", "{l c c}", "{2}{c}" of \multicolumn.
      const std::size_t layout = command == "begin" || command == "end" ? 2
                                 : command == "multicolumn"             ? 2
                                                                        : 1;
      const bool drops = command == "begin" || command == "end" || command == "multicolumn" ||
                         command == "cline" || command == "cmidrule";
      at = end;
      for (std::size_t i = 0; drops && i < layout && at < source.size() && source[at] == '{'; ++i) {
        const std::size_t close = source.find('}', at);
        if (close == std::string_view::npos) break;
        at = close + 1;
      }
      out += ' ';
    } else {
      if (c != '{' && c != '}') out += c;
      ++at;
    }
  }
  return out;
}

class BlockReader {
 public:
  explicit BlockReader(std::string_view markup) : lines_(lines_of(markup)) {}

  std::vector<Block> read() {
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (line.empty()) {
        close();
        ++at_;
      } else if (line.starts_with("[MISSING_PAGE")) {
        lost_page(line);
      } else if (line.starts_with("+++")) {
        repetition();
      } else if (const int level = heading_level(line); level > 0) {
        close();
        const auto words = trimmed(line.substr(static_cast<std::size_t>(level)));
        blocks_.push_back({Block::Kind::heading, level, std::string(words)});
        ++at_;
      } else if (const auto name = environment_of(line); !name.empty()) {
        table(name);
      } else if (line.starts_with("\\[")) {
        formula();
      } else if (const std::size_t mark = item_mark(line); mark > 0) {
        close();
        open_ = Block::Kind::item;
        text_ = trimmed(line.substr(mark));
        ++at_;
        // An empty item is none.
        if (text_.empty()) open_ = Block::Kind::paragraph;
      } else {
        if (!text_.empty()) text_ += ' ';
        text_ += line;
        ++at_;
      }
    }
    close();
    return std::move(blocks_);
  }

 private:
  static int heading_level(std::string_view line) {
    std::size_t level = 0;
    while (level < line.size() && line[level] == '#') ++level;
    return level >= 1 && level <= 6 && level + 1 < line.size() && line[level] == ' ' ? static_cast<int>(level)
                                                                                     : 0;
  }

  void close() {
    if (!text_.empty()) blocks_.push_back({open_, 0, std::move(text_)});
    text_.clear();
    open_ = Block::Kind::paragraph;
  }

  /// "[MISSING_PAGE_EMPTY:5]"; text may be glued behind it.
  void lost_page(std::string_view line) {
    close();
    const std::size_t end = std::min(line.find(']'), line.size() - 1);
    blocks_.push_back({Block::Kind::lost_page, 0, std::string(line.substr(0, end + 1))});
    lines_[at_] = trimmed(line.substr(end + 1));
    if (lines_[at_].empty()) ++at_;
  }

  /// "+++ ==WARNING: Truncated because of repetitions==", the repeated text, "+++".
  void repetition() {
    close();
    std::string cut;
    std::size_t end = at_ + 1;
    while (end < lines_.size() && end < at_ + kMostTableLines && !lines_[end].starts_with("+++")) {
      cut += std::string(lines_[end]) + ' ';
      ++end;
    }
    if (end == lines_.size() || !lines_[end].starts_with("+++")) {  // never closed
      cut.clear();
      end = at_;
    }
    blocks_.push_back({Block::Kind::repetition, 0, cut.substr(0, 2000)});
    at_ = end + 1;
  }

  void table(std::string_view name) {
    close();
    const std::string closing = "\\end{" + std::string(name) + "}";
    std::string source;
    std::size_t end = at_;
    const std::size_t limit = std::min(lines_.size(), at_ + kMostTableLines);
    while (end < limit && lines_[end].find(closing) == std::string_view::npos) ++end;
    if (end == limit) {  // never closed: until the paragraph's end
      end = at_;
      while (end + 1 < lines_.size() && !lines_[end + 1].empty()) ++end;
    }
    for (std::size_t i = at_; i <= end; ++i) source += std::string(lines_[i]) + '\n';
    blocks_.push_back({Block::Kind::table, 0, table_text(source)});
    at_ = end + 1;
  }

  void formula() {
    close();
    std::string source;
    const std::size_t limit = std::min(lines_.size(), at_ + kMostFormulaLines);
    std::size_t end = at_;
    while (end < limit && lines_[end].find("\\]") == std::string_view::npos) ++end;
    if (end == limit) end = at_;
    for (std::size_t i = at_; i <= end; ++i) source += (source.empty() ? "" : " ") + std::string(lines_[i]);
    // "\[x\] where [3] …": what follows the formula is text.
    std::size_t last = 0;
    for (std::size_t close = source.find("\\]"); close != std::string::npos;
         close = source.find("\\]", close + 2)) {
      last = close + 2;
      const std::size_t next = source.find_first_not_of(' ', last);
      if (next == std::string::npos || source.compare(next, 2, "\\[") != 0) break;
    }
    if (last == 0) last = source.size();
    blocks_.push_back({Block::Kind::formula, 0, source.substr(0, last)});
    text_ = trimmed(std::string_view(source).substr(last));
    at_ = end + 1;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::vector<Block> blocks_;
  Block::Kind open_ = Block::Kind::paragraph;
  std::string text_;
};

}  // namespace

std::vector<Block> read_blocks(std::string_view markup) {
  return BlockReader(markup).read();
}

}  // namespace mustcite::extract::nougat
