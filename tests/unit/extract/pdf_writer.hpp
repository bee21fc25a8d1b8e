#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace mustcite::testing {

/// Writes small PDF files in Times and its bold, places counted from the top left corner.
class PdfWriter {
 public:
  void page(double width = 612, double height = 792) { pages_.push_back({width, height, "", ""}); }
  void text(double x, double y, double size, const std::string& words, bool bold = false) {
    std::string escaped;
    for (const char c : words) {
      if (c == '(' || c == ')' || c == '\\') escaped += '\\';
      escaped += c;
    }
    pages_.back().content += fmt::format("BT /{} {} Tf {} {} Td ({}) Tj ET\n", bold ? "B" : "R", size, x,
                                         pages_.back().height - y, escaped);
  }
  void raw(const std::string& content) { pages_.back().content += content; }
  void link(double x0, double y0, double x1, double y1, const std::string& destination) {
    pages_.back().annotations +=
        fmt::format("<</Type/Annot/Subtype/Link/Rect[{} {} {} {}]/Border[0 0 0]/A<</S/GoTo/D({})>>>>", x0,
                    pages_.back().height - y1, x1, pages_.back().height - y0, destination);
  }
  void destination(const std::string& name, double x, double y) {
    destinations_.push_back({name, pages_.size() - 1, x, pages_.back().height - y});
  }
  /// An encryption dictionary whose password nobody knows.
  void encrypt() { encrypted_ = true; }

  [[nodiscard]] std::string bytes() const {
    std::vector<std::string> objects(4);  // 1 catalog, 2 pages, 3 and 4 fonts
    std::string kids;
    for (std::size_t p = 0; p < pages_.size(); ++p) kids += fmt::format("{} 0 R ", 5 + 2 * p);
    std::string names;
    for (const auto& d : destinations_)
      names += fmt::format("({})[{} 0 R/XYZ {} {} 0]", d.name, 5 + 2 * d.page, d.x, d.y);
    objects[0] = "<</Type/Catalog/Pages 2 0 R" +
                 (names.empty() ? std::string() : "/Names<</Dests<</Names[" + names + "]>>>>") + ">>";
    objects[1] = fmt::format("<</Type/Pages/Kids[{}]/Count {}>>", kids, pages_.size());
    objects[2] = "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>";
    objects[3] = "<</Type/Font/Subtype/Type1/BaseFont/Times-Bold/Encoding/WinAnsiEncoding>>";
    for (const auto& page : pages_) {
      objects.push_back(
          fmt::format("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {} {}]/Resources<</Font<</R 3 0 R/B 4 0 "
                      "R>>>>/Contents {} 0 R/Annots[{}]>>",
                      page.width, page.height, objects.size() + 2, page.annotations));
      objects.push_back(
          fmt::format("<</Length {}{}>>stream\n{}\nendstream", page.content.size(), filter_, page.content));
    }
    std::string out = "%PDF-1.5\n";
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      offsets.push_back(out.size());
      out += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const std::size_t start = out.size();
    out += fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
    for (const std::size_t offset : offsets) out += fmt::format("{:010} 00000 n \n", offset);
    const std::string encryption = encrypted_ ? "/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -1/O<" +
                                                    std::string(64, 'A') + ">/U<" + std::string(64, 'B') +
                                                    ">>>/ID[<00><00>]"
                                              : "";
    out += fmt::format("trailer\n<</Size {}/Root 1 0 R{}>>\nstartxref\n{}\n%%EOF\n", objects.size() + 1,
                       encryption, start);
    return out;
  }

  /// Says that the pages' contents are compressed: `raw` gives them so.
  void deflated() { filter_ = "/Filter/FlateDecode"; }

 private:
  struct PageParts {
    double width, height;
    std::string content, annotations;
  };
  struct Place {
    std::string name;
    std::size_t page;
    double x, y;
  };
  std::vector<PageParts> pages_;
  std::vector<Place> destinations_;
  std::string filter_;
  bool encrypted_ = false;
};

}  // namespace mustcite::testing
