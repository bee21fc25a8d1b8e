#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/progress.hpp"
#include "core/text/analyzer.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::index {

struct Scored {
  DocId doc;
  float score = 0;
};

/// The score of a row is the sum over query terms of weight · idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · dl / avgdl))
/// with idf = ln(1 + (N - df + 0.5) / (df + 0.5)): docs/methods/bm25.md.
struct Bm25 {
  double k1 = 1.5;
  double b = 0.75;
};

/// A term's frequency is the weighted sum over fields, a row's length the weighted number of its terms (BM25F with one
/// length), so weights 1 give the usual "title and abstract as one field".
struct BuildOptions {
  std::string analyzer = "english";
  std::vector<std::string> fields{"title", "abstract"};
  std::vector<int> weights{1, 1};  ///< 0 leaves a field out
  std::size_t threads = 0;         ///< 0: all cores; the file does not depend on it
};

/// A text to index as one row. Rows must come in snapshot order.
struct Row {
  std::vector<std::string_view> fields;
};

/// A query as weighted terms of the index's vocabulary.
struct QueryTerm {
  std::uint32_t term = 0;
  float weight = 1;
};

struct SearchOptions {
  std::uint32_t depth = 100;
  /// Rows [0, prefix) are searched, and idf and average length are those of that prefix (as of the date).
  std::optional<std::uint32_t> prefix;
  std::span<const DocId> exclude;  ///< sorted ascending
  Bm25 bm25;
};

/// Our inverted index: BM25 over weighted fields, exact top-k, ties by ascending document id (string order of paper
/// ids is not row order: ties are broken by row). Memory-mapped, checksummed, thread-safe.
class SparseIndex {
 public:
  /// Opens `<file_prefix>.bin`. Throws not_found or corrupt (damaged, foreign, of another snapshot or analyzer), naming
  /// the command that rebuilds it. An empty `snapshot_digest` fits any snapshot.
  static SparseIndex open(const std::filesystem::path& file_prefix, const std::string& snapshot_digest);
  SparseIndex(SparseIndex&&) noexcept;
  SparseIndex& operator=(SparseIndex&&) noexcept;
  ~SparseIndex();

  [[nodiscard]] std::uint32_t rows() const noexcept;
  [[nodiscard]] std::uint32_t vocabulary() const noexcept;
  [[nodiscard]] const text::Analyzer& analyzer() const noexcept;
  [[nodiscard]] const std::string& snapshot_digest() const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> term_id(std::string_view term) const;
  [[nodiscard]] std::string_view term(std::uint32_t id) const;
  /// Documents with the term among the first `prefix` rows.
  [[nodiscard]] std::uint32_t document_frequency(std::uint32_t term, std::uint32_t prefix) const;
  /// (term, weighted frequency) of one row, ascending by term: for feedback, features and reasons.
  [[nodiscard]] std::vector<QueryTerm> document_terms(DocId doc) const;
  [[nodiscard]] float document_length(DocId doc) const;

  /// Terms of `text` with their counts as weights; unknown terms are dropped.
  [[nodiscard]] std::vector<QueryTerm> parse(std::string_view text) const;
  /// The same for text that was analysed already.
  [[nodiscard]] std::vector<QueryTerm> count_terms(std::span<const std::string> terms) const;

  /// Best `depth` rows, falling score, ties by ascending row. Only rows that hold a term of the query come back.
  /// A term given twice counts with the sum of its weights; weights that are not positive count nothing, those above a
  /// million count a million. Throws invalid_input for a k1 or b outside its range.
  [[nodiscard]] std::vector<Scored> search(std::span<const QueryTerm> query, const SearchOptions& options) const;
  /// Plain reference: scores every row, sorts. The oracle of `search`.
  [[nodiscard]] std::vector<Scored> search_plain(std::span<const QueryTerm> query, const SearchOptions& options) const;
  /// `search` of many queries, on at most `threads` threads (0: all cores). One set of options for all, or one each.
  [[nodiscard]] std::vector<std::vector<Scored>> search_many(std::span<const std::vector<QueryTerm>> queries,
                                                             std::span<const SearchOptions> options,
                                                             std::size_t threads) const;
  /// BM25 of given rows (any order, all of them below `rows()`), same numbers as `search`.
  void score(std::span<const QueryTerm> query, std::span<const DocId> docs, const SearchOptions& options,
             std::span<float> scores) const;
  /// Terms of the query by what they add to the score of `doc`, largest first.
  struct Contribution {
    std::uint32_t term = 0;
    float score = 0;
  };
  [[nodiscard]] std::vector<Contribution> explain(std::span<const QueryTerm> query, DocId doc,
                                                  const SearchOptions& options) const;

 private:
  struct Impl;
  explicit SparseIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Builds the index of rows given one after another. The same rows give the same bytes.
class SparseIndexBuilder {
 public:
  /// Throws usage for an unknown analyzer, invalid_input when fields and weights do not fit.
  explicit SparseIndexBuilder(BuildOptions options);
  ~SparseIndexBuilder();
  SparseIndexBuilder(const SparseIndexBuilder&) = delete;
  SparseIndexBuilder& operator=(const SparseIndexBuilder&) = delete;
  /// The texts are needed during the call only. Throws invalid_input when the number of fields is wrong.
  void add(const Row& row);
  /// Writes `<file_prefix>.bin` naming the snapshot it belongs to. Call once.
  void write(const std::filesystem::path& file_prefix, const std::string& snapshot_digest);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::index
