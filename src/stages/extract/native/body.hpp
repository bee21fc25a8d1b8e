#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/extract/document.hpp"
#include "stages/extract/native/headings.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {

/// Where a word of the text stands on paper.
struct Piece {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  std::uint32_t page = 1;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool raised = false;
  bool math = false;
};

struct Body {
  std::string text;
  std::vector<Section> sections;
  std::vector<int> levels;     ///< of the sections
  std::vector<Piece> pieces;   ///< ascending
  std::size_t supplement = 0;  ///< where text with a reference list of its own begins; 0: none
};

/// Joins the lines outside the reference list to paragraphs under their headings, from line `from` on.
/// Captions and notes wait until the paragraph that they interrupt ends.
[[nodiscard]] Body make_body(const Flow& flow, const ReferenceList& list,
                             const std::vector<Heading>& headings, std::size_t from);

/// Title and authors from the head of the first page, and the line that the body begins with.
struct FrontMatter {
  std::string title;
  std::vector<std::string> authors;
  std::size_t body_begin = 0;
};
[[nodiscard]] FrontMatter read_front_matter(const Flow& flow, const std::vector<Heading>& headings,
                                            const pdf::Content& content);

}  // namespace mustcite::extract::native
