#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/store/catalog.hpp"

/// Brings papers and citations of other people's files into the catalog.
namespace mustcite::importing {

enum class Kind {
  detect,            ///< by content
  papers,            ///< papers JSONL
  citations,         ///< citations JSONL
  beir,              ///< a BEIR folder: its corpus
  release,           ///< a release folder: its corpus and its evidence
  bibtex,            ///< BibTeX or BibLaTeX
  acl_xml,           ///< ACL Anthology XML
  openalex,          ///< OpenAlex works, JSON lines
  semantic_scholar,  ///< Semantic Scholar datasets (papers, abstracts, citations), JSON lines
};

/// `detect`, `papers`, `citations`, `beir`, `release`, `bibtex`, `acl-xml`, `openalex`, `semantic-scholar`.
[[nodiscard]] const char* kind_name(Kind kind) noexcept;
/// Throws usage for any other name, listing the known ones.
[[nodiscard]] Kind parse_kind(const std::string& name);

/// What `input` holds, from its first bytes (compressed or not) or, for a folder, from its files.
/// Throws not_found, or invalid_input when it is none of the known kinds.
[[nodiscard]] Kind detect(const std::filesystem::path& input);

struct Options {
  Kind kind = Kind::detect;
  /// Papers of later years are rejected; 0: the year after next, by the clock.
  int latest_year = 0;
  /// Items per transaction. A killed import keeps every finished one.
  std::size_t batch = 5000;
};

/// read == added + updated + unchanged + rejected, always.
struct Counts {
  std::size_t read = 0;
  std::size_t added = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
  std::size_t rejected = 0;
};

struct Report {
  Kind kind = Kind::detect;
  Counts papers;
  Counts citations;
  std::size_t repaired_utf8 =
      0;                ///< items with malformed bytes, replaced by U+FFFD (BibTeX: read as Windows-1252)
  std::size_t cut = 0;  ///< items of which something too long was cut; the ledger says what
  std::size_t citing_before_cited = 0;  ///< citations kept although the citing paper is the older one
  std::size_t dangling = 0;  ///< citations of the whole catalog whose citing or cited paper is not in it
  std::vector<std::filesystem::path>
      ignored;  ///< files of a folder that were left out on purpose (queries, qrels)
};

/// Reads `input`, cleans each item and puts it into the catalog. What cannot be taken goes to the ledger with
/// file, line and reason. Importing the same input twice changes nothing. Ctrl-C stops between two batches:
/// what is committed stays.
/// "-" is standard input and needs a kind.
Report run(store::Catalog& catalog, const std::filesystem::path& input, const Options& options,
           Progress& progress);

}  // namespace mustcite::importing
