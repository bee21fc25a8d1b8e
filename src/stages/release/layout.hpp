#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {

inline constexpr int kFormatVersion = 1;
inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kCorpus = "corpus.jsonl";
inline constexpr const char* kQueries = "queries.jsonl";
inline constexpr const char* kEvidencePapers = "evidence/papers.jsonl";
inline constexpr const char* kEvidenceCitations = "evidence/citations.jsonl";

/// `qrels/dev/type3.tsv`.
[[nodiscard]] std::string qrels_path(std::string_view split, std::string_view tier);

/// A document in BEIR form: _id, title, text, then our fields. With line end.
[[nodiscard]] std::string corpus_line(const Paper& paper);

/// A query in BEIR form. `before` is the year whose papers, and later ones, it may not see. With line end.
[[nodiscard]] std::string query_line(const Paper& paper, std::string_view split, int year);

/// Name and content digest of one file of a release.
struct FileEntry {
  std::string path;
  std::string sha256;
  std::uint64_t bytes = 0;
};

/// The manifest as bytes: format, tool version, resolved options, counts, files in path order.
[[nodiscard]] std::string manifest_text(const Options& options, const Report& report,
                                        const std::vector<FileEntry>& files);

}  // namespace mustcite::release
