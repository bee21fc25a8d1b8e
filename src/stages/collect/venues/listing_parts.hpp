#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/record.hpp"

// How the readers of all layouts put a page's entries together.
namespace mustcite::collect {

/// Keeps the entry as a record; one without a title or an id becomes a problem.
void take(Record record, Listing& listing);

/// The records and problems of a part join those of the whole; stated numbers add up.
void append(Listing part, Listing& whole);

/// Of several records with one id the first stays; the others become problems.
void drop_repeats(Listing& listing);

/// Authors, PDF and DOI of a paper's own page, where it names them.
void take_metas(const html::CitationMetas& metas, Record& record);

/// "Ada Oak, Univ. of X; Bo Elm (Y Labs)": one person each up to the semicolon; where people work stands
/// behind a comma or a dash, or in parentheses, and goes.
[[nodiscard]] std::vector<std::string> people_with_places(std::string_view text);
/// The same when there is a semicolon, else the text as one entry: names alone, between commas.
[[nodiscard]] std::vector<std::string> people_of(std::string_view text);

}  // namespace mustcite::collect
