#pragma once

#include <string>
#include <string_view>

#include "core/schema/paper.hpp"

namespace mustcite {

/// One line of papers JSONL: {id, title, abstract, authors[], venue, year, date?, track?, url?, doi?,
/// arxiv_id?}. Key order is fixed and empty optional fields are left out, so equal papers give equal bytes.
/// No line end.
[[nodiscard]] std::string to_json_line(const Paper& paper);
/// One line of citations JSONL: {citing_id, cited_id, citing_year, mentions, exp_mentions, marker?,
/// contexts}.
[[nodiscard]] std::string to_json_line(const Citation& citation);

/// Reads one line; the text is taken as it is (cleaning belongs to import).
/// Throws invalid_input saying which field is missing or of the wrong type.
[[nodiscard]] Paper paper_from_json(std::string_view line);
[[nodiscard]] Citation citation_from_json(std::string_view line);

}  // namespace mustcite
