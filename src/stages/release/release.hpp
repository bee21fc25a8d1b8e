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

struct Options {
  std::string name;
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

/// Freezes the catalog into `folder` in BEIR layout: corpus.jsonl, queries.jsonl, qrels/<split>/<tier>.tsv,
/// evidence/{papers,citations}.jsonl and manifest.json with the sha256 of every file. The same catalog content and
/// options give the same bytes. Published with one rename.
///
/// A paper is relevant when the query cites it, it is in the pool, and it is of an earlier year than the query.
/// Tiers: `all`; `type3` (mentions at or over the threshold); `experiments` (a stand-in for Type I: mentioned in an
/// experiments section); `must` (type3, experiments, or a Type I or II label); `type1`, `type2` when labels exist.
Report build(const store::Catalog& catalog, const Options& options, const std::filesystem::path& folder,
             Progress& progress);

struct Verdict {
  std::uint64_t files = 0;
  std::vector<std::string> problems;  ///< empty: sound
};

/// Checks a release folder: every file of the manifest with its size and sha256, no other file, counts as stated,
/// every qrel names a known query and document, no query among the evidence of its own split, no document newer than
/// the cut, no query title among the documents it is judged on.
/// Throws not_found or corrupt when there is no readable manifest.
Verdict verify(const std::filesystem::path& folder);

}  // namespace mustcite::release
