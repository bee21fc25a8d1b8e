#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "core/base/threads.hpp"
#include "engine/index/format.hpp"
#include "engine/index/index_file.hpp"
#include "engine/index/row_order.hpp"
#include "engine/index/row_terms.hpp"
#include "engine/index/sparse_index.hpp"

namespace mustcite::index {
namespace {

using format::kBlockRows;

void append_number(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 128U));
  out.push_back(static_cast<std::uint8_t>(value));
}

/// The postings of one block.
struct BlockPostings {
  std::vector<format::Cell> cells;  ///< of terms with cells; offsets inside `bytes`
  std::vector<std::uint8_t> bytes;
  struct Rare {
    std::uint32_t term = 0;
    std::uint32_t slot = 0;
    std::uint8_t code = 0;
  };
  std::vector<Rare> rare;  ///< ascending by slot
};

class Writer {
 public:
  Writer(const RowTerms& rows, const BuildOptions& options, const std::filesystem::path& path)
      : rows_(rows), options_(options), order_(order_rows(rows.lengths())), out_(path, format::kKind) {
    const auto& df = rows_.frequencies();
    first_rare_ = static_cast<std::uint32_t>(
        std::partition_point(df.begin(), df.end(), [](std::uint32_t n) { return n >= format::kRareBelow; }) -
        df.begin());
  }

  void run(const std::string& snapshot_digest) {
    write_meta(snapshot_digest);
    write_terms();
    out_.section("df", rows_.frequencies());
    out_.section("length", rows_.lengths());
    out_.section("order", order_.order);
    out_.section("classes", order_.class_minima);
    out_.section("groups", order_.group_classes);
    write_postings();
    write_forward();
    out_.close();
  }

 private:
  [[nodiscard]] std::uint32_t blocks() const {
    return static_cast<std::uint32_t>(order_.order.size() / kBlockRows);
  }

  void write_meta(const std::string& snapshot_digest);
  void write_terms();
  void write_postings();
  void write_forward();
  [[nodiscard]] BlockPostings make_block(std::uint32_t block) const;
  void fill_dense(std::span<const std::uint32_t> packed, std::uint8_t* out) const;

  const RowTerms& rows_;
  const BuildOptions& options_;
  RowOrder order_;
  snapshot::SectionWriter out_;
  std::uint32_t first_rare_ = 0;
};

void Writer::write_meta(const std::string& snapshot_digest) {
  nlohmann::ordered_json meta;
  meta["analyzer"] = options_.analyzer;
  meta["analyzer_version"] = rows_.analyzer().name();
  meta["fields"] = options_.fields;
  meta["weights"] = options_.weights;
  meta["snapshot"] = snapshot_digest;
  meta["rows"] = rows_.rows();
  meta["terms"] = rows_.terms().size();
  meta["first_rare"] = first_rare_;
  out_.begin("meta");
  out_.write(meta.dump());
}

void Writer::write_terms() {
  const auto& terms = rows_.terms();
  std::vector<std::uint32_t> offsets{0};
  out_.begin("terms");
  std::uint64_t bytes = 0;
  for (const auto& term : terms) {
    out_.write(term);
    bytes += term.size();
    if (bytes > 0xffffffff) fail(ErrorCode::exhausted, "the terms of the index take more than 4 GiB");
    offsets.push_back(static_cast<std::uint32_t>(bytes));
  }
  out_.section("termoff", offsets);
  std::vector<std::uint32_t> table(std::bit_ceil(2 * terms.size() + 2), 0xffffffff);
  for (std::uint32_t id = 0; id < terms.size(); ++id) {
    std::size_t at = term_hash(terms[id]) & (table.size() - 1);
    while (table[at] != 0xffffffff) at = (at + 1) & (table.size() - 1);
    table[at] = id;
  }
  out_.section("hash", table);
}

/// A posting while a block is made: slot and frequency. Frequencies over 2^18 - 1 are cut, which no code tells apart.
constexpr std::uint32_t kSlotBits = 14;
constexpr std::uint32_t kMaxPackedFrequency = (1U << (32 - kSlotBits)) - 1;
static_assert(kBlockRows == 1U << kSlotBits);

BlockPostings Writer::make_block(std::uint32_t block) const {
  BlockPostings result;
  const std::uint16_t* rows_of_slots = order_.order.data() + std::size_t{block} * kBlockRows;
  const std::uint8_t* classes = order_.group_classes.data() + std::size_t{block} * format::kGroups;
  const std::uint32_t first_row = block * kBlockRows;
  std::vector<std::uint32_t> ends(first_rare_ + 1, 0);
  const std::uint32_t count = std::min(kBlockRows, rows_.rows() - first_row);
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    for (const auto& item : rows_.row(first_row + rows_of_slots[slot])) {
      if (item.term >= first_rare_) break;
      ++ends[item.term];
    }
  }
  std::uint32_t total = 0;
  for (auto& end : ends) end = std::exchange(total, total + end);
  std::vector<std::uint32_t> packed(total);
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const std::uint8_t length_class = classes[slot / format::kGroupRows];
    for (const auto& item : rows_.row(first_row + rows_of_slots[slot])) {
      if (item.term < first_rare_) {
        packed[ends[item.term]++] = slot | std::min(item.count, kMaxPackedFrequency) << kSlotBits;
      } else {
        result.rare.push_back({item.term, first_row + slot, format::code_of(length_class, item.count)});
      }
    }
  }
  std::uint32_t begin = 0;
  for (std::uint32_t term = 0; term < first_rare_; ++term) {
    const auto list = std::span<const std::uint32_t>(packed).subspan(begin, ends[term] - begin);
    begin = ends[term];
    const bool dense = list.size() >= format::kDenseFrom;
    result.cells.push_back({result.bytes.size(), static_cast<std::uint32_t>(list.size()),
                            dense ? format::CellKind::dense : format::CellKind::sparse});
    const std::size_t at = result.bytes.size();
    if (dense) {
      result.bytes.resize(at + format::kDenseBytes, 0);
      fill_dense(list, result.bytes.data() + at);
      continue;
    }
    result.bytes.resize(at + 3 * list.size() + list.size() % 2, 0);  // the next list starts at an even place
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t slot = list[i] % kBlockRows;
      result.bytes[at + 2 * i] = static_cast<std::uint8_t>(slot);
      result.bytes[at + 2 * i + 1] = static_cast<std::uint8_t>(slot >> 8);
      result.bytes[at + 2 * list.size() + i] = format::code_of(classes[slot / format::kGroupRows], list[i] >> kSlotBits);
    }
  }
  return result;
}

void Writer::fill_dense(std::span<const std::uint32_t> packed, std::uint8_t* out) const {
  for (const std::uint32_t posting : packed) {
    const std::uint32_t slot = posting % kBlockRows;
    const std::uint32_t code = std::min(posting >> kSlotBits, format::kNibbleTop);
    const auto place = format::nibble_place(slot % format::kGroupRows);
    std::uint8_t& byte = out[slot / format::kGroupRows * format::kDenseGroupBytes + place.byte];
    byte = static_cast<std::uint8_t>(byte | code << place.shift);
  }
}

void Writer::write_postings() {
  const auto& df = rows_.frequencies();
  std::vector<std::uint32_t> rare_offsets{0};
  for (std::size_t term = first_rare_; term < df.size(); ++term) rare_offsets.push_back(rare_offsets.back() + df[term]);
  std::vector<std::uint32_t> rare_slots(rare_offsets.back());
  std::vector<std::uint8_t> rare_codes(rare_offsets.back());
  auto rare_next = rare_offsets;
  std::vector<format::Cell> cells(std::size_t{first_rare_} * blocks());
  const std::size_t threads = options_.threads == 0 ? available_cores() : options_.threads;
  std::uint64_t offset = 0;
  out_.begin("postings");
  // As many blocks at a time as there are threads: they are written in order, whoever made them.
  for (std::uint32_t first = 0; first < blocks(); first += static_cast<std::uint32_t>(threads)) {
    stop_if_interrupted();
    std::vector<BlockPostings> made(std::min<std::size_t>(threads, blocks() - first));
    parallel_for(made.size(), threads, [&](std::size_t i, std::size_t) {
      made[i] = make_block(first + static_cast<std::uint32_t>(i));
    });
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (std::uint32_t term = 0; term < first_rare_; ++term) {
        auto& cell = cells[std::size_t{term} * blocks() + first + i];
        cell = made[i].cells[term];
        cell.offset += offset;
      }
      out_.write(std::span<const std::uint8_t>(made[i].bytes));
      offset += made[i].bytes.size();
      for (const auto& posting : made[i].rare) {
        const std::uint32_t at = rare_next[posting.term - first_rare_]++;
        rare_slots[at] = posting.slot;
        rare_codes[at] = posting.code;
      }
    }
  }
  out_.section("cells", cells);
  out_.section("rareoff", rare_offsets);
  out_.section("rareslot", rare_slots);
  out_.section("rarecode", rare_codes);
}

void Writer::write_forward() {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint8_t> bytes;
  out_.begin("forward");
  for (std::uint32_t row = 0; row < rows_.rows(); ++row) {
    bytes.clear();
    std::uint32_t next = 0;
    for (const auto& item : rows_.row(row)) {
      append_number(bytes, (item.term - next) << 1 | (item.count > 1 ? 1U : 0U));
      if (item.count > 1) append_number(bytes, item.count - 2);
      next = item.term + 1;
    }
    out_.write(std::span<const std::uint8_t>(bytes));
    offsets.push_back(offsets.back() + bytes.size());
  }
  const std::vector<std::uint8_t> padding(format::kForwardPadding, 0);
  out_.write(std::span<const std::uint8_t>(padding));
  out_.section("fwdoff", offsets);
}

}  // namespace

struct SparseIndexBuilder::Impl {
  explicit Impl(BuildOptions build_options) : options(std::move(build_options)), rows(options) {}
  BuildOptions options;
  RowTerms rows;
};

SparseIndexBuilder::SparseIndexBuilder(BuildOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
SparseIndexBuilder::~SparseIndexBuilder() = default;

void SparseIndexBuilder::add(const Row& row) { impl_->rows.add(row); }

void SparseIndexBuilder::write(const std::filesystem::path& file_prefix, const std::string& snapshot_digest) {
  impl_->rows.settle();
  Writer(impl_->rows, impl_->options, file_prefix.string() + ".bin").run(snapshot_digest);
}

}  // namespace mustcite::index
