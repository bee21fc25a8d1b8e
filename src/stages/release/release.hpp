#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"
#include "core/store/catalog.hpp"

/// What exactly is benchmark v1?
namespace mustcite::release {

/// Inclusive range of years; `2022` is a range of one.
struct Years {
  int first = 0;
  int last = 0;
  [[nodiscard]] bool contains(int year) const noexcept { return year >= first && year <= last; }
  bool operator==(const Years&) const = default;
};

/// `2022` or `2018-2021`. Throws usage for anything else.
[[nodiscard]] Years parse_years(const std::string& text);

/// Whether citations by evaluation queries (dev, test) bring papers of other venues into the core set.
enum class QueryCitations { ignore, count };

struct Options {
  std::string name;
  /// "v1", "v2", …; may be empty.
  std::string version;
  /// Name of the recipe that filled these options; may be empty.
  std::string recipe;
  /// Core set: the pool holds the papers of these venues, and those of other venues that they cite. Empty: no
  /// core set, every paper of the pool years.
  std::vector<std::string> core_venues;
  QueryCitations query_citations = QueryCitations::ignore;
  /// Labels by JUDGE, JUDGE:MODEL or JUDGE:MODEL:DEFINITION; empty: all, if they come from one source.
  std::vector<std::string> judges;
  /// Labels that state a lower probability are left out.
  double min_probability = 0;
  /// Queries without a must-cite paper in the pool are left out as unevaluable.
  bool must_queries_only = false;
  /// Adds qrels for Type IV (core citation): so many later papers that cite the query cite the paper too.
  bool type4 = false;
  int type4_threshold = 2;
  /// Lines on the agreement of raters and judges for the card and the manifest.
  std::vector<std::string> agreement_notes;
  /// Only citing papers whose citations were read by these readers ("native", "grobid", "nougat"; "imported":
  /// by none of them) are queries or evidence; empty: all.
  std::vector<std::string> readers;
  /// Folder of the release that this one follows: the card says what changed. Empty: the first one.
  std::filesystem::path previous;
  /// Candidate papers: with an abstract, published in these years. The last year is the cut of the evidence.
  Years pool{0, 0};
  /// Splits by query year: `train`, `dev`, `test`. A year belongs to one split only.
  std::map<std::string, Years> splits;
  /// Venues of the queries; empty: all.
  std::vector<std::string> query_venues;
  TierRule tiers;
  /// Citing sentences go into the evidence only where the catalog's owner may pass them on.
  bool with_contexts = true;
};

struct SplitReport {
  std::uint64_t candidates = 0;  ///< citing papers of the split's years and venues
  std::uint64_t queries = 0;     ///< with a relevant paper in the pool
  std::uint64_t without_abstract = 0;
  std::uint64_t without_relevant = 0;
  std::map<std::string, std::uint64_t> queries_by_tier;
  std::map<std::string, std::uint64_t> pairs_by_tier;
};

/// candidates == queries + without_abstract + without_relevant, for every split.
struct Report {
  std::uint64_t corpus = 0;
  std::uint64_t evidence = 0;
  std::uint64_t evidence_papers = 0;
  std::map<std::string, SplitReport> splits;
};

/// Options of a recipe by name: `coreml-v1` (the core set of NeurIPS, ICML and ICLR of 2018-2024, queries of
/// 2025). Throws usage for another name.
[[nodiscard]] Options recipe(const std::string& name);

/// Freezes the catalog into `folder` in BEIR layout: corpus.jsonl, queries.jsonl, qrels/<split>/<tier>.tsv,
/// graded/<split>.tsv, mask/<split>.tsv (pairs without a label, where there are labels or Type IV),
/// evidence/{papers,citations}.jsonl, README.md with figures/, and manifest.json with the sha256 of every
/// file. The same catalog content and options give the same bytes. Published with one rename.
///
/// A paper is relevant when the query cites it, it is in the pool, and it is of an earlier year than the
/// query. Tiers: `all`; `type3` (mentions at or over the threshold); `experiments` (a stand-in for Type I:
/// mentioned in an experiments section); `type1`, `type2` when labels exist; `type4` where asked for; `must` (Type I, II or III; where
/// no Type I labels exist, their stand-in `experiments`).
Report build(const store::Catalog& catalog, const Options& options, const std::filesystem::path& folder,
             Progress& progress);

/// Rows of one file that two releases share or do not: documents and queries by id, judgements by line.
struct FileChange {
  std::string path;
  std::uint64_t kept = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};
struct Difference {
  std::string before;                ///< name and version of the earlier release
  std::vector<std::string> options;  ///< "name: before -> after"
  std::vector<FileChange> files;     ///< only those whose bytes differ
};
/// What changed from one release to another. Throws not_found or corrupt.
[[nodiscard]] Difference diff(const std::filesystem::path& before, const std::filesystem::path& after);

struct Verdict {
  std::uint64_t files = 0;
  std::vector<std::string> problems;  ///< empty: sound
};

/// Checks a release folder: every file of the manifest with its size and sha256, no other file, counts as
/// stated, every qrel names a known query and document, no query among the evidence of its own split, no
/// document outside the pool years, no judgement on a document that is not older than its query or has its
/// title, no title in two splits. Throws not_found or corrupt when there is no readable manifest.
Verdict verify(const std::filesystem::path& folder);

}  // namespace mustcite::release
