#pragma once

#include <string>

#include "engine/evaluate/evaluate.hpp"

namespace mustcite::evaluate {

/// The formats for machines; `render` and `render_queries` choose among them.
[[nodiscard]] std::string render_csv(const Report& report);
[[nodiscard]] std::string render_json(const Report& report);
/// `measure TAB all TAB value`, a block per table and run; names and digits as trec_eval prints them.
[[nodiscard]] std::string render_trec(const Report& report, int digits);

}  // namespace mustcite::evaluate
