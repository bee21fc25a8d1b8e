#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schema/paper.hpp"

namespace mustcite::audit {

/// A line of a file of the draft. Line 0: the file as a whole.
struct SourcePosition {
  std::string file;  ///< relative to the draft's folder, with '/'
  std::uint32_t line = 0;
  std::uint32_t page = 0;    ///< of a PDF; 0: none
  bool operator==(const SourcePosition&) const = default;
};

/// What a section is for, guessed from its heading. A subsection without a telling heading is of its parent's kind.
enum class SectionKind {
  other,
  abstract,
  introduction,
  related_work,
  background,
  method,
  experiments,
  discussion,
  conclusion,
  acknowledgements,
  appendix
};

/// `other`, `abstract`, `introduction`, `related_work`, …
[[nodiscard]] const char* section_kind_name(SectionKind kind) noexcept;

/// The kind that a heading tells by itself, in English; `other` when it tells none.
[[nodiscard]] SectionKind section_kind(std::string_view heading);

struct Section {
  std::string title;
  std::string path;  ///< headings from the top, joined by " > "
  int level = 1;     ///< 0 part or chapter, 1 section, 2 subsection, 3 subsubsection, 4 paragraph
  SectionKind kind = SectionKind::other;
  std::size_t begin = 0;  ///< byte range of its own text in Draft::text, subsections excluded
  std::size_t end = 0;
  SourcePosition where;
};

inline constexpr std::size_t kNoSection = static_cast<std::size_t>(-1);

/// One key in one citation command. `\citep{a,b}` makes two mentions with the same range.
struct DraftMention {
  std::string key;
  std::string command;    ///< as written without the backslash, e.g. "citet*"; "@" in Markdown, "[n]" for numbers
  std::size_t begin = 0;  ///< byte range of the marker in Draft::text
  std::size_t end = 0;
  std::size_t section = kNoSection;  ///< index into Draft::sections
  std::size_t sentence_begin = 0;    ///< the sentence around the marker
  std::size_t sentence_end = 0;
  bool silent = false;  ///< \nocite: in the list of references, not in the text
  SourcePosition where;
};

/// A citation that LaTeX does not typeset: in a comment, in a switched-off part, after the end of the document.
struct SetAside {
  std::string key;
  std::string reason;  ///< "in a comment", "in a part that is switched off", …
  SourcePosition where;
};

/// One entry of the bibliography.
struct BibEntry {
  Reference reference;
  std::string type;  ///< BibTeX type in lower case; "bibitem" or "list" where the draft has only printed text
  std::string note;  ///< journal, booktitle or howpublished as written, for spotting preprints
  SourcePosition where;
};

/// Something in the draft that could not be read as meant. Reading goes on behind it.
struct Problem {
  SourcePosition where;
  std::string what;
};

/// How the draft is written.
enum class DraftFormat { latex, markdown, text, pdf };

/// A draft as the audit sees it. All text is UTF-8.
struct Draft {
  DraftFormat format = DraftFormat::latex;
  std::string main_file;
  std::vector<std::string> files;  ///< every file read, in order of first use
  std::string title;
  std::string abstract;
  std::vector<std::string> authors;  ///< as printed; empty: not known
  /// Plain text of the body. Citation markers stand as "[key; key]"; paragraphs are parted by an empty line.
  std::string text;
  std::vector<Section> sections;
  std::vector<DraftMention> mentions;
  std::vector<SetAside> set_aside;
  std::vector<BibEntry> bibliography;
  /// True when the bibliography is a printed list (thebibliography, .bbl, numbered list) and not a .bib database.
  bool printed_bibliography = false;
  bool cites_everything = false;  ///< \nocite{*}
  std::vector<Problem> problems;

  /// Adds a problem; beyond 1,000 they are no longer listed.
  void note(std::string file, std::uint32_t line, std::string what) {
    constexpr std::size_t kMost = 1000;
    if (problems.size() > kMost) return;
    Problem problem;
    problem.where.file = std::move(file);
    problem.where.line = line;
    problem.what = problems.size() < kMost ? std::move(what) : std::string("more problems follow; they are not listed");
    problems.push_back(std::move(problem));
  }

  [[nodiscard]] std::string_view sentence(const DraftMention& mention) const {
    return std::string_view(text).substr(mention.sentence_begin, mention.sentence_end - mention.sentence_begin);
  }
};

}  // namespace mustcite::audit
