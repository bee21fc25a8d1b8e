#pragma once

#include <vector>

#include "core/pdf/content.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/native/body.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {

/// Mentions that link annotations make: a link to an entry's destination, by name, or by a place inside the
/// reference list. Neighbouring rectangles of one marker become one mention. Ascending by span.
[[nodiscard]] std::vector<Mention> link_mentions(const pdf::Content& content, const Flow& flow,
                                                 const ReferenceList& list,
                                                 const std::vector<ReferenceEntry>& entries,
                                                 const Body& body);

/// Joins what links and text say. Both name the same: more certain. Links alone count. Text alone counts less
/// where the paper's markers are linked. They differ: the link is right, and it is counted as a disagreement.
[[nodiscard]] std::vector<Mention> merge_mentions(std::vector<Mention> links, std::vector<Mention> text,
                                                  std::size_t& disagreements);

}  // namespace mustcite::extract::native
