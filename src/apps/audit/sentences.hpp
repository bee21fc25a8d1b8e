#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "apps/audit/draft.hpp"

namespace mustcite::audit {

/// Byte range of the sentence around [begin, end), at most 600 bytes to either side. Paragraph ends part sentences; full
/// stops of common abbreviations and initials do not.
[[nodiscard]] std::pair<std::size_t, std::size_t> sentence_around(std::string_view text, std::size_t begin, std::size_t end);

/// White space folded to single spaces, ends trimmed, cut to at most `most` bytes at a character border.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t most);

/// The text of [begin, end) without its citation markers, on one line.
[[nodiscard]] std::string without_markers(const Draft& draft, std::size_t begin, std::size_t end);

/// Gives the section its path and, where its heading tells none, the kind of its parent, and appends it. Time does not
/// depend on the number of sections; beyond 20,000 they are left out.
void append_section(Draft& draft, Section section);

/// Sets the ends of the sections, and the draft's abstract from a section of that name when there is none yet.
void finish_sections(Draft& draft);

/// Sets section and sentence of every mention.
void place_mentions(Draft& draft);

}  // namespace mustcite::audit
