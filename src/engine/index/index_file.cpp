#include "engine/index/index_file.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/hash.hpp"

namespace mustcite::index {
namespace {

constexpr std::uint32_t kEmpty = 0xffffffff;

/// Tells files apart that come to lie at the same address.
std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

}  // namespace

std::uint64_t term_hash(std::string_view term) noexcept { return checksum64(std::as_bytes(std::span(term))); }

IndexFile::IndexFile(const std::filesystem::path& path, const std::string& wanted_digest)
    : file_(path, format::kKind), serial_(next_serial()) {
  read_meta(wanted_digest);
  terms = file_.text("terms");
  term_offsets = file_.section<std::uint32_t>("termoff");
  hash_table = file_.section<std::uint32_t>("hash");
  frequencies = file_.section<std::uint32_t>("df");
  lengths = file_.section<std::uint32_t>("length");
  order = file_.section<std::uint16_t>("order");
  class_minima = file_.section<std::uint32_t>("classes");
  group_classes = file_.section<std::uint8_t>("groups");
  cells = file_.section<format::Cell>("cells");
  postings = file_.section<std::uint8_t>("postings");
  rare_offsets = file_.section<std::uint32_t>("rareoff");
  rare_slots = file_.section<std::uint32_t>("rareslot");
  rare_codes = file_.section<std::uint8_t>("rarecode");
  forward_offsets = file_.section<std::uint64_t>("fwdoff");
  forward = file_.section<std::uint8_t>("forward");
  blocks_ = static_cast<std::uint32_t>((lengths.size() + format::kBlockRows - 1) / format::kBlockRows);
  check_rows();
  check_terms();
  check_postings();
  check_forward();

  slots_.resize(lengths.size());
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    const std::uint32_t row = row_of(slot);
    if (row < rows()) slots_[row] = static_cast<std::uint16_t>(slot % format::kBlockRows);
  }
  length_before_block_.assign(1, 0);
  for (std::uint32_t block = 0; block < blocks_; ++block) {
    const std::size_t begin = std::size_t{block} * format::kBlockRows;
    const std::size_t end = std::min<std::size_t>(begin + format::kBlockRows, lengths.size());
    length_before_block_.push_back(
        std::accumulate(lengths.begin() + begin, lengths.begin() + end, length_before_block_.back()));
  }
}

void IndexFile::read_meta(const std::string& wanted_digest) {
  const auto json = nlohmann::json::parse(file_.text("meta"), nullptr, false);
  std::string analyzer_name;
  std::string analyzer_version;
  try {
    analyzer_name = json.at("analyzer").get<std::string>();
    analyzer_version = json.at("analyzer_version").get<std::string>();
    snapshot_digest = json.at("snapshot").get<std::string>();
    first_rare_ = json.at("first_rare").get<std::uint32_t>();
  } catch (const nlohmann::json::exception&) {
    file_.refuse("its description is damaged");
  }
  file_.expect(wanted_digest.empty() || snapshot_digest == wanted_digest, "it was made from another snapshot");
  try {
    analyzer = text::make_analyzer(analyzer_name);
  } catch (const Error&) {
    file_.refuse("its analyzer is unknown");
  }
  file_.expect(analyzer->name() == analyzer_version, "its analyzer has changed since");
}

void IndexFile::check_rows() const {
  file_.expect(lengths.size() < (std::size_t{1} << 31), "it is too large");
  file_.expect(order.size() == std::size_t{blocks_} * format::kBlockRows &&
                   group_classes.size() == std::size_t{blocks_} * format::kGroups,
               "its blocks are damaged");
  file_.expect(class_minima.size() == format::kClasses, "its length classes are damaged");
  file_.expect(std::is_sorted(class_minima.begin(), class_minima.end()), "its length classes are damaged");
  for (const std::uint8_t length_class : group_classes) {
    file_.expect(length_class < format::kClasses, "its length classes are damaged");
  }
  std::vector<bool> seen(lengths.size());
  std::size_t found = 0;
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    // Rows of the last block come first; what is left of it is marked with 0xffff.
    if (order[slot] == 0xffff) continue;
    const std::size_t row = std::size_t{slot & ~(format::kBlockRows - 1)} + order[slot];
    file_.expect(order[slot] < format::kBlockRows && row < lengths.size() && !seen[row], "its order of rows is damaged");
    seen[row] = true;
    ++found;
  }
  file_.expect(found == lengths.size(), "its order of rows is damaged");
}

void IndexFile::check_terms() const {
  file_.expect(frequencies.size() < kEmpty && first_rare_ <= frequencies.size(), "its vocabulary is damaged");
  file_.expect(term_offsets.size() == frequencies.size() + 1 && term_offsets.front() == 0 &&
                   term_offsets.back() == terms.size() && std::is_sorted(term_offsets.begin(), term_offsets.end()),
               "its vocabulary is damaged");
  file_.expect(std::has_single_bit(hash_table.size()) && hash_table.size() > frequencies.size(),
               "its vocabulary is damaged");
  std::size_t used = 0;
  for (const std::uint32_t id : hash_table) {
    file_.expect(id == kEmpty || id < frequencies.size(), "its vocabulary is damaged");
    used += id != kEmpty;
  }
  // A search in a full table would never end.
  file_.expect(used < hash_table.size(), "its vocabulary is damaged");
  for (const std::uint32_t frequency : frequencies) {
    file_.expect(frequency <= lengths.size(), "its frequencies are damaged");
  }
}

void IndexFile::check_postings() const {
  file_.expect(cells.size() == std::size_t{first_rare_} * blocks_, "its postings are damaged");
  for (const auto& cell : cells) {
    file_.expect(cell.kind == format::CellKind::sparse || cell.kind == format::CellKind::dense,
                 "its postings are damaged");
    const std::size_t bytes =
        cell.kind == format::CellKind::dense ? format::kDenseBytes : std::size_t{3} * cell.count;
    file_.expect(cell.count <= format::kBlockRows && cell.offset % 2 == 0 && cell.offset <= postings.size() &&
                     bytes <= postings.size() - cell.offset,
                 "its postings are damaged");
    if (cell.kind == format::CellKind::dense) continue;
    const std::uint16_t* slots = cell_slots(cell);
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < cell.count; ++i) all |= slots[i];
    file_.expect(all < format::kBlockRows, "its postings are damaged");
  }
  file_.expect(rare_offsets.size() == frequencies.size() - first_rare_ + 1 && rare_offsets.front() == 0 &&
                   rare_offsets.back() == rare_slots.size() && rare_codes.size() == rare_slots.size() &&
                   std::is_sorted(rare_offsets.begin(), rare_offsets.end()),
               "its postings are damaged");
  for (const std::uint32_t slot : rare_slots) {
    file_.expect(slot < order.size() && row_of(slot) < lengths.size(), "its postings are damaged");
  }
}

void IndexFile::check_forward() const {
  file_.expect(forward_offsets.size() == lengths.size() + 1 && forward_offsets.front() == 0 &&
                   forward.size() >= format::kForwardPadding &&
                   forward_offsets.back() == forward.size() - format::kForwardPadding &&
                   std::is_sorted(forward_offsets.begin(), forward_offsets.end()),
               "its rows are damaged");
}

std::optional<std::uint32_t> IndexFile::term_id(std::string_view wanted) const {
  const std::size_t mask = hash_table.size() - 1;
  for (std::size_t at = term_hash(wanted) & mask;; at = (at + 1) & mask) {
    const std::uint32_t id = hash_table[at];
    if (id == kEmpty) return std::nullopt;
    if (term(id) == wanted) return id;
  }
}

std::uint32_t IndexFile::count_in_block(const format::Cell& cell, std::uint32_t block, std::uint32_t limit) const {
  const std::uint16_t* rows_of_block = order.data() + std::size_t{block} * format::kBlockRows;
  std::uint32_t count = 0;
  if (cell.kind == format::CellKind::sparse) {
    const std::uint16_t* slots = cell_slots(cell);
    for (std::uint32_t i = 0; i < cell.count; ++i) count += rows_of_block[slots[i]] < limit;
    return count;
  }
  // Four bits of every row of the block that is older: what is left of the cell under them is counted 16 at a time.
  const auto& older = older_rows(block, limit);
  const std::uint8_t* nibbles = cell_nibbles(cell);
  for (std::size_t i = 0; i < format::kDenseBytes; i += 8) {
    std::uint64_t codes = 0;
    std::uint64_t mask = 0;
    std::memcpy(&codes, nibbles + i, 8);
    std::memcpy(&mask, older.data() + i, 8);
    codes &= mask;
    codes |= codes >> 2;
    codes |= codes >> 1;
    count += static_cast<std::uint32_t>(std::popcount(codes & 0x1111111111111111U));
  }
  return count;
}

const std::vector<std::uint8_t>& IndexFile::older_rows(std::uint32_t block, std::uint32_t limit) const {
  struct Mask {
    const IndexFile* file = nullptr;
    std::uint64_t serial = 0;
    std::uint32_t block = 0;
    std::uint32_t limit = 0;
    std::vector<std::uint8_t> bytes;
  };
  thread_local Mask mask;  // the terms of a query, and often the queries of a run, ask for the same one
  if (mask.file == this && mask.serial == serial_ && mask.block == block && mask.limit == limit) return mask.bytes;
  mask = {this, serial_, block, limit, std::vector<std::uint8_t>(format::kDenseBytes, 0)};
  const std::uint16_t* rows_of_block = block_order(block);
  for (std::uint32_t slot = 0; slot < format::kBlockRows; ++slot) {
    if (rows_of_block[slot] >= limit) continue;
    const auto place = format::nibble_place(slot % format::kGroupRows);
    auto& byte = mask.bytes[slot / format::kGroupRows * format::kDenseGroupBytes + place.byte];
    byte = static_cast<std::uint8_t>(byte | 15U << place.shift);
  }
  return mask.bytes;
}

std::uint32_t IndexFile::document_frequency(std::uint32_t term, std::uint32_t prefix) const {
  if (prefix >= rows()) return frequencies[term];
  std::uint32_t count = 0;
  if (term >= first_rare_) {
    const auto range = rare(term);
    for (std::uint32_t i = range.begin; i < range.end; ++i) count += row_of(rare_slots[i]) < prefix;
    return count;
  }
  const std::uint32_t full = prefix / format::kBlockRows;
  for (std::uint32_t block = 0; block < full; ++block) count += cell(term, block).count;
  const std::uint32_t rest = prefix % format::kBlockRows;
  return rest == 0 ? count : count + count_in_block(cell(term, full), full, rest);
}

std::uint64_t IndexFile::total_length(std::uint32_t prefix) const {
  const std::uint32_t full = prefix / format::kBlockRows;
  const auto begin = lengths.begin() + std::size_t{full} * format::kBlockRows;
  return std::accumulate(begin, lengths.begin() + prefix, length_before_block_[full]);
}

}  // namespace mustcite::index
