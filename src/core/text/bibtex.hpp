#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mustcite::text {

/// One entry of a BibTeX or BibLaTeX file. Values keep their LaTeX until asked for.
struct BibEntry {
  std::string type;  ///< lower case, e.g. "inproceedings"
  std::string key;
  std::uint64_t line = 0;  ///< of the `@`
  /// Lower-case names with their values: macros expanded, parts joined, outer braces or quotes gone.
  std::vector<std::pair<std::string, std::string>> fields;

  /// The value as written; null when the field is absent.
  [[nodiscard]] const std::string* raw(std::string_view name) const noexcept;
  /// The value as clean text, LaTeX decoded; empty when absent.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// An address or identifier: no LaTeX but escaped characters and \url{…}.
  [[nodiscard]] std::string verbatim(std::string_view name) const;
  /// The people of an author or editor field as "Given Family"; "and others" is left out.
  [[nodiscard]] std::vector<std::string> people(std::string_view name) const;
  /// `year`, else the year of `date`; 0 when there is none.
  [[nodiscard]] int year() const;
};

/// Something that could not be read as it stands. Reading went on after it.
struct BibProblem {
  std::uint64_t line = 0;
  std::string key;  ///< of the entry, may be empty
  std::string reason;
  bool entry_lost = false;  ///< no entry came of it
};

struct BibFile {
  std::vector<BibEntry> entries;
  std::vector<BibProblem> problems;
  std::size_t repaired_bytes = 0;  ///< bytes that were no UTF-8, read as Windows-1252
};

/// Reads a whole file: @string macros and `#`, @comment and @preamble, braces, quotes and parentheses. A
/// broken entry costs itself alone: reading resumes at the next line that begins with `@`. Time is linear in
/// the text; macros cannot expand it without bound.
[[nodiscard]] BibFile parse_bibtex(std::string_view text);

/// Splits a raw author field at " and " outside braces and puts each name in reading order.
[[nodiscard]] std::vector<std::string> bibtex_people(std::string_view raw);

}  // namespace mustcite::text
