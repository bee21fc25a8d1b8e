#pragma once

#include <vector>

#include "core/pdf/content.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/native/body.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {

/// What link annotations say.
struct LinkMentions {
  std::vector<Mention> mentions;  ///< ascending by span
  /// Links whose rectangles cover no marker, as in tables that were scaled: page and entry hold, the place
  /// does not.
  std::vector<Mention> astray;
};

/// Mentions that link annotations make: a link to an entry's destination, by name, or by a place inside the
/// reference list. Neighbouring rectangles of one marker become one mention.
[[nodiscard]] LinkMentions link_mentions(const pdf::Content& content, const Flow& flow,
                                         const ReferenceList& list,
                                         const std::vector<ReferenceEntry>& entries, const Body& body);

/// Joins what links and text say. Both name the same: more certain. Links alone count. Text alone counts less
/// where the paper's markers are linked, unless a link of the page went astray to the same entry. They
/// differ: the link is right, and it is counted as a disagreement. `text` has its boxes.
[[nodiscard]] std::vector<Mention> merge_mentions(LinkMentions links, std::vector<Mention> text,
                                                  std::size_t& disagreements);

}  // namespace mustcite::extract::native
