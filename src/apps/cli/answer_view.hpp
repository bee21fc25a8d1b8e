#pragma once

#include <string>

#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {

/// An answer as a table for people: rank, title, authors, venue and year, and the terms that decided.
[[nodiscard]] std::string answer_table(const recommend::Answer& answer, std::size_t width);

/// One JSON object: method, coverage, notes, and the rows with everything known of each.
[[nodiscard]] std::string answer_json(const recommend::Answer& answer);

/// Where one paper stands and why; `all_features`: with every feature and what it adds.
[[nodiscard]] std::string account_text(const recommend::Account& account, bool all_features, std::size_t width);

/// The same as one JSON object, every feature included.
[[nodiscard]] std::string account_json(const recommend::Account& account);

/// BibTeX entries of the rows, in order.
[[nodiscard]] std::string answer_bibtex(const recommend::Answer& answer);

}  // namespace mustcite::cli
