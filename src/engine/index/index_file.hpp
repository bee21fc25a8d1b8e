#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/analyzer.hpp"
#include "engine/index/format.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::index {

/// A mapped index file whose every place is proved to lie inside. Read-only, thread-safe.
class IndexFile {
 public:
  /// Throws not_found or corrupt, naming the command that rebuilds it. An empty `snapshot_digest` fits any snapshot.
  IndexFile(const std::filesystem::path& path, const std::string& snapshot_digest);

  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(lengths.size()); }
  [[nodiscard]] std::uint32_t vocabulary() const noexcept { return static_cast<std::uint32_t>(frequencies.size()); }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
  /// Terms below this id have cells, the others one list over all blocks.
  [[nodiscard]] std::uint32_t first_rare() const noexcept { return first_rare_; }

  [[nodiscard]] std::string_view term(std::uint32_t id) const {
    return terms.substr(term_offsets[id], term_offsets[id + 1] - term_offsets[id]);
  }
  [[nodiscard]] std::optional<std::uint32_t> term_id(std::string_view term) const;

  [[nodiscard]] const format::Cell& cell(std::uint32_t term, std::uint32_t block) const {
    return cells[std::size_t{term} * blocks_ + block];
  }
  [[nodiscard]] const std::uint16_t* cell_slots(const format::Cell& cell) const {
    return reinterpret_cast<const std::uint16_t*>(postings.data() + cell.offset);
  }
  [[nodiscard]] const std::uint8_t* cell_codes(const format::Cell& cell) const {
    return postings.data() + cell.offset + std::size_t{2} * cell.count;
  }
  [[nodiscard]] const std::uint8_t* cell_nibbles(const format::Cell& cell) const {
    return postings.data() + cell.offset;
  }
  /// Postings of a rare term: places in `rare_slots` and `rare_codes`.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  [[nodiscard]] Range rare(std::uint32_t term) const {
    return {rare_offsets[term - first_rare_], rare_offsets[term - first_rare_ + 1]};
  }

  /// Row of a slot counted over all blocks. A slot without a row has none below `rows()`.
  [[nodiscard]] std::uint32_t row_of(std::uint32_t slot) const {
    return (slot & ~(format::kBlockRows - 1)) + order[slot];
  }
  /// Row inside the block of every slot of it.
  [[nodiscard]] const std::uint16_t* block_order(std::uint32_t block) const {
    return order.data() + std::size_t{block} * format::kBlockRows;
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t row) const {
    return (row & ~(format::kBlockRows - 1)) + slots_[row];
  }

  /// Rows among the first `prefix` that hold the term.
  [[nodiscard]] std::uint32_t document_frequency(std::uint32_t term, std::uint32_t prefix) const;
  /// Sum of the lengths of the first `prefix` rows.
  [[nodiscard]] std::uint64_t total_length(std::uint32_t prefix) const;

  /// Asks the processor to fetch a row that `each_term` will read soon.
  void prefetch_row(std::uint32_t row) const noexcept {
    const std::uint8_t* at = forward.data() + forward_offsets[row];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
    __builtin_prefetch(&lengths[row]);
  }

  /// The same for a list of postings; dense cells are read in one go, which the processor foresees by itself.
  void prefetch_cell(const format::Cell& cell) const noexcept {
    if (cell.kind == format::CellKind::dense) return;
    const std::uint8_t* at = postings.data() + cell.offset;
    const std::size_t bytes = std::size_t{3} * cell.count;
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
  }

  /// Calls visit(term, frequency) for the terms of a row, ascending.
  template <typename Visit>
  void each_term(std::uint32_t row, Visit&& visit) const {
    const std::uint8_t* at = forward.data() + forward_offsets[row];
    const std::uint8_t* end = forward.data() + forward_offsets[row + 1];
    const std::uint32_t terms_known = vocabulary();
    std::uint32_t term = 0;
    while (at < end) {
      std::uint32_t packed = *at++;
      if (packed >= 128) packed = rest_of_number(packed, at);
      std::uint32_t frequency = 1;
      if ((packed & 1) != 0) {
        frequency = *at++;
        if (frequency >= 128) frequency = rest_of_number(frequency, at);
        frequency += 2;
      }
      term += packed >> 1;
      if (term >= terms_known) return;  // only a forged file gets here
      visit(term, frequency);
      ++term;
    }
  }

  std::string snapshot_digest;
  std::unique_ptr<text::Analyzer> analyzer;
  std::span<const std::uint32_t> lengths;       ///< of every row
  std::span<const std::uint32_t> class_minima;  ///< shortest length of each class, ascending
  std::span<const std::uint8_t> group_classes;
  std::span<const std::uint32_t> rare_slots;
  std::span<const std::uint8_t> rare_codes;
  std::span<const std::uint32_t> frequencies;  ///< rows with each term; ids fall by it

 private:
  static std::uint32_t rest_of_number(std::uint32_t first, const std::uint8_t*& at) {
    std::uint32_t value = first & 127U;
    for (unsigned shift = 7; shift <= 28; shift += 7) {
      const std::uint32_t byte = *at++;
      value |= (byte & 127U) << shift;
      if (byte < 128) break;
    }
    return value;
  }

  void read_meta(const std::string& snapshot_digest);
  void check_rows() const;
  void check_terms() const;
  void check_postings() const;
  void check_forward() const;
  [[nodiscard]] std::uint32_t count_in_block(const format::Cell& cell, std::uint32_t block, std::uint32_t limit) const;

  /// A dense cell in which every row of the block below `limit` has all bits set. One a thread, until the next call.
  [[nodiscard]] const std::vector<std::uint8_t>& older_rows(std::uint32_t block, std::uint32_t limit) const;

  snapshot::SectionFile file_;
  std::uint64_t serial_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t first_rare_ = 0;
  std::string_view terms;
  std::span<const std::uint32_t> term_offsets, hash_table, rare_offsets;
  std::span<const std::uint16_t> order;
  std::span<const format::Cell> cells;
  std::span<const std::uint8_t> postings, forward;
  std::span<const std::uint64_t> forward_offsets;
  std::vector<std::uint16_t> slots_;               ///< inverse of `order`
  std::vector<std::uint64_t> length_before_block_;  ///< sum of lengths before each block
};

/// Hash of a term, the start of its search in the section `hash`.
[[nodiscard]] std::uint64_t term_hash(std::string_view term) noexcept;

}  // namespace mustcite::index
