#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract {

/// Where the authors of a printed entry end: before the quoted title, the year, or the stop that closes the
/// list.
[[nodiscard]] std::size_t authors_end(std::string_view raw);

/// The authors of such a list, as "Given Family" ("A. B. Smith, C. Doe", "Smith, A. B. and Doe, C.", "Smith
/// AB, Doe C").
[[nodiscard]] std::vector<std::string> printed_authors(std::string_view list);

/// The works of an entry that lists several: "(a) …; (b) …", or works with years of their own parted by
/// semicolons. Empty for ordinary entries.
[[nodiscard]] std::vector<std::string> composite_parts(std::string_view raw);

/// Sets identifiers, year, letter, surnames, authors, and title and venue where the print makes them plain,
/// from `entry.fields.raw`, and the parts of composite entries. What is set already is kept. Rules only: a
/// trained labeller may replace title, authors and venue.
void read_fields_by_rules(ReferenceEntry& entry);

/// The family name of "Given Family", folded, particles kept apart from it: "van der Maaten" gives "maaten".
[[nodiscard]] std::string surname_key(std::string_view author);

}  // namespace mustcite::extract
