#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "stages/collect/record.hpp"
#include "stages/collect/table.hpp"

namespace mustcite::collect {

/// A record made fit for the catalog.
struct Cleaned {
  Paper paper;                        ///< id "venue-year-officialid"
  std::string printed_title;          ///< as on the page: LaTeX kept, entities resolved, white space folded
  std::vector<std::string> notes;     ///< what was repaired beyond the usual, worth a line in the ledger
  std::optional<std::string> reject;  ///< why it cannot be taken
};

/// Entities, tags, LaTeX, ligatures, `(cid:…)` marks, mojibake, NFD and line-break hyphens become plain text;
/// boilerplate in place of an abstract goes; quotes around a whole abstract go; one string of several authors
/// is split, "Family, Given" turned, names in capitals set in lower case. The year is the edition's.
[[nodiscard]] Cleaned clean_record(const Edition& edition, const Record& record);

/// Abstracts that are no abstracts: the text of a button or a notice that a changed layout put in their
/// place. Those that more than one in a hundred (and at least three) papers share are emptied; returns how
/// many were, and adds a note to each.
std::size_t drop_shared_abstracts(std::vector<Cleaned>& papers);

}  // namespace mustcite::collect
