#include "engine/index/bm25.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::index {
namespace {

/// Larger weights are cut: with them every sum stays far from the end of float.
constexpr float kMaxWeight = 1e6F;

/// Terms ascending, each once with its weights added up, without weights that add nothing.
std::vector<QueryTerm> merge(std::span<const QueryTerm> query, std::uint32_t vocabulary) {
  std::vector<QueryTerm> terms;
  terms.reserve(query.size());
  for (const auto& item : query) {
    if (item.term < vocabulary && item.weight > 0) terms.push_back({item.term, std::min(item.weight, kMaxWeight)});
  }
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.term < b.term; });
  std::size_t kept = 0;
  for (const auto& item : terms) {
    if (kept > 0 && terms[kept - 1].term == item.term) {
      terms[kept - 1].weight = std::min(terms[kept - 1].weight + item.weight, kMaxWeight);
    } else {
      terms[kept++] = item;
    }
  }
  terms.resize(kept);
  return terms;
}

/// One table a thread: a query writes its few terms and clears them again, which costs far less than a map.
std::vector<float>& thread_table(std::size_t vocabulary) {
  thread_local std::vector<float> table;
  if (table.size() < vocabulary) table.resize(vocabulary, 0.0F);
  return table;
}

}  // namespace

PreparedBm25 prepare(const IndexFile& file, std::span<const QueryTerm> query, const SearchOptions& options) {
  const auto [k1, b] = options.bm25;
  if (!(k1 >= 0 && k1 <= 1000 && b >= 0 && b <= 1)) {
    fail(ErrorCode::invalid_input, "BM25 with k1 {} and b {}: k1 must lie in 0 to 1000 and b in 0 to 1", k1, b);
  }
  PreparedBm25 prepared;
  prepared.prefix = std::min(options.prefix.value_or(file.rows()), file.rows());
  if (prepared.prefix == 0) return prepared;
  const auto rows = static_cast<double>(prepared.prefix);
  const double average = static_cast<double>(file.total_length(prepared.prefix)) / rows;
  if (!(average > 0)) return prepared;
  prepared.norm_base = k1 * (1 - b);
  prepared.norm_slope = k1 * b / average;
  for (const auto& item : merge(query, file.vocabulary())) {
    const std::uint32_t frequency = file.document_frequency(item.term, prepared.prefix);
    if (frequency == 0) continue;
    const double df = frequency;
    const double idf = std::log(1 + (rows - df + 0.5) / (df + 0.5));
    const auto factor = static_cast<float>(static_cast<double>(item.weight) * idf * (k1 + 1));
    if (factor > 0) prepared.terms.push_back({item.term, factor});
  }
  return prepared;
}

RowScorer::RowScorer(const IndexFile& file, const PreparedBm25& query)
    : file_(file), query_(query), factors_(thread_table(file.vocabulary())) {
  for (const auto& term : query.terms) factors_[term.term] = term.factor;
}

RowScorer::~RowScorer() {
  for (const auto& term : query_.terms) factors_[term.term] = 0.0F;
}

float RowScorer::score(std::uint32_t row) const {
  const float norm = query_.norm(file_.lengths[row]);
  constexpr std::uint32_t kKept = 8;
  float ratios[kKept];
  for (std::uint32_t tf = 1; tf < kKept; ++tf) ratios[tf] = contribution(1, tf, norm);
  const float* factors = factors_.data();
  float sum = 0;
  // Terms outside the query have factor 0: adding 0 changes nothing and costs less than a branch nobody can foresee.
  file_.each_term(row, [&](std::uint32_t term, std::uint32_t frequency) {
    const float ratio = frequency < kKept ? ratios[frequency] : contribution(1, frequency, norm);
    sum += factors[term] * ratio;
  });
  return sum;
}

}  // namespace mustcite::index
