#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/ids.hpp"
#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"

namespace mustcite::snapshot {

/// Views into the mapped file: valid as long as the Snapshot.
struct DocumentView {
  std::string_view id;
  std::string_view title;
  std::string_view abstract;
  std::string_view authors;  ///< joined by '\n'
  std::string_view venue;
  std::string_view url;
  std::string_view doi;
  std::string_view arxiv_id;
  Date date;
};

/// One citation inside a snapshot's evidence. The citing paper need not be a document (its row is kNoDoc then).
struct EvidenceView {
  DocId citing;
  DocId cited;
  int citing_year = 0;
  std::uint32_t citing_paper = 0;  ///< row among all citing papers, documents or not: see Snapshot::citing
  std::optional<int> mentions;
  std::optional<int> exp_mentions;
  std::uint32_t context_count = 0;
  std::string_view marker;  ///< as printed in the citing paper; may be empty
};

inline constexpr DocId kNoDoc{0xffffffff};

/// A frozen, ordered table of documents with a digest, and the citations among them with their sentences.
///
/// Rows are chronological: ascending by `Date::latest()`, then by paper id. "As of a date" is therefore a prefix
/// of the rows, of every posting list and of every statistic. Everything made from a snapshot names its digest.
/// Memory-mapped, read-only, thread-safe.
class Snapshot {
 public:
  /// Throws not_found or corrupt, naming the command that rebuilds it.
  static Snapshot open(const std::filesystem::path& folder);
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  [[nodiscard]] const std::string& digest() const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] DocumentView document(DocId doc) const;
  [[nodiscard]] std::optional<DocId> find(std::string_view paper_id) const;
  [[nodiscard]] std::vector<DocId> find_title(std::string_view title_key) const;

  /// Number of leading documents surely older than `cutoff`; all of them without a cutoff.
  [[nodiscard]] std::uint32_t prefix(const std::optional<Date>& cutoff) const noexcept;

  /// Evidence, sorted by (citing_year, citing paper id, cited row): citations by papers strictly older than a year
  /// are a prefix. A citing paper has one year: the later of its own and its citations'; unknown ones (0) come last.
  [[nodiscard]] std::uint32_t evidence_size() const noexcept;
  [[nodiscard]] EvidenceView evidence(std::uint32_t row) const;
  /// Number of leading evidence rows whose citing paper is of a year before `cutoff`'s.
  [[nodiscard]] std::uint32_t evidence_prefix(const std::optional<Date>& cutoff) const noexcept;
  [[nodiscard]] CitationContext context(std::uint32_t evidence_row, std::uint32_t index) const;
  /// The same without a copy.
  struct ContextView {
    std::string_view section;
    std::string_view text;
  };
  [[nodiscard]] ContextView context_view(std::uint32_t evidence_row, std::uint32_t index) const;
  /// Evidence rows that cite `doc`, ascending: those before `evidence_prefix` come first.
  [[nodiscard]] std::span<const std::uint32_t> evidence_citing(DocId doc) const;

  /// Papers that cite: those that are documents, and those that only bring evidence (their text is kept as well).
  struct CitingView {
    std::string_view id;
    std::string_view title;
    std::string_view abstract;
    DocId doc = kNoDoc;
    int year = 0;
    std::uint32_t evidence_begin = 0;  ///< its evidence is rows [evidence_begin, evidence_end)
    std::uint32_t evidence_end = 0;
  };
  /// Sorted by (year, id), so rows follow the evidence: citing papers of older years are a prefix as well.
  [[nodiscard]] std::uint32_t citing_size() const noexcept;
  [[nodiscard]] CitingView citing(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t citing_prefix(const std::optional<Date>& cutoff) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> find_citing(std::string_view paper_id) const;

 private:
  struct Impl;
  explicit Snapshot(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Where documents and evidence come from: the catalog, or a release folder.
class Source {
 public:
  virtual ~Source() = default;
  /// Every paper; those with an empty abstract become no documents but may cite.
  virtual void each_paper(const std::function<void(const Paper&)>& visit) const = 0;
  /// Papers that only cite: never documents, whatever their abstract.
  virtual void each_citing_paper(const std::function<void(const Paper&)>& visit) const { (void)visit; }
  virtual void each_citation(const std::function<void(const Citation&)>& visit) const = 0;
};

/// papers == documents + without_abstract + citing_only + repeated; citations == evidence + outside + self, always.
struct BuildReport {
  std::uint64_t papers = 0;
  std::uint64_t documents = 0;
  std::uint64_t without_abstract = 0;  ///< or without a title
  std::uint64_t citing_only = 0;       ///< from Source::each_citing_paper
  std::uint64_t repeated = 0;          ///< an id that came before: the first one is kept
  std::uint64_t citations = 0;         ///< read
  std::uint64_t evidence = 0;          ///< kept: the cited paper is a document
  std::uint64_t outside = 0;           ///< the cited paper is no document
  std::uint64_t self = 0;              ///< a paper citing itself
};

/// Writes `snapshot.bin` and `snapshot.json` into `folder` (which exists: a StagedDirectory of the caller).
/// Texts go through files in the folder, so memory stays far below their size. The same papers and citations give
/// the same bytes, in whatever order the source hands them out.
BuildReport build(const Source& source, const std::filesystem::path& folder, Progress& progress);

}  // namespace mustcite::snapshot
