#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/run_file.hpp"
#include "engine/evaluate/trec_text.hpp"

namespace mustcite::evaluate {

/// A judged document. Relevance 0: judged not relevant; below 0: in the pool but not judged, as in trec_eval.
struct Judgement {
  std::string_view document;
  std::uint32_t hash = 0;
  int relevance = 0;
};

struct JudgedQuery {
  std::string_view id;
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// Relevance judgements: queries by rising id, each with its documents in file order.
struct Qrels {
  /// What tables call it: the file's name without its endings, unless set otherwise.
  std::string name;
  std::filesystem::path path;
  TrecText text;
  std::vector<JudgedQuery> queries;
  std::vector<Judgement> judgements;
  /// Lines dropped as duplicates (lenient reading only).
  std::size_t duplicates = 0;
  std::vector<std::string> notes;

  [[nodiscard]] std::span<const Judgement> judgements_of(const JudgedQuery& query) const noexcept {
    return {judgements.data() + query.begin, query.count};
  }
  [[nodiscard]] const JudgedQuery* find(std::string_view query_id) const noexcept;
};

/// Reads qrels: TREC lines `query 0 document relevance`, or BEIR's three columns `query-id corpus-id score`,
/// with or without their header. Plain, .gz and .zst. Throws invalid_input naming file and line for a wrong
/// number of columns, a relevance that is no whole number, a pair judged twice (see ReadOptions), and a file
/// without judgements.
[[nodiscard]] Qrels read_qrels(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] Qrels parse_qrels(TrecText text, const std::filesystem::path& name,
                                const ReadOptions& options = {});

}  // namespace mustcite::evaluate
