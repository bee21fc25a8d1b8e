#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "apps/audit/draft.hpp"
#include "apps/audit/report.hpp"
#include "stages/link/link.hpp"

namespace mustcite::audit {

/// The draft's bibliography beside the catalog: what every check looks at.
struct LinkedDraft {
  const Draft* draft = nullptr;
  const link::LinkIndex* catalog = nullptr;
  std::vector<link::Decision> decisions;                              ///< by entry
  std::unordered_map<std::string, std::size_t> entry_of_key;          ///< first entry with the key
  std::unordered_map<std::string, std::size_t> entry_of_folded_key;   ///< by lower case
  std::vector<bool> mentioned;                                        ///< by entry
};

[[nodiscard]] LinkedDraft link_draft(const Draft& draft, const link::LinkIndex& catalog, const link::Options& options);

/// The catalog's record as a paper, without abstract.
[[nodiscard]] Paper paper_of(const link::LinkIndex& catalog, std::uint32_t row);

/// Mentioned but missing in the bibliography, or in another case; in the bibliography but never mentioned.
void check_mentions(const LinkedDraft& linked, std::vector<Finding>& findings);
/// Two entries for one work, or two of one key.
void check_duplicates(const LinkedDraft& linked, std::vector<Finding>& findings);
/// Every mentioned entry against its record: not in the catalog, ambiguous, another paper's identifier, preprint of a
/// published paper, title, year, authors or venue that disagree. What is unknown on either side disagrees with nothing.
void check_records(const LinkedDraft& linked, std::vector<Finding>& findings);
/// What could not be read as meant.
void check_reading(const Draft& draft, std::vector<Finding>& findings);

}  // namespace mustcite::audit
