#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/paragraph/paragraph.hpp"
#include "stages/extract/document.hpp"

namespace mustcite::cli {

/// Which sections of a paper give paragraphs.
enum class Sections {
  related,  ///< related work
  leading,  ///< related work and introduction
  all
};

/// A paper that was read, with what is known of it.
struct ParagraphSource {
  const extract::Document* document = nullptr;
  std::string name;  ///< paragraphs are called NAME-1 and so on
  PaperId citing;
  int citing_year = 0;
  /// Ids of the works that each entry of the reference list means; none: not in the catalog.
  std::vector<std::vector<PaperId>> works;
};

/// The paragraphs of a paper's sections, sentence by sentence with the works that their marks cite. Headings,
/// and paragraphs without a letter, are none. Works that the catalog does not hold are left out, so
/// paragraphs may cite nothing.
[[nodiscard]] std::vector<paragraph::Paragraph> paragraphs_of(const ParagraphSource& source,
                                                              Sections sections);

/// Paragraphs of plain text, parted by empty lines: related work of a paper called `name`. What they cite is
/// not known.
[[nodiscard]] std::vector<paragraph::Paragraph> plain_paragraphs(std::string_view text,
                                                                 const std::string& name);

}  // namespace mustcite::cli
