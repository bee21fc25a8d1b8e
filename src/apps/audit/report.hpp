#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/audit/draft.hpp"
#include "core/schema/paper.hpp"

namespace mustcite::audit {

enum class FindingKind {
  missing,          ///< a must-cite paper that the draft lacks
  consider,         ///< a paper worth a look, below the threshold
  undefined,        ///< mentioned, but no entry of the bibliography has the key
  identifier,       ///< the DOI or arXiv id belongs to a paper of another title
  disagrees,        ///< title, year, authors or venue differ from the record
  preprint,         ///< cited as a preprint, published since
  duplicate,        ///< two entries for one work
  key_case,         ///< the key is written in another case than the entry's
  unresolved,       ///< not in the catalog: nothing is known about it
  ambiguous,        ///< several papers of the catalog could be meant
  unmentioned,      ///< in the list of references, never mentioned
  problem           ///< a part of the draft that could not be read as meant
};
/// The name used in ignore lists, gates and JSON: `missing`, `consider`, `undefined`, …
[[nodiscard]] const char* finding_name(FindingKind kind) noexcept;
/// Throws usage for another name, listing the known ones.
[[nodiscard]] FindingKind parse_finding(std::string_view name);

enum class Severity { error, warning, note };
[[nodiscard]] const char* severity_name(Severity severity) noexcept;

struct Finding {
  FindingKind kind = FindingKind::problem;
  Severity severity = Severity::note;
  std::string subject;              ///< BibTeX key, or the id of a missing paper: what an ignore list names
  std::string field;                ///< of `disagrees`: "title", "year", "authors" or "venue"
  SourcePosition where;
  std::string message;              ///< one sentence
  std::vector<std::string> reasons;
  Paper paper;                      ///< the catalog's record; its id is empty where there is none
  Tier tier = Tier::must;           ///< of `missing` and `consider`: the tier it is missing for
  std::map<Tier, double> probability;
  std::string role;
  std::string evidence;
  std::string bibtex;               ///< a ready entry: the missing paper, or the corrected one under its own key
  std::string ignored_because;      ///< the reason in the ignore list; such findings are counted, not shown
};

/// What the catalog covers, so that silence is not taken for approval.
struct Coverage {
  std::size_t papers = 0;
  int first_year = 0;
  int last_year = 0;
  std::vector<std::string> venues;  ///< the largest, at most ten
};

struct Report {
  std::string title;
  std::string main_file;
  std::size_t files = 0;
  std::size_t sections = 0;
  std::size_t mentions = 0;
  std::size_t entries = 0;
  std::size_t cited_entries = 0;  ///< entries that are mentioned
  std::size_t linked = 0;
  std::size_t ambiguous = 0;
  std::size_t unresolved = 0;
  bool ranked = false;  ///< a recommender was asked for missing papers
  Coverage coverage;
  std::vector<Finding> findings;  ///< to be shown: by severity, then kind, then place
  std::vector<Finding> ignored;   ///< answered by the ignore list
  std::vector<std::string> ignore_notes;  ///< lines of the ignore list that no longer match, or have no reason

  [[nodiscard]] std::size_t count(FindingKind kind) const noexcept;
};

/// A condition such as `missing:3`: it fails when the report has that many findings of the kind, or more.
struct Gate {
  FindingKind kind = FindingKind::missing;
  std::size_t limit = 1;
};
/// Reads `missing:1,undefined:1`; `missing` alone means `missing:1`. Throws usage for anything else.
[[nodiscard]] std::vector<Gate> parse_gates(std::string_view text);
/// One line for each gate that fails; empty when all pass.
[[nodiscard]] std::vector<std::string> failed_gates(const Report& report, const std::vector<Gate>& gates);

enum class ReportFormat { terminal, markdown, html, json, github };
/// `terminal`, `markdown`, `html`, `json`, `github`. Throws usage for another name.
[[nodiscard]] ReportFormat parse_report_format(std::string_view name);

/// The report as text. `html` is one page without outside resources, every text escaped; `json` has fixed key order;
/// `github` has one workflow command a line (`::warning file=…,line=…::…`).
[[nodiscard]] std::string render(const Report& report, ReportFormat format);

}  // namespace mustcite::audit
