#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "stages/extract/labelled_strings.hpp"

namespace mustcite::extract {

struct RenderOptions {
  std::size_t count = 8000;
  std::uint64_t seed = 1;
};

/// Prints papers of a catalog as bibliographies do, in many styles, with their parts known. Venues are
/// written out, abbreviated or numbered; volumes, pages, places, publishers and editors are made up, as only
/// their form matters. Papers without authors or title are passed over. The same papers and options give the
/// same strings.
[[nodiscard]] std::vector<LabelledString> render_references(std::span<const Paper> papers,
                                                            const RenderOptions& options);

/// How names are printed.
struct NameForm {
  enum class Given { full, spaced, closed, bare, spaced_bare };  ///< "Ada B.", "A. B.", "A.B.", "AB", "A B"
  Given given = Given::full;
  bool family_first = false;
  bool only_first_turned = false;  ///< family first for the first author only
  const char* inside = ", ";       ///< between family and given
  const char* between = ", ";
  const char* last = " and ";  ///< before the last of two or more
  std::size_t most = 100;      ///< more become "et al."
};
/// The names as one text.
[[nodiscard]] std::string print_names(std::span<const std::string> authors, const NameForm& form);

/// A bibliography style: names, and one template each for a paper in proceedings, in a journal, a preprint
/// and a book. In a template {A} authors, {E} editors, {T} title, {B} proceedings, {J} journal, {S} series,
/// {V} volume, {N} number, {P} pages, {Y} year, {M} month and year, {L} place, {U} publisher, {O}
/// institution, {W} address, {I} DOI, {X} arXiv id, {Q} preprint server, {R} kind of report, {K} page numbers
/// of back references; what else it holds is printed as it is.
struct PrintStyle {
  NameForm names;
  const char* proceedings;
  const char* journal;
  const char* preprint;
  const char* book;
};
[[nodiscard]] std::span<const PrintStyle> print_styles();

/// What a venue's short name stands for in print; {y} year, {o} ordinal number, {v} volume.
struct VenueForms {
  const char* venue;
  bool journal;
  std::vector<const char*> forms;
};
[[nodiscard]] std::span<const VenueForms> venue_forms();
/// Other journals, proceedings, publishers, institutions, places, series and kinds of reports that occur in
/// print.
[[nodiscard]] std::span<const char* const> other_journals();
[[nodiscard]] std::span<const char* const> other_proceedings();
[[nodiscard]] std::span<const char* const> publishers();
[[nodiscard]] std::span<const char* const> institutions();
[[nodiscard]] std::span<const char* const> places();
[[nodiscard]] std::span<const char* const> series_names();
[[nodiscard]] std::span<const char* const> report_kinds();

}  // namespace mustcite::extract
