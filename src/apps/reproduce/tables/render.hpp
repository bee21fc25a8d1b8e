#pragma once

#include <span>
#include <string>

#include "apps/reproduce/tables/sections.hpp"

namespace mustcite::reproduce {

/// The table as text. Markdown and the terminal's form can be pasted, LaTeX is a document that compiles as it
/// stands (booktabs), HTML is one page that needs nothing else, JSON has every digit. Equal reports give
/// equal bytes.
[[nodiscard]] std::string render_table(const TableReport& report, const PublishedCheck* check,
                                       TableFormat format);

[[nodiscard]] std::string render_terminal(std::span<const Section> parts);
[[nodiscard]] std::string render_markdown(std::span<const Section> parts);
[[nodiscard]] std::string render_latex(std::span<const Section> parts);
[[nodiscard]] std::string render_html(const TableReport& report, std::span<const Section> parts);
[[nodiscard]] std::string render_table_json(const TableReport& report, const PublishedCheck* check);

/// `0.1396`.
[[nodiscard]] std::string shown(double value);
/// `0.0123`: half the width of the interval.
[[nodiscard]] std::string half_width(const evaluate::Interval& interval);
/// `better` or `worse`, twice where it is surer; empty where nothing is known.
[[nodiscard]] std::string arrow_text(const evaluate::Cell& cell, const char* better, const char* worse);

}  // namespace mustcite::reproduce
