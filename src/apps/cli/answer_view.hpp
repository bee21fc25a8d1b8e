#pragma once

#include <string>

#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {

/// An answer as a table for people: rank, title, authors, venue and year, and the terms that decided.
[[nodiscard]] std::string answer_table(const recommend::Answer& answer, std::size_t width);

/// One JSON object: method, coverage, notes, and the rows with everything known of each.
[[nodiscard]] std::string answer_json(const recommend::Answer& answer);

/// BibTeX entries of the rows, in order.
[[nodiscard]] std::string answer_bibtex(const recommend::Answer& answer);

}  // namespace mustcite::cli
