#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mustcite::reproduce {

/// A line of a figure: its points by rising x. `style` chooses colour and dashes, the same in all figures.
struct PlotLine {
  std::string label;
  std::size_t style = 0;
  std::vector<double> y;
};

/// A figure of lines over K on a logarithmic axis, as inline SVG. Colours are the page's `--line-0` to
/// `--line-7`, so that they suit light and dark pages. `x` are the values of K, rising.
[[nodiscard]] std::string curve_svg(const std::string& title, const std::vector<double>& x,
                                    const std::vector<PlotLine>& lines);

/// Tiers have colours from this style on, so that few of them are also those of a method.
inline constexpr std::size_t kFirstTierStyle = 5;

/// A value with its interval.
struct PlotDot {
  double value = 0;
  double low = 0;
  double high = 0;
};
struct PlotRow {
  std::string label;
  std::vector<std::optional<PlotDot>> dots;  ///< one for each series
};

/// A row for each method with a dot for each series, and its interval as a line.
[[nodiscard]] std::string dots_svg(const std::string& title, const std::vector<std::string>& series,
                                   const std::vector<PlotRow>& rows);

/// A piece of a line in its style, for a legend.
[[nodiscard]] std::string swatch_svg(std::size_t style);

}  // namespace mustcite::reproduce
