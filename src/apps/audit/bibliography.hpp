#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/audit/draft.hpp"

namespace mustcite::audit {

/// Latin-1 (Windows-1252 quotes included) as UTF-8.
[[nodiscard]] std::string latin1_to_utf8(std::string_view text);

/// Adds the entries of a BibTeX database to the draft; what the parser could not read goes to its problems.
void read_bib(std::string_view content, const std::string& file, Draft& draft);

/// Adds the \bibitem entries of a thebibliography environment. `where` is the place of its first line.
void read_bibitems(std::string_view content, const SourcePosition& where, Draft& draft);

/// Adds the entries of a .bbl file as BibTeX (thebibliography) or biblatex (\entry{…}) writes it.
void read_bbl(std::string_view content, const std::string& file, Draft& draft);

/// A reference as printed: clean text, its parts parted by "\newblock " where the source tells them.
/// Finds authors, title, venue, year, DOI and arXiv id; what it cannot find stays empty.
[[nodiscard]] Reference parse_printed_reference(std::string_view printed);

/// Family names and initials of a printed author list, one author each: "A. Smith, B. Jones and C. Doe",
/// "Smith, A., Jones, B.", "Smith A, Jones B". "et al." and "others" are left out.
[[nodiscard]] std::vector<std::string> split_printed_authors(std::string_view list);

}  // namespace mustcite::audit
