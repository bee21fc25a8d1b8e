#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schema/paper.hpp"

/// What does this paper cite, where and how often? One model, whichever reader made it.
namespace mustcite::extract {

/// Who read the paper.
enum class Reader { native, grobid, nougat };
/// `native`, `grobid`, `nougat`.
[[nodiscard]] const char* reader_name(Reader reader) noexcept;

/// What a section is for, told from its heading and the headings above it.
enum class SectionKind {
  abstract,
  introduction,
  related_work,
  method,
  experiments,
  discussion,
  conclusion,
  appendix,
  other
};
/// `abstract`, `introduction`, `related work`, `method`, `experiments`, `discussion`, `conclusion`,
/// `appendix`, `other`.
[[nodiscard]] const char* section_kind_name(SectionKind kind) noexcept;
/// The kind that a heading names by itself ("4 Experiments", "IV. RELATED WORK"); `other` when it names none.
[[nodiscard]] SectionKind kind_of_heading(std::string_view heading);

/// A place on a page, in points from the top left corner. `page` counts from 1; 0: not known (Nougat has no
/// places).
struct Box {
  std::uint32_t page = 0;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] bool known() const noexcept { return page != 0; }
};

/// Bytes [begin, end) of `Document::text`.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Span&) const = default;
};

/// A part of the body under one heading. Sections are in order, do not overlap, and together cover the whole
/// text; a section ends where the next heading begins, also when that is a subsection.
struct Section {
  std::string heading;  ///< as printed, number included: "4.1 Datasets"; empty before the first heading
  std::vector<std::string> path;  ///< headings from the outermost to this one
  SectionKind kind = SectionKind::other;
  Span span;  ///< the heading itself included
};

/// One entry of the reference list.
struct ReferenceEntry {
  /// What is known of the work. `fields.raw` is the entry as printed, on one line, without its label.
  Reference fields;
  std::string label;  ///< as printed without brackets: "12", "KPR+17"; empty in author-year lists
  /// Family names in order, folded (lower case, no accents): what author-year mentions are matched with. May
  /// hold only the first one.
  std::vector<std::string> surnames;
  char year_letter = 0;     ///< 'a' of 2017a; 0: none
  Box box;                  ///< of the entry's first line block
  std::string destination;  ///< name of the PDF destination (`cite.kingma2014`), or the TEI id; may be empty
  /// Works of an entry that lists several ("(a) …; (b) …"), the first included; empty for ordinary entries.
  std::vector<Reference> parts;
};

/// What led from a mention to its reference. A mention may have several.
enum class Evidence : std::uint8_t {
  link = 1,         ///< a link annotation or the TEI target
  label = 2,        ///< the printed label: number or alpha tag
  author_year = 4,  ///< surname and year
  superscript = 8,  ///< the label stands raised
};

/// One printed marker: "12", "7-9" or "Kingma and Ba, 2015". A bracket with several markers makes several
/// mentions of one `group`. A range names several references.
struct Mention {
  Span span;                              ///< of the marker without brackets
  std::vector<std::uint32_t> references;  ///< indices into Document::references, ascending; never empty
  std::uint32_t group = 0;                ///< mentions with the same number share one bracket
  std::uint32_t section = 0;              ///< index into Document::sections
  double confidence = 0;                  ///< that it is a citation of these references
  std::uint8_t evidence = 0;              ///< bits of Evidence
  Box box;
  [[nodiscard]] bool has(Evidence bit) const noexcept {
    return (evidence & static_cast<std::uint8_t>(bit)) != 0;
  }
};

/// What is wrong with a document, by kind; the details stand in `Problem::message`.
enum class ProblemKind {
  needs_nougat,           ///< scanned pages or an unreadable encoding: the text layer cannot be used
  no_references,          ///< no reference list was found
  unlinked_markers,       ///< bracketed markers that name no entry of the list
  uncited_references,     ///< many entries that no mention names
  disagreement,           ///< links and text name different references
  renumbered_references,  ///< Nougat, Type I
  digit_confusion,        ///< Nougat, Type II: repaired or not, the message says
  alpha_tag_mismatch,     ///< Nougat, Type III
  invented_citations,     ///< Nougat, Type IV
  missing_pages,
  repetition,
  other
};
/// `needs-nougat`, `no-references`, …: words joined by hyphens.
[[nodiscard]] const char* problem_name(ProblemKind kind) noexcept;

struct Problem {
  ProblemKind kind = ProblemKind::other;
  std::string message;  ///< one line, with counts or the text it is about
  bool mended = false;  ///< the reader put it right: nothing is lost
};

/// How the reference list is labelled.
enum class ReferenceStyle { unknown, numeric, alpha, author_year };
/// `unknown`, `numeric`, `alpha`, `author-year`.
[[nodiscard]] const char* style_name(ReferenceStyle style) noexcept;

/// Where the document came from and how it was read.
struct Provenance {
  Reader reader = Reader::native;
  std::string source;        ///< file name without folders
  std::string sha256;        ///< of the file; empty when it was not at hand
  std::string tool;          ///< "poppler 22.12.0", "grobid 0.8.0", …
  std::string segmentation;  ///< what parted the reference list: "destinations", "labels", "indents", "gaps",
                             ///< "markup"
  std::uint32_t pages = 0;
  bool used_links = false;
};

/// A paper, read. Text is UTF-8 in NFC with "\n\n" between paragraphs; headings are paragraphs of their own;
/// title, authors and the reference list are not part of it, abstract, captions and footnotes are.
struct Document {
  Provenance provenance;
  std::string title;
  std::vector<std::string> authors;  ///< as "Given Family"; empty: not known
  std::string abstract;
  std::string text;
  std::vector<Section> sections;
  std::vector<Span> sentences;  ///< ascending; none crosses a section
  std::vector<ReferenceEntry> references;
  ReferenceStyle style = ReferenceStyle::unknown;
  std::vector<Mention> mentions;  ///< ascending by span
  std::vector<Problem> problems;
};

/// The section that holds byte `at`. Precondition: there are sections.
[[nodiscard]] std::uint32_t section_at(const Document& document, std::size_t at);

/// The sentence of the mention with one before and one behind, kept inside the mention's section.
/// Precondition: sentences are set. White space is as in the text.
[[nodiscard]] Span context_window(const Document& document, const Mention& mention);

/// Splits `document.text` into sentences with the mentions masked, so that no stop inside a marker ends one,
/// and sets `sentences` and every mention's `section`. Every reader calls it last.
void set_sentences(Document& document);

/// Sets path and kind of every section from headings and levels (1: outermost). Sub-sections inherit the kind
/// of the section above when their own heading names none. `levels` has one number a section.
void set_section_kinds(std::vector<Section>& sections, const std::vector<int>& levels);

}  // namespace mustcite::extract
