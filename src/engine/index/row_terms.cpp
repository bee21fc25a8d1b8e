#include "engine/index/row_terms.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::index {
namespace {

constexpr std::size_t kBatchChunks = 16;

/// Adds up equal terms; the rest ascends.
void merge(std::vector<TermCount>& counts, std::size_t begin) {
  const auto first = counts.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, counts.end(), [](const TermCount& a, const TermCount& b) { return a.term < b.term; });
  std::size_t kept = begin;
  for (std::size_t i = begin; i < counts.size(); ++i) {
    if (kept > begin && counts[kept - 1].term == counts[i].term) {
      counts[kept - 1].count += counts[i].count;
    } else {
      counts[kept++] = counts[i];
    }
  }
  counts.resize(kept);
}

}  // namespace

RowTerms::RowTerms(const BuildOptions& options)
    : options_(options), analyzer_(text::make_analyzer(options.analyzer)),
      threads_(options.threads == 0 ? available_cores() : options.threads), numbers_(threads_) {
  if (options_.fields.empty() || options_.fields.size() != options_.weights.size()) {
    fail(ErrorCode::invalid_input, "building an index of {} fields with {} weights: give one weight a field",
         options_.fields.size(), options_.weights.size());
  }
  for (const int weight : options_.weights) {
    if (weight < 0 || weight > 100) {
      fail(ErrorCode::invalid_input, "a field weight of {}: weights lie in 0 to 100", weight);
    }
  }
}

void RowTerms::add(const Row& row) {
  if (row.fields.size() != options_.fields.size()) {
    fail(ErrorCode::invalid_input, "adding a row of {} fields to an index of {}", row.fields.size(),
         options_.fields.size());
  }
  for (const auto field : row.fields) {
    texts_ += field;
    field_ends_.push_back(texts_.size());
  }
  ++rows_;
  constexpr std::size_t kBatchBytes = std::size_t{64} << 20;
  const bool chunk_full = rows_ % kChunkRows == 0;
  if (chunk_full && (rows_ % (kChunkRows * kBatchChunks) == 0 || texts_.size() > kBatchBytes)) analyze_batch();
}

void RowTerms::analyze_batch() {
  stop_if_interrupted();
  const std::size_t batch_rows = field_ends_.size() / options_.fields.size();
  const std::size_t batch_chunks = (batch_rows + kChunkRows - 1) / kChunkRows;
  batch_first_chunk_ = chunks_.size();
  chunks_.resize(batch_first_chunk_ + batch_chunks);
  parallel_for(batch_chunks, threads_, [this](std::size_t chunk, std::size_t worker) { analyze_chunk(chunk, worker); });
  texts_.clear();
  field_ends_.clear();
}

void RowTerms::analyze_chunk(std::size_t index, std::size_t worker) {
  Chunk& chunk = chunks_[batch_first_chunk_ + index];
  chunk.worker = worker;
  auto& numbers = numbers_[worker].of;
  const std::size_t fields = options_.fields.size();
  const std::size_t first = index * kChunkRows;
  const std::size_t last = std::min(first + kChunkRows, field_ends_.size() / fields);
  std::vector<std::string> terms;
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t begin = chunk.counts.size();
    std::uint64_t length = 0;
    for (std::size_t f = 0; f < fields; ++f) {
      const std::size_t place = row * fields + f;
      const std::size_t from = place == 0 ? 0 : field_ends_[place - 1];
      const auto weight = static_cast<std::uint32_t>(options_.weights[f]);
      if (weight == 0) continue;
      terms.clear();
      analyzer_->analyze(std::string_view(texts_).substr(from, field_ends_[place] - from), terms);
      for (auto& term : terms) {
        const auto number = static_cast<std::uint32_t>(numbers.size());
        chunk.counts.push_back({numbers.try_emplace(std::move(term), number).first->second, weight});
      }
      length += std::uint64_t{weight} * terms.size();
    }
    if (length > 0xffffffff) fail(ErrorCode::invalid_input, "row {} is too long to be indexed", row);
    merge(chunk.counts, begin);
    chunk.ends.push_back(static_cast<std::uint32_t>(chunk.counts.size()));
    chunk.lengths.push_back(static_cast<std::uint32_t>(length));
  }
  chunk.counts.shrink_to_fit();
}

void RowTerms::number_terms() {
  struct Met {
    std::string_view term;
    std::size_t worker = 0;
    std::uint32_t number = 0;
    std::uint32_t rows = 0;
  };
  std::vector<std::vector<std::uint32_t>> rows(numbers_.size());
  for (std::size_t w = 0; w < numbers_.size(); ++w) rows[w].resize(numbers_[w].of.size());
  for (const auto& chunk : chunks_) {
    for (const auto& item : chunk.counts) ++rows[chunk.worker][item.term];
  }
  std::vector<Met> met;
  for (std::size_t w = 0; w < numbers_.size(); ++w) {
    for (const auto& [term, number] : numbers_[w].of) met.push_back({term, w, number, rows[w][number]});
  }
  std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) {
    return a.term != b.term ? a.term < b.term : a.worker < b.worker;
  });
  // The same term of several threads: one place, in which its rows add up.
  struct Term {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint32_t rows = 0;
  };
  std::vector<Term> distinct;
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (i == 0 || met[i].term != met[i - 1].term) distinct.push_back({i, i, 0});
    distinct.back().last = i + 1;
    distinct.back().rows += met[i].rows;
  }
  std::stable_sort(distinct.begin(), distinct.end(), [](const Term& a, const Term& b) { return a.rows > b.rows; });
  for (std::size_t w = 0; w < numbers_.size(); ++w) numbers_[w].final_numbers.resize(rows[w].size());
  for (const auto& term : distinct) {
    const auto number = static_cast<std::uint32_t>(terms_.size());
    for (std::size_t i = term.first; i < term.last; ++i) {
      numbers_[met[i].worker].final_numbers[met[i].number] = number;
    }
    terms_.emplace_back(met[term.first].term);
    frequencies_.push_back(term.rows);
  }
}

void RowTerms::settle() {
  if (!field_ends_.empty()) analyze_batch();
  texts_ = {};
  number_terms();
  for (auto& numbers : numbers_) numbers.of = {};
  parallel_for(chunks_.size(), threads_, [this](std::size_t index, std::size_t) {
    auto& chunk = chunks_[index];
    const auto& final_numbers = numbers_[chunk.worker].final_numbers;
    for (auto& item : chunk.counts) item.term = final_numbers[item.term];
    std::uint32_t begin = 0;
    for (const std::uint32_t end : chunk.ends) {
      std::sort(chunk.counts.begin() + begin, chunk.counts.begin() + end,
                [](const TermCount& a, const TermCount& b) { return a.term < b.term; });
      begin = end;
    }
  });
  lengths_.reserve(rows_);
  for (const auto& chunk : chunks_) lengths_.insert(lengths_.end(), chunk.lengths.begin(), chunk.lengths.end());
}

std::span<const TermCount> RowTerms::row(std::uint32_t row) const {
  const auto& chunk = chunks_[row / kChunkRows];
  const std::size_t place = row % kChunkRows;
  const std::uint32_t begin = place == 0 ? 0 : chunk.ends[place - 1];
  return std::span<const TermCount>(chunk.counts).subspan(begin, chunk.ends[place] - begin);
}

}  // namespace mustcite::index
