#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mustcite::text {

/// One bar: what stands below it, how high it is.
struct Bar {
  std::string label;
  double value = 0;
};

/// A bar chart as a stand-alone SVG: equal input gives equal bytes. Each bar carries its value; a line of
/// `marked` (an index of a bar) is dashed before it, e.g. at a threshold; -1: none.
[[nodiscard]] std::string bar_chart_svg(const std::string& title, const std::vector<Bar>& bars,
                                        int marked = -1);

}  // namespace mustcite::text
