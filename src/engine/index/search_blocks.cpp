#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/index/bm25.hpp"
#include "engine/index/kernels.hpp"

// How the exact best rows are found without computing every score:
//  1. For every row an upper bound of its score is accumulated in 16 bits. The frequency of a term is known exactly
//     (up to a cap), the length of the row only by its class, so the bound is a few per cent above the score.
//  2. The largest bounds name the rows most likely to win. Their exact scores give a threshold.
//  3. Every row whose bound reaches the threshold gets its exact score. The others cannot win.
// Bounds are rounded up at every step, so the answer is that of `search_plain`, bit for bit.

namespace mustcite::index {
namespace {

using format::kBlockRows;
using format::kClasses;
using format::kGroupRows;
using format::kGroups;
using format::kLevels;

/// Bounds of tf / (tf + norm) for each length class and frequency code, before the term's factor.
struct Bounds {
  std::array<std::array<float, 16>, kClasses> dense{};
  std::array<float, kClasses * kLevels> sparse{};
};

Bounds make_bounds(const IndexFile& file, const PreparedBm25& query) {
  Bounds bounds;
  for (std::uint32_t c = 0; c < kClasses; ++c) {
    // The shortest row of a class has the smallest norm, hence the largest values.
    const float norm = query.norm(file.class_minima[c]);
    for (std::uint32_t tf = 1; tf < format::kNibbleTop; ++tf) bounds.dense[c][tf] = contribution(1, tf, norm);
    bounds.dense[c][format::kNibbleTop] = 1;
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      const std::uint32_t top = format::kLevelTop[level];
      bounds.sparse[c * kLevels + level] = top == 0 ? 1 : contribution(1, top, norm);
    }
  }
  return bounds;
}

/// Coarsest step of a narrow table: 2^this steps of an accumulator.
constexpr int kMaxNarrowShift = 4;

struct Candidate {
  std::uint16_t bound = 0;
  std::uint32_t slot = 0;
};

/// The accumulators and tables of one search, kept by each thread from query to query.
struct Scratch {
  std::vector<std::uint16_t> accumulators;
  std::vector<std::uint16_t> maxima;
  std::vector<std::uint16_t> sorted_maxima;
  std::vector<kernels::DenseTable> dense_tables;
  std::vector<std::array<std::uint16_t, kClasses * kLevels>> sparse_tables;
  std::vector<kernels::NarrowTable> narrow_tables;
  std::vector<kernels::DenseTerm> dense_terms;
  std::vector<kernels::NarrowTerm> narrow_terms;
  std::vector<Candidate> candidates;
};

class Search {
 public:
  Search(const IndexFile& file, const PreparedBm25& query, const SearchOptions& options, Scratch& scratch)
      : file_(file), query_(query), options_(options), scratch_(scratch),
        blocks_((query.prefix + kBlockRows - 1) / kBlockRows), scorer_(file, query) {}

  std::vector<Scored> run() {
    make_tables();
    scratch_.accumulators.assign(std::size_t{blocks_} * kBlockRows, 0);
    scratch_.maxima.resize(std::size_t{blocks_} * kGroups);
    add_rare();
    for (std::uint32_t block = 0; block < blocks_; ++block) add_block(block);
    return best_rows();
  }

 private:
  void make_tables();
  void choose_narrow_step(double inflation);
  void make_narrow_table(const Bounds& bounds, std::size_t term, double steps);
  void add_rare();
  void add_block(std::uint32_t block);
  void add_narrow(std::uint32_t block);
  void drop_rows_outside(std::uint32_t block);
  [[nodiscard]] bool is_narrow(std::size_t term) const { return narrow_maxima_[term] != 0; }
  [[nodiscard]] std::uint16_t first_threshold(std::size_t count) const;
  [[nodiscard]] std::uint16_t bound_of(float score) const;
  void collect(std::uint16_t threshold, std::vector<Candidate>& out) const;
  std::vector<Scored> best_rows();

  const IndexFile& file_;
  const PreparedBm25& query_;
  const SearchOptions& options_;
  Scratch& scratch_;
  std::uint32_t blocks_;
  RowScorer scorer_;
  double scale_ = 0;       ///< steps of an accumulator per unit of score
  std::size_t block_terms_ = 0;  ///< terms with cells: the first ones
  std::vector<std::uint8_t> narrow_maxima_;  ///< largest value of each narrow table; 0: the term has a wide one
  int narrow_shift_ = 0;         ///< a step of a narrow table is 2^shift steps of an accumulator
};

void Search::make_tables() {
  const Bounds bounds = make_bounds(file_, query_);
  const std::size_t count = query_.terms.size();
  double total = 0;
  for (const auto& term : query_.terms) total += term.factor;
  // Exact scores carry one rounding a term; bounds lie above all of them.
  const double inflation = 1 + (static_cast<double>(count) + 16) * 0x1p-22;
  // Every value is rounded up, by one step of the coarsest table at most.
  const double rounding = static_cast<double>(count) * (1 << kMaxNarrowShift) + 16;
  scale_ = (65535 - rounding) / (total * inflation);
  block_terms_ = 0;
  while (block_terms_ < count && query_.terms[block_terms_].term < file_.first_rare()) ++block_terms_;
  choose_narrow_step(inflation);
  scratch_.sparse_tables.resize(count);
  scratch_.dense_tables.resize(block_terms_);
  scratch_.narrow_tables.resize(block_terms_);
  for (std::size_t t = 0; t < count; ++t) {
    const double steps = static_cast<double>(query_.terms[t].factor) * scale_ * inflation;
    const auto factor = static_cast<float>(steps);
    auto& sparse = scratch_.sparse_tables[t];
    for (std::size_t code = 0; code < sparse.size(); ++code) {
      sparse[code] = static_cast<std::uint16_t>(static_cast<std::int32_t>(bounds.sparse[code] * factor) + 1);
    }
    if (t >= block_terms_) continue;
    if (is_narrow(t)) {
      make_narrow_table(bounds, t, steps);
      continue;
    }
    auto& dense = scratch_.dense_tables[t];
    for (std::uint32_t c = 0; c < kClasses; ++c) {
      for (std::uint32_t code = 0; code < 16; ++code) {
        const std::int32_t value = static_cast<std::int32_t>(bounds.dense[c][code] * factor) + (code != 0);
        dense.bytes[c][0][code] = static_cast<std::uint8_t>(value);
        dense.bytes[c][1][code] = static_cast<std::uint8_t>(value >> 8);
      }
    }
  }
}

/// Steps so coarse that about six common terms share one byte.
void Search::choose_narrow_step(double inflation) {
  double sum = 0;
  for (std::size_t t = 0; t < block_terms_; ++t) sum += query_.terms[t].factor;
  const double mean = block_terms_ == 0 ? 0 : sum / static_cast<double>(block_terms_) * scale_ * inflation;
  narrow_shift_ = 0;
  while (narrow_shift_ < kMaxNarrowShift && mean / (1 << narrow_shift_) > 255.0 / 6) ++narrow_shift_;
  narrow_maxima_.assign(block_terms_, 0);
  for (std::size_t t = 0; t < block_terms_; ++t) {
    const double largest = query_.terms[t].factor * scale_ * inflation / (1 << narrow_shift_) + 2;
    if (largest <= 128) narrow_maxima_[t] = static_cast<std::uint8_t>(largest);
  }
}

void Search::make_narrow_table(const Bounds& bounds, std::size_t term, double steps) {
  const auto factor = static_cast<float>(steps / (1 << narrow_shift_));
  auto& table = scratch_.narrow_tables[term];
  for (std::uint32_t c = 0; c < kClasses; ++c) {
    for (std::uint32_t code = 0; code < 16; ++code) {
      table.bytes[c][code] =
          static_cast<std::uint8_t>(static_cast<std::int32_t>(bounds.dense[c][code] * factor) + (code != 0));
    }
  }
}

void Search::add_rare() {
  const std::uint32_t end_slot = blocks_ * kBlockRows;
  for (std::size_t t = block_terms_; t < query_.terms.size(); ++t) {
    const auto range = file_.rare(query_.terms[t].term);
    const auto& table = scratch_.sparse_tables[t];
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::uint32_t slot = file_.rare_slots[i];
      if (slot >= end_slot) break;
      auto& sum = scratch_.accumulators[slot];
      sum = static_cast<std::uint16_t>(sum + table[file_.rare_codes[i]]);
    }
  }
}

void Search::add_block(std::uint32_t block) {
  std::uint16_t* accumulators = scratch_.accumulators.data() + std::size_t{block} * kBlockRows;
  const std::uint8_t* classes = file_.group_classes.data() + std::size_t{block} * kGroups;
  const auto level = kernels::best();
  scratch_.dense_terms.clear();
  for (std::size_t t = 0; t < block_terms_; ++t) {
    // A list starts somewhere else each time: fetch the one after the next while this one is added.
    if (t + 2 < block_terms_) file_.prefetch_cell(file_.cell(query_.terms[t + 2].term, block));
    const auto& cell = file_.cell(query_.terms[t].term, block);
    if (cell.kind == format::CellKind::sparse) {
      kernels::add_sparse(file_.cell_slots(cell), file_.cell_codes(cell), cell.count,
                          scratch_.sparse_tables[t].data(), accumulators);
    } else if (!is_narrow(t)) {
      scratch_.dense_terms.push_back({file_.cell_nibbles(cell), &scratch_.dense_tables[t]});
    }
  }
  kernels::add_dense(level, scratch_.dense_terms.data(), scratch_.dense_terms.size(), classes, kGroups, accumulators);
  add_narrow(block);
  drop_rows_outside(block);
  kernels::group_maxima(level, accumulators, kGroups, scratch_.maxima.data() + std::size_t{block} * kGroups);
}

/// Common terms in bunches whose largest values fit one byte together.
void Search::add_narrow(std::uint32_t block) {
  std::uint16_t* accumulators = scratch_.accumulators.data() + std::size_t{block} * kBlockRows;
  const std::uint8_t* classes = file_.group_classes.data() + std::size_t{block} * kGroups;
  auto& bunch = scratch_.narrow_terms;
  bunch.clear();
  unsigned largest = 0;
  const auto flush = [&] {
    kernels::add_narrow(kernels::best(), bunch.data(), bunch.size(), classes, kGroups, narrow_shift_, accumulators);
    bunch.clear();
    largest = 0;
  };
  for (std::size_t t = 0; t < block_terms_; ++t) {
    if (!is_narrow(t)) continue;
    const auto& cell = file_.cell(query_.terms[t].term, block);
    if (cell.kind != format::CellKind::dense) continue;
    if (largest + narrow_maxima_[t] > 255 || bunch.size() == kernels::kMaxNarrowTerms) flush();
    bunch.push_back({file_.cell_nibbles(cell), &scratch_.narrow_tables[t]});
    largest += narrow_maxima_[t];
  }
  flush();
}

/// Rows that may not come back keep no bound.
void Search::drop_rows_outside(std::uint32_t block) {
  const std::uint32_t begin = block * kBlockRows;
  const auto in_block = [](DocId doc, std::uint32_t row) { return doc.value < row; };
  auto excluded = std::lower_bound(options_.exclude.begin(), options_.exclude.end(), begin, in_block);
  for (; excluded != options_.exclude.end() && excluded->value < begin + kBlockRows; ++excluded) {
    if (excluded->value < file_.rows()) scratch_.accumulators[file_.slot_of(excluded->value)] = 0;
  }
  if (query_.prefix - begin >= kBlockRows) return;
  const auto limit = static_cast<std::uint16_t>(query_.prefix - begin);
  const std::uint16_t* rows = file_.block_order(block);
  std::uint16_t* accumulators = scratch_.accumulators.data() + begin;
  for (std::uint32_t slot = 0; slot < kBlockRows; ++slot) {
    accumulators[slot] = rows[slot] < limit ? accumulators[slot] : std::uint16_t{0};
  }
}

/// A bound that at least `count` rows reach: the count-th largest of the groups' maxima, which belong to different rows.
std::uint16_t Search::first_threshold(std::size_t count) const {
  auto& maxima = scratch_.sorted_maxima;
  maxima.assign(scratch_.maxima.begin(), scratch_.maxima.end());
  if (count > maxima.size()) return 1;
  const auto place = maxima.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(maxima.begin(), place, maxima.end(), std::greater<>());
  return std::max<std::uint16_t>(*place, 1);
}

/// The smallest bound of a row that scores at least `score`.
std::uint16_t Search::bound_of(float score) const {
  return static_cast<std::uint16_t>(std::clamp(std::floor(static_cast<double>(score) * scale_), 1.0, 65535.0));
}

void Search::collect(std::uint16_t threshold, std::vector<Candidate>& out) const {
  const std::uint16_t* accumulators = scratch_.accumulators.data();
  for (std::size_t group = 0; group < scratch_.maxima.size(); ++group) {
    if (scratch_.maxima[group] < threshold) continue;
    const auto begin = static_cast<std::uint32_t>(group * kGroupRows);
    for (std::uint32_t slot = begin; slot < begin + kGroupRows; ++slot) {
      if (accumulators[slot] >= threshold) out.push_back({accumulators[slot], slot});
    }
  }
}

std::vector<Scored> Search::best_rows() {
  const std::size_t depth = options_.depth;
  const auto falling = [](const Candidate& a, const Candidate& b) { return a.bound > b.bound; };
  std::vector<Scored> best;  // a heap whose front is the worst
  const auto add = [&](const Candidate& candidate) {
    const std::uint32_t row = file_.row_of(candidate.slot);
    const Scored item{DocId{row}, scorer_.score(row)};
    if (!(item.score > 0)) return;
    if (best.size() == depth && !better(item, best.front())) return;
    best.push_back(item);
    std::push_heap(best.begin(), best.end(), better);
    if (best.size() <= depth) return;
    std::pop_heap(best.begin(), best.end(), better);
    best.pop_back();
  };
  const auto threshold = [&] { return best.size() < depth ? std::uint16_t{1} : bound_of(best.front().score); };

  // A few more than asked for: the bounds of very long rows lie far above their scores, and one such row among
  // exactly `depth` would make the threshold useless.
  const std::size_t seeds = depth + depth / 4 + 32;
  auto& candidates = scratch_.candidates;
  candidates.clear();
  collect(first_threshold(seeds), candidates);
  if (candidates.size() > seeds) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(seeds), candidates.end(),
                     falling);
    candidates.resize(seeds);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    scorer_.prefetch(file_.row_of(candidates[std::min(i + 4, candidates.size() - 1)].slot));
    add(candidates[i]);
    scratch_.accumulators[candidates[i].slot] = 0;  // so that it is not collected again
  }
  candidates.clear();
  collect(threshold(), candidates);
  std::sort(candidates.begin(), candidates.end(), falling);
  for (const auto& candidate : candidates) {
    if (candidate.bound < threshold()) break;
    add(candidate);
  }
  std::sort_heap(best.begin(), best.end(), better);
  return best;
}

}  // namespace

std::vector<Scored> search_blocks(const IndexFile& file, const PreparedBm25& query, const SearchOptions& options) {
  if (query.terms.empty() || options.depth == 0) return {};
  thread_local Scratch scratch;
  return Search(file, query, options, scratch).run();
}

}  // namespace mustcite::index
