#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"

/// Which paper of the catalog is this reference?
namespace mustcite::link {

struct Options {
  /// A single work at or above this probability is linked. Raise it for fewer wrong links.
  double link_at = 0.85;
  /// Below this nothing is said; between the two the best candidates are named, and none is chosen.
  double mention_at = 0.35;
  /// Candidates kept in a decision.
  std::size_t most_candidates = 5;
};

enum class Verdict { linked, ambiguous, unresolved };
/// `linked`, `ambiguous`, `unresolved`.
[[nodiscard]] const char* verdict_name(Verdict verdict) noexcept;

/// What found the candidate.
enum class Rule {
  none,
  identifier,    ///< the same DOI or arXiv id, and titles that do not contradict
  exact_title,   ///< the same title key
  near_title,    ///< titles that differ by little
  title_start,   ///< one title is the other without its subtitle
  printed_text   ///< the title stands in a printed reference whose parts could not be told
};
[[nodiscard]] const char* rule_name(Rule rule) noexcept;

/// Whether names speak for the pair. Unknown authors on either side say nothing.
enum class Authors { unknown, agree, partly, disagree };

/// One paper a reference may mean, with the evidence.
struct Candidate {
  std::uint32_t row = 0;
  double probability = 0;
  Rule rule = Rule::none;
  double title_similarity = 0;  ///< 1: the same title key
  Authors authors = Authors::unknown;
  int year_gap = 0;             ///< reference year minus record year; 0 as well when one is unknown
};

inline constexpr std::uint32_t kNoRow = 0xffffffff;

struct Decision {
  Verdict verdict = Verdict::unresolved;
  std::uint32_t row = kNoRow;           ///< of the linked paper: the published version where there are several
  std::vector<std::uint32_t> versions;  ///< all rows of the linked work (preprint, published), `row` first
  double probability = 0;
  Rule rule = Rule::none;
  std::vector<Candidate> candidates;  ///< best first
  /// The row that the reference's DOI or arXiv id belongs to when its title is another paper's.
  std::uint32_t identifier_row = kNoRow;
  std::string why;  ///< the deciding evidence in one line
};

/// Views into the index, valid as long as it lives.
struct Record {
  std::string_view id;
  std::string_view title;
  std::string_view authors;  ///< joined by '\n'; empty: unknown
  std::string_view venue;
  std::string_view doi;
  std::string_view arxiv_id;
  std::string_view url;
  std::string_view track;
  int year = 0;
};

/// The catalog as the matcher needs it. Built once, then read-only and thread-safe. 250,000 papers take about 150 MB;
/// one link takes well under a millisecond.
class LinkIndex {
 public:
  struct Impl;
  LinkIndex(LinkIndex&&) noexcept;
  LinkIndex& operator=(LinkIndex&&) noexcept;
  ~LinkIndex();

  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] Record record(std::uint32_t row) const;
  /// The row of a paper id, or kNoRow.
  [[nodiscard]] std::uint32_t find(std::string_view paper_id) const;
  /// Rows whose title has this text::title_key.
  [[nodiscard]] std::vector<std::uint32_t> rows_with_key(std::string_view title_key) const;

  [[nodiscard]] Decision link(const Reference& reference, const Options& options) const;

 private:
  friend class LinkIndexBuilder;
  explicit LinkIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Takes papers one after another, abstracts not needed.
class LinkIndexBuilder {
 public:
  LinkIndexBuilder();
  ~LinkIndexBuilder();
  /// Rows are numbered in the order of `add`. A paper without a letter or digit in its title is a row that only
  /// identifiers find.
  void add(const Paper& paper);
  [[nodiscard]] LinkIndex build();

 private:
  std::unique_ptr<LinkIndex::Impl> impl_;
};

}  // namespace mustcite::link
