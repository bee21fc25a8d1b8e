#pragma once

#include <cstddef>
#include <string>

#include "stages/extract/recipe.hpp"

namespace mustcite::extract {

/// What the published schema leaves out of a paper.
struct Kept {
  std::size_t references = 0;         ///< written
  std::size_t without_year = 0;       ///< left out: no four-digit year
  std::size_t contexts = 0;           ///< written
  std::size_t repeated_contexts = 0;  ///< left out: the same window for the same reference
};

/// A paper in the published schema: a list of `{target, title, year, cite, contexts: [{section, context}]}`
/// in the order of the reference list. Entries without a year are left out, and so is a window that a
/// reference has already. Each object carries more fields of ours behind these (docs/formats/extraction.md).
/// JSON, UTF-8, with a line end; the same document gives the same bytes.
[[nodiscard]] std::string published_json(const Document& document, Kept* kept = nullptr);

/// Who read the paper, what was tried before and why not, what is wrong with it, and what was left out.
[[nodiscard]] std::string provenance_json(const Outcome& outcome, const Kept& kept);

}  // namespace mustcite::extract
