#pragma once

#include <string>

#include "apps/audit/draft.hpp"
#include "apps/audit/source_tree.hpp"

namespace mustcite::audit::latex {

/// Reads a LaTeX draft from its main file on. Broken LaTeX never stops it: what could not be read as meant is listed in
/// Draft::problems. Time is linear in the bytes read; files, macros and nesting are bounded by `limits` and by fixed
/// depths. The sources' own macros are followed where they take plain arguments.
[[nodiscard]] Draft read_latex(const SourceTree& tree, const std::string& main_file, const ReadLimits& limits);

/// The file to start from: the one with \documentclass and \begin{document} that reads the most text; templates,
/// stand-alone pictures and files read by others count less. Empty when no file has both. Rivals of nearly the same
/// weight are reported in `problems`.
[[nodiscard]] std::string find_main_file(const SourceTree& tree, std::vector<Problem>& problems);

}  // namespace mustcite::audit::latex
