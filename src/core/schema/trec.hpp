#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/ids.hpp"

namespace mustcite {

/// A judged pair of a qrels file. Relevance 0 or less: judged not relevant.
struct Qrel {
  QueryId query;
  PaperId paper;
  int relevance = 0;
};

struct ScoredPaper {
  PaperId paper;
  float score = 0;
};

/// The ranked papers of one query, best first.
struct RankedList {
  QueryId query;
  std::vector<ScoredPaper> papers;
};

/// What a method answered to many queries.
struct Run {
  std::string name;
  std::vector<RankedList> lists;
};

/// Writes a TREC run `qid Q0 docid rank score tag`, atomically. Scores are made strictly falling in print
/// (the smallest float32 steps), so that no evaluator can reorder them.
void write_run(const std::filesystem::path& path, const Run& run);

/// Writes `qid 0 docid relevance` lines, in the order given.
void write_qrels(const std::filesystem::path& path, const std::vector<Qrel>& qrels);

}  // namespace mustcite
