#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/analyzer.hpp"
#include "engine/index/sparse_index.hpp"

namespace mustcite::index {

/// A term of a row and its weighted frequency.
struct TermCount {
  std::uint32_t term = 0;
  std::uint32_t count = 0;
};

/// The analysed rows of an index being built.
///
/// Rows come in batches that are analysed on all threads. Each thread numbers terms as it meets them; `settle` gives
/// them their final numbers, which depend on the rows alone: falling by the number of rows, then by the term's bytes.
class RowTerms {
 public:
  static constexpr std::size_t kChunkRows = 512;  ///< divides format::kBlockRows

  explicit RowTerms(const BuildOptions& options);

  void add(const Row& row);
  /// Analyses what is left and renumbers. After this the rows can be read.
  void settle();

  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] const text::Analyzer& analyzer() const noexcept { return *analyzer_; }
  /// By final number.
  [[nodiscard]] const std::vector<std::string>& terms() const noexcept { return terms_; }
  [[nodiscard]] const std::vector<std::uint32_t>& frequencies() const noexcept { return frequencies_; }
  /// Terms of one row, ascending.
  [[nodiscard]] std::span<const TermCount> row(std::uint32_t row) const;
  /// Weighted number of terms of every row.
  [[nodiscard]] const std::vector<std::uint32_t>& lengths() const noexcept { return lengths_; }

 private:
  struct Chunk {
    std::size_t worker = 0;
    std::vector<std::uint32_t> ends;  ///< of each row in `counts`
    std::vector<std::uint32_t> lengths;
    std::vector<TermCount> counts;
  };
  struct Numbers {
    std::unordered_map<std::string, std::uint32_t> of;  ///< number a thread gave to a term
    std::vector<std::uint32_t> final_numbers;
  };

  void analyze_batch();
  void analyze_chunk(std::size_t chunk, std::size_t worker);
  void number_terms();

  BuildOptions options_;
  std::unique_ptr<text::Analyzer> analyzer_;
  std::size_t threads_;
  std::uint32_t rows_ = 0;
  std::string texts_;                       ///< of the batch
  std::vector<std::size_t> field_ends_;     ///< in texts_, fields of rows one after another
  std::size_t batch_first_chunk_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<Numbers> numbers_;            ///< one a thread
  std::vector<std::string> terms_;
  std::vector<std::uint32_t> frequencies_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace mustcite::index
