#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stages/extract/document.hpp"

/// The parts of the TEI reader.
namespace mustcite::extract::tei {

/// Elements nested deeper than this are left out: GROBID nests a dozen deep.
inline constexpr int kDeepest = 60;

/// A `<ref type="bibr">` of the text.
struct Mark {
  Span span;                         ///< of its text, brackets and commas around it left out
  std::vector<std::string> targets;  ///< ids of entries, without '#'; empty: GROBID did not link it
  Box box;
};

/// The text with what stands in it.
struct Body {
  std::string text;
  std::vector<Section> sections;
  std::vector<int> levels;  ///< of the sections
  std::vector<Mark> marks;  ///< ascending
};

/// Abstract, body and back matter in that order; captions, tables and footnotes, which GROBID moves behind
/// the body, make the last section, without a heading.
[[nodiscard]] Body read_body(const pugi::xml_node& root);

/// The entries of the reference list. A raw string that GROBID did not keep is composed of the fields.
[[nodiscard]] std::vector<ReferenceEntry> read_references(const pugi::xml_node& root);

/// Sets style and numeric labels of `document.references` from what the marks print, then the mentions, and
/// notes what does not fit. Text and references must be set.
void link_marks(Document& document, const std::vector<Mark>& marks, double min_confidence);

/// Text of an element with everything below it, white space folded, in NFC.
[[nodiscard]] std::string text_of(const pugi::xml_node& node);
/// `<persName>` as "Given Family"; empty when it holds no surname.
[[nodiscard]] std::string person(const pugi::xml_node& name);
/// The first place of a `coords` attribute ("page,x,y,width,height;…"); unknown when there is none.
[[nodiscard]] Box place_of(const pugi::xml_node& node);
/// The child of that name, whatever its prefix.
[[nodiscard]] bool is(const pugi::xml_node& node, std::string_view name);

}  // namespace mustcite::extract::tei
