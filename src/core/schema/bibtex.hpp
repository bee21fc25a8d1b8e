#pragma once

#include <span>
#include <string>

#include "core/schema/paper.hpp"
#include "core/text/bibtex.hpp"

namespace mustcite {

/// Family name, year and first significant word of the title, ASCII: `vaswani2017attention`. The same paper
/// always gives the same key.
[[nodiscard]] std::string bibtex_key(const Paper& paper);

/// One entry, ready to paste: special characters escaped, capitals inside words protected, maths kept.
[[nodiscard]] std::string to_bibtex(const Paper& paper);

/// Several entries; equal keys get `a`, `b`, … in the order given.
[[nodiscard]] std::string to_bibtex(std::span<const Paper> papers);

/// What an entry says about the work it names. The raw text is left empty.
[[nodiscard]] Reference reference_from_bibtex(const text::BibEntry& entry);

}  // namespace mustcite
