#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/reproduce/tables/published.hpp"
#include "apps/reproduce/tables/table.hpp"

namespace mustcite::reproduce {

/// A grid of values: what every format prints in its own way.
struct Grid {
  struct Value {
    bool there = false;  ///< false: the row has none
    evaluate::Cell cell;
    bool best = false;  ///< of its column
  };
  struct Line {
    std::string label;
    std::string text;  ///< of the column `text_header`
    bool starts_group = false;
    std::vector<Value> values;
  };
  std::vector<std::string> header;  ///< of the values
  std::string text_header;          ///< empty: the lines have no text
  std::vector<Line> lines;
};

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> lines;
};

/// A part of the page: a title, then what it has of lines, grid and table.
struct Section {
  std::string title;
  std::vector<std::string> lines;
  std::optional<Grid> grid;
  std::optional<TextTable> table;
};

/// The whole table, part by part: what it is of, a part for each tier, the summary, rows without values and
/// what makes them, the check where there is one, how to read it.
[[nodiscard]] std::vector<Section> sections(const TableReport& report, const PublishedCheck* check);

/// `MAP` → `MAP`, `nDCG@10` → `nD@10`, `Recall@50` → `R@50`: as the published tables have them.
[[nodiscard]] std::string short_name(const std::string& metric);

}  // namespace mustcite::reproduce
