#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/audit/draft.hpp"

namespace mustcite::audit {

/// A line of a file with its number.
struct NumberedLine {
  std::string text;
  std::uint32_t number = 0;
};

/// Adds the entries of a printed list of references: "[1] …", "1. …" or "1) …" start an entry, other lines go on with
/// it. Keys are the numbers. Without any number, each paragraph is an entry.
void read_numbered_references(const std::vector<NumberedLine>& lines, const std::string& file, Draft& draft);

/// Adds mentions for [1], [2, 3] and [4-6] in Draft::text, for numbers that the bibliography has.
void mark_numbers(Draft& draft);

}  // namespace mustcite::audit
