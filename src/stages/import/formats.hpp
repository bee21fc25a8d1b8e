#pragma once

#include <filesystem>
#include <string_view>

#include "stages/import/import.hpp"
#include "stages/import/item.hpp"

namespace mustcite::importing {

// The reader of each format. They parse only: cleaning and limits are in checks.hpp. A line or entry that
// cannot be read becomes a Refused item; only a file that cannot be read at all throws.

/// Files of one item a line: papers, citations, openalex, semantic_scholar.
void read_lines(const std::filesystem::path& file, Kind kind, Output& output);
void read_bibtex(const std::filesystem::path& file, Output& output);
void read_acl_xml(const std::filesystem::path& file, Output& output);

/// The same from memory, for the readers above, tests and fuzzers.
void parse_bibtex_items(std::string_view text, Output& output);
void parse_acl_xml(std::string_view text, Output& output);

/// One work of OpenAlex: the paper, then a citation without mentions for each referenced work.
void parse_openalex_line(std::string_view line, std::uint64_t number, Output& output);
/// One line of a Semantic Scholar dataset: a paper, an abstract or a citation, told apart by its fields.
void parse_semantic_scholar_line(std::string_view line, std::uint64_t number, Output& output);

/// A whole file, decompressed; at most 1 GiB.
[[nodiscard]] std::string read_whole(const std::filesystem::path& file);

}  // namespace mustcite::importing
