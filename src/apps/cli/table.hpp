#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::cli {

/// Columns a text takes on a terminal: wide East Asian characters count twice, combining marks not at all.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns, with an ellipsis when something was cut.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t width);

/// `text` broken at spaces into lines of at most `width` columns, each after `indent` spaces.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

/// Columns of the terminal on stdout; 100 when there is none.
[[nodiscard]] std::size_t terminal_width();

/// A plain table: a header, rows, columns aligned left or right.
class Table {
 public:
  enum class Align { left, right };

  void add_column(std::string title, Align align = Align::left);
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] std::string render() const;

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mustcite::cli
