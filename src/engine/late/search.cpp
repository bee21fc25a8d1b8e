#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "engine/index/top.hpp"
#include "engine/late/index_layout.hpp"
#include "engine/late/query_lanes.hpp"

namespace mustcite::late {
namespace {

constexpr std::size_t kLanes = QueryLanes::kLanes;
constexpr std::size_t kLeastRescored = 1000;

/// Nearness of every centroid to every vector of the query in eight bits: 0 for right angles and beyond, 255
/// for the same direction.
class Nearness {
 public:
  Nearness(const QueryLanes& query, std::span<const ByteVector> centres)
      : centroids_(centres.size()), rows_(query.blocks() * centres.size() * kLanes) {
    std::int32_t products[kLanes];
    for (std::size_t block = 0; block < query.blocks(); ++block) {
      const float* const scales = query.bytes().scales(block);
      for (std::size_t c = 0; c < centroids_; ++c) {
        query.bytes().products(block, centres[c], products);
        const float factor = 255.0F * centres[c].scale;
        std::uint8_t* const out = rows_.data() + (block * centroids_ + c) * kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const float near =
              std::min(255.0F, std::max(0.0F, static_cast<float>(products[lane]) * factor * scales[lane]));
          out[lane] = static_cast<std::uint8_t>(static_cast<std::int32_t>(near + 0.5F));
        }
      }
    }
  }

  [[nodiscard]] const std::uint8_t* row(std::size_t block, std::size_t centroid) const noexcept {
    return rows_.data() + (block * centroids_ + centroid) * kLanes;
  }

  /// Marks the centroids that are among the `count` nearest of a lane of the block (more at equal nearness).
  void mark_nearest(std::size_t block, std::size_t count, std::vector<std::uint8_t>& marks) const {
    std::vector<std::array<std::uint8_t, kLanes>> top(count);
    for (auto& one : top) one.fill(0);
    std::array<std::uint8_t, kLanes> falling;
    for (std::size_t c = 0; c < centroids_; ++c) {
      std::copy_n(row(block, c), kLanes, falling.begin());
      for (auto& one : top) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint8_t high = std::max(one[lane], falling[lane]);
          falling[lane] = std::min(one[lane], falling[lane]);
          one[lane] = high;
        }
      }
    }
    std::array<std::uint8_t, kLanes> limit = top.back();
    for (auto& value : limit) value = std::max<std::uint8_t>(value, 1);
    for (std::size_t c = 0; c < centroids_; ++c) {
      const std::uint8_t* const near = row(block, c);
      std::uint8_t reached = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) reached |= near[lane] >= limit[lane] ? 1 : 0;
      marks[c] |= reached;
    }
  }

  /// The nearest that a centroid is to any vector of the query.
  [[nodiscard]] std::uint8_t nearest(std::size_t blocks, std::size_t centroid) const {
    std::uint8_t best = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::uint8_t* const near = row(block, centroid);
      for (std::size_t lane = 0; lane < kLanes; ++lane) best = std::max(best, near[lane]);
    }
    return best;
  }

 private:
  std::size_t centroids_;
  std::vector<std::uint8_t> rows_;
};

/// One search, from candidates to scores.
class Searcher {
 public:
  Searcher(const IndexData& index, std::span<const float> query, const LateSearch& search)
      : index_(index), search_(search), query_(query, index.info.dims), near_(query_, index.centres) {}

  std::vector<Scored> run() {
    const std::size_t wanted =
        search_.rescored > 0 ? search_.rescored : std::max(8 * search_.depth, kLeastRescored);
    // Vectors in eight bits are off by less than neighbours in the ranking are apart: a margin pays for that.
    const std::size_t kept = search_.depth + search_.depth / 4 + 16;
    auto rows = best_by_centroids(candidates(), std::max(wanted, search_.depth));
    if (rows.size() > kept) rows = best_by_bytes(std::move(rows), kept);
    index::TopK best(search_.depth);
    for (const std::uint32_t row : rows) {
      index_.decompress(row, wide_);
      best.offer(row, query_.max_sim(wide_.data(), index_.count(row)));
    }
    return best.take();
  }

 private:
  /// Documents with a token at a centroid that is near to a vector of the query, ascending.
  std::vector<std::uint32_t> candidates() {
    const std::size_t centroids = index_.info.centroids;
    std::vector<std::uint8_t> probed(centroids, 0);
    for (std::size_t block = 0; block < query_.blocks(); ++block)
      near_.mark_nearest(block, std::min(std::max<std::size_t>(search_.probes, 1), centroids), probed);
    const auto least = static_cast<int>(std::lround(255.0F * search_.least));
    alive_.assign(centroids, 0);
    for (std::size_t c = 0; c < centroids; ++c) {
      if (probed[c] != 0 || near_.nearest(query_.blocks(), c) >= least) alive_[c] = 1;
    }
    const std::uint32_t end = index_.end(search_);
    std::vector<std::uint8_t> found(end, 0);
    for (std::size_t c = 0; c < centroids; ++c) {
      if (probed[c] == 0) continue;
      for (std::uint64_t i = index_.starts[c]; i < index_.starts[c + 1] && index_.lists[i] < end; ++i)
        found[index_.lists[i]] = 1;
    }
    for (const DocId hidden : search_.exclude) {
      if (hidden.value < end) found[hidden.value] = 0;
    }
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < end; ++row) {
      if (found[row] != 0) rows.push_back(row);
    }
    return rows;
  }

  /// The `count` rows whose centroids alone have the largest MaxSim, ascending.
  std::vector<std::uint32_t> best_by_centroids(std::vector<std::uint32_t> rows, std::size_t count) const {
    if (rows.size() <= count) return rows;
    // Distinct centroids that count, of each candidate one behind the other.
    std::vector<std::uint16_t> codes;
    std::vector<std::size_t> ends;
    for (const std::uint32_t row : rows) {
      std::uint32_t last = Codec::kMostCentroids;
      for (const std::uint16_t code : index_.codes_of(row)) {
        if (code != last && alive_[code] != 0) codes.push_back(code);
        last = code;
      }
      ends.push_back(codes.size());
    }
    std::vector<std::uint32_t> sums(rows.size(), 0);
    for (std::size_t block = 0; block < query_.blocks(); ++block) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::array<std::uint8_t, kLanes> best{};
        for (; at < ends[i]; ++at) {
          const std::uint8_t* const near = near_.row(block, codes[at]);
          for (std::size_t lane = 0; lane < kLanes; ++lane) best[lane] = std::max(best[lane], near[lane]);
        }
        std::uint32_t sum = 0;
        for (const std::uint8_t value : best) sum += value;
        sums[i] += sum;
      }
    }
    index::TopK best(count);
    for (std::size_t i = 0; i < rows.size(); ++i) best.offer(rows[i], static_cast<float>(sums[i]));
    return ascending(best.take());
  }

  /// The `count` rows with the largest MaxSim of vectors in eight bits, ascending.
  std::vector<std::uint32_t> best_by_bytes(std::vector<std::uint32_t> rows, std::size_t count) {
    const std::size_t dims = index_.info.dims;
    index::TopK best(count);
    for (const std::uint32_t row : rows) {
      index_.decompress(row, wide_);
      const std::size_t tokens = index_.count(row);
      bytes_.resize(std::max(bytes_.size(), tokens * padded(dims)));
      vectors_.clear();
      for (std::size_t t = 0; t < tokens; ++t) {
        vectors_.push_back(to_bytes(std::span<const float>(wide_).subspan(t * dims, dims),
                                    bytes_.data() + t * padded(dims)));
      }
      best.offer(row, query_.max_sim(vectors_));
    }
    return ascending(best.take());
  }

  static std::vector<std::uint32_t> ascending(const std::vector<Scored>& found) {
    std::vector<std::uint32_t> rows;
    for (const Scored& one : found) rows.push_back(one.doc.value);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  const IndexData& index_;
  const LateSearch& search_;
  QueryLanes query_;
  Nearness near_;
  std::vector<std::uint8_t> alive_;  ///< centroids that are near enough to a vector of the query
  std::vector<float> wide_;
  std::vector<std::int8_t> bytes_;
  std::vector<ByteVector> vectors_;
};

void check_query(std::span<const float> query, std::size_t dims) {
  if (query.size() % dims != 0) {
    fail(ErrorCode::invalid_input,
         "a query of {} numbers came to an index of vectors of {}: it was made by another model",
         query.size(), dims);
  }
}

}  // namespace

std::vector<Scored> LateIndex::search(std::span<const float> query, const LateSearch& search) const {
  check_query(query, data_->info.dims);
  if (query.empty() || search.depth == 0) return {};
  return Searcher(*data_, query, search).run();
}

std::vector<Scored> LateIndex::search_exhaustive(std::span<const float> query,
                                                 const LateSearch& search) const {
  check_query(query, data_->info.dims);
  if (query.empty()) return {};
  const QueryLanes lanes(query, data_->info.dims);
  index::TopK best(search.depth);
  std::vector<float> vectors;
  for (std::uint32_t row = 0; row < data_->end(search); ++row) {
    if (data_->count(row) == 0 || index::contains(search.exclude, DocId{row})) continue;
    data_->decompress(row, vectors);
    best.offer(row, lanes.max_sim(vectors.data(), data_->count(row)));
  }
  return best.take();
}

void LateIndex::score(std::span<const float> query, std::span<const DocId> docs, std::span<float> out) const {
  check_query(query, data_->info.dims);
  const QueryLanes lanes(query, data_->info.dims);
  std::vector<float> vectors;
  for (std::size_t i = 0; i < docs.size(); ++i) {
    data_->decompress(docs[i].value, vectors);
    out[i] = lanes.max_sim(vectors.data(), data_->count(docs[i].value));
  }
}

}  // namespace mustcite::late
