#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/trec_text.hpp"

namespace mustcite::evaluate {

/// What decides the order of a query's results.
enum class Order {
  score,  ///< as trec_eval: float32 score falling, ties by document id as bytes, falling; ranks are ignored
  rank    ///< the rank column rising, ties as they stand in the file; scores are ignored
};

struct ReadOptions {
  Order order = Order::score;
  /// Of a document that a query lists twice (a pair that qrels judge twice) the first line is kept and the
  /// rest counted. Otherwise the file is refused.
  bool lenient = false;
  /// 0: all cores.
  std::size_t threads = 0;
};

/// One document of a list. Ids stay in the file's text: 16 bytes a result.
struct RunResult {
  std::uint64_t offset : 40;
  std::uint64_t length : 24;
  float score;
  std::uint32_t hash;
};

/// A query and where its results lie in `RunFile::results`.
struct RunQuery {
  std::string_view id;
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// A run as it was read: queries by rising id, results best first.
struct RunFile {
  /// What tables call it: the file's name without its endings, unless set otherwise.
  std::string name;
  std::filesystem::path path;
  TrecText text;
  std::vector<RunQuery> queries;
  std::vector<RunResult> results;
  /// Queries whose results did not stand by falling score in the file.
  std::size_t unsorted_queries = 0;
  /// Lines dropped as duplicates (lenient reading only).
  std::size_t duplicates = 0;
  /// What a reader should be told.
  std::vector<std::string> notes;

  [[nodiscard]] std::string_view document(const RunResult& result) const noexcept {
    return text.view().substr(result.offset, result.length);
  }
  [[nodiscard]] std::span<const RunResult> results_of(const RunQuery& query) const noexcept {
    return {results.data() + query.begin, query.count};
  }
  /// The results of a query; nothing when the run does not answer it.
  [[nodiscard]] const RunQuery* find(std::string_view query_id) const noexcept;
};

/// Reads a TREC run, `qid Q0 docid rank score tag`, columns separated by blanks. Plain, .gz and .zst; "-" is
/// standard input. Throws invalid_input naming file and line for a wrong number of columns, a score that is
/// no finite number, a document listed twice for a query (see ReadOptions), and a file without results.
[[nodiscard]] RunFile read_run(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] RunFile parse_run(TrecText text, const std::filesystem::path& name,
                                const ReadOptions& options = {});

/// `runs/bm25.trec.gz` → `bm25`.
[[nodiscard]] std::string display_name(const std::filesystem::path& path);

}  // namespace mustcite::evaluate
