#include "engine/train/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/threads.hpp"

namespace mustcite::train {
namespace {

constexpr std::size_t kDepth = 100;

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// `count` queries, drawn by the seed.
std::vector<DevQuery> drawn(std::vector<DevQuery> queries, std::size_t count, std::uint64_t seed) {
  for (std::size_t i = 0; i + 1 < queries.size(); ++i) {
    std::swap(queries[i], queries[i + mixed(seed + i) % (queries.size() - i)]);
  }
  if (queries.size() > count) queries.resize(count);
  return queries;
}

bool holds(const std::vector<DocId>& sorted, DocId doc) {
  return std::binary_search(sorted.begin(), sorted.end(), doc);
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

Nearness nearness_of(Loss loss) noexcept {
  return loss == Loss::nt_xent ? Nearness::cosine : Nearness::distance;
}

void compare(std::span<const float> queries, std::span<const float> documents, std::size_t dims,
             Nearness nearness, std::span<float> out) {
  const std::size_t rows = documents.size() / dims;
  // Of one query, both orders follow from the product: by cosine product / length, by distance (which is
  // |q|^2 - 2 q d + |d|^2 when squared) product - length^2 / 2.
  for (std::size_t d = 0; d < rows; ++d) {
    const float* const row = documents.data() + d * dims;
    const float square = std::inner_product(row, row + dims, row, 0.0F);
    for (std::size_t q = 0; q * dims < queries.size(); ++q) {
      const float product = std::inner_product(row, row + dims, queries.data() + q * dims, 0.0F);
      out[q * rows + d] =
          nearness == Nearness::cosine ? product / std::max(std::sqrt(square), 1e-12F) : product - square / 2;
    }
  }
}

DevSet::DevSet(const snapshot::Snapshot& snapshot, const Recipe& recipe, std::vector<DevQuery> queries,
               const std::function<std::string(const DevQuery&)>& text_of)
    : queries_(drawn(std::move(queries), recipe.dev.queries, recipe.learner.seed)) {
  if (queries_.empty()) return;
  std::set<DocId> rows;
  for (const auto& query : queries_) rows.insert(query.relevant.begin(), query.relevant.end());
  // The others: a stride through all rows in a random order, so that the sample does not depend on the
  // relevant ones.
  std::vector<std::uint32_t> all(snapshot.size());
  std::iota(all.begin(), all.end(), 0U);
  const std::size_t others = std::min<std::size_t>(recipe.dev.documents, all.size());
  for (std::size_t i = 0; i < others; ++i) {
    std::swap(all[i], all[i + mixed(recipe.learner.seed ^ (i << 20)) % (all.size() - i)]);
    rows.insert(DocId{all[i]});
  }
  rows_.assign(rows.begin(), rows.end());
  for (const DocId row : rows_) {
    const auto view = snapshot.document(row);
    document_texts_.push_back(paper_text(view.title, view.abstract));
  }
  for (const auto& query : queries_) {
    query_texts_.push_back(text_of ? text_of(query) : paper_text(query.title, query.abstract));
    const auto end = std::lower_bound(rows_.begin(), rows_.end(), DocId{snapshot.prefix(query.before)});
    older_.push_back(static_cast<std::uint32_t>(end - rows_.begin()));
  }
}

Measurement DevSet::measure(Learner& learner, std::size_t threads) const {
  std::vector<float> near(queries_.size() * rows_.size());
  learner.similarities(views(query_texts_), views(document_texts_), near);
  std::vector<double> recall(queries_.size());
  std::vector<double> reciprocal(queries_.size());
  std::vector<double> r_precision(queries_.size());
  parallel_for(queries_.size(), threads, [&](std::size_t q, std::size_t) {
    std::vector<std::pair<float, std::uint32_t>> scored;
    for (std::uint32_t i = 0; i < older_[q]; ++i) {
      if (holds(queries_[q].excluded, rows_[i])) continue;
      scored.emplace_back(-near[q * rows_.size() + i], i);
    }
    const std::size_t depth = std::min(kDepth, scored.size());
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(depth), scored.end());
    const std::size_t relevant = queries_[q].relevant.size();
    std::size_t found = 0;
    for (std::size_t rank = 0; rank < depth; ++rank) {
      if (!holds(queries_[q].relevant, rows_[scored[rank].second])) continue;
      if (rank < relevant) r_precision[q] += 1.0 / static_cast<double>(relevant);
      if (++found == 1) reciprocal[q] = 1.0 / static_cast<double>(rank + 1);
    }
    recall[q] = static_cast<double>(found) / static_cast<double>(relevant);
  });
  const auto count = static_cast<double>(queries_.size());
  Measurement measurement;
  measurement.recall_100 = std::accumulate(recall.begin(), recall.end(), 0.0) / count;
  measurement.mrr = std::accumulate(reciprocal.begin(), reciprocal.end(), 0.0) / count;
  measurement.r_precision = std::accumulate(r_precision.begin(), r_precision.end(), 0.0) / count;
  return measurement;
}

}  // namespace mustcite::train
