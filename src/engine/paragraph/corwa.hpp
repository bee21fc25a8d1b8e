#pragma once

#include <string_view>

#include "engine/paragraph/paragraph.hpp"

namespace mustcite::paragraph {

/// One line of CORWA: sentences stand in `paragraph` behind "[BOS]", each with a class in `discourse_tags`;
/// spans name the works that they cite by their id. The citing paper's id is what stands before the last "_"
/// of the line's id. Throws invalid_input saying what is wrong.
[[nodiscard]] Paragraph parse_corwa(std::string_view json_line);

}  // namespace mustcite::paragraph
