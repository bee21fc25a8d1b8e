#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "stages/link/link.hpp"

/// From what a paper's reference list says to citations between papers of the catalog.
namespace mustcite::link {

/// One place where a reference is mentioned.
struct MentionPlace {
  bool in_experiments = false;
  std::string marker;       ///< as printed
  CitationContext context;  ///< the section's heading and the sentences around
};

/// An entry of the reference list with its mentions.
struct CitedReference {
  Reference reference;
  std::vector<Reference> parts;  ///< works of an entry that lists several; empty for ordinary entries
  std::vector<MentionPlace> mentions;
};

/// A paper as an extractor gives it.
struct CitingPaper {
  Reference self;  ///< title, authors, year, identifiers as far as they are known
  std::vector<CitedReference> references;
};

/// What became of one work of the reference list.
struct LinkedWork {
  std::size_t reference = 0;  ///< index into CitingPaper::references
  std::size_t part = 0;       ///< 0 for ordinary entries
  Decision decision;
  bool self = false;  ///< linked to the citing paper: refused
};

/// linked + ambiguous + unresolved + self == works, always.
struct PaperReport {
  std::size_t works = 0;
  std::size_t linked = 0;
  std::size_t ambiguous = 0;
  std::size_t unresolved = 0;
  std::size_t self = 0;
  void add(const PaperReport& other) noexcept;
};

struct LinkedPaper {
  std::vector<LinkedWork> works;
  /// One for each paper cited, ascending by id. Entries that mean the same paper are one citation: their
  /// mentions are added up. An entry without a located mention leaves the count unknown. At most 25 contexts,
  /// each once.
  std::vector<Citation> citations;
  PaperReport report;
};

/// Contexts kept in a citation.
inline constexpr std::size_t kMostContexts = 25;

/// The row of the citing paper, by its title and authors; kNoRow when it is not surely in the catalog.
[[nodiscard]] std::uint32_t find_citing(const LinkIndex& index, const Reference& self,
                                        const Options& options);

/// Links every work that `paper` cites. `citing` may be a paper outside the index. A work that is the citing
/// paper itself, or another version of it, is refused.
[[nodiscard]] LinkedPaper link_paper(const LinkIndex& index, const CitingPaper& paper, const PaperId& citing,
                                     int citing_year, const Options& options);

}  // namespace mustcite::link
