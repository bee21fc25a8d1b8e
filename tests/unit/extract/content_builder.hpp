#pragma once

#include <sstream>
#include <string>

#include "core/pdf/content.hpp"

namespace mustcite::testing {

/// Makes what the worker would report, word by word, without a PDF. Characters are half as wide as high.
class ContentBuilder {
 public:
  ContentBuilder() { content_.fonts = {"Times-Roman", "Times-Bold", "CMMI10"}; }

  void page(float width = 612, float height = 792) {
    content_.pages.emplace_back();
    content_.pages.back().width = width;
    content_.pages.back().height = height;
  }
  /// A line of words from `x`; `y` is its top. Returns where it ends.
  float line(float x, float y, const std::string& words, float size = 10, int font = 0) {
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      pdf::Word placed;
      placed.text = word;
      placed.x0 = x;
      placed.x1 = x + static_cast<float>(word.size()) * size * 0.5F;
      placed.y0 = y;
      placed.y1 = y + size;
      placed.size = size;
      placed.font = static_cast<std::uint16_t>(font);
      x = placed.x1 + size * 0.25F;
      content_.pages.back().words.push_back(placed);
    }
    return x - size * 0.25F;
  }
  void link(float x0, float y0, float x1, float y1, const std::string& destination) {
    pdf::Link link;
    link.x0 = x0;
    link.y0 = y0;
    link.x1 = x1;
    link.y1 = y1;
    link.destination = destination;
    content_.pages.back().links.push_back(link);
  }
  void destination(const std::string& name, float x, float y) {
    content_.destinations.push_back({name, static_cast<std::uint32_t>(content_.pages.size()), x, y, true});
  }
  [[nodiscard]] pdf::Content& content() { return content_; }

 private:
  pdf::Content content_;
};

}  // namespace mustcite::testing
