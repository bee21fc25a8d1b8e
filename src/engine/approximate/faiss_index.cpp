#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFPQ.h>
#include <faiss/index_io.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <random>

#include "core/base/error.hpp"
#include "engine/dense/approximate.hpp"

/// The one file that knows Faiss.
namespace mustcite::approximate {
namespace {

using namespace dense;

constexpr int kNeighbours = 32;     // of a node in the graph
constexpr int kBuildBreadth = 120;  // candidates looked at for each new node
constexpr std::size_t kMostTraining = 100000;
constexpr std::uint32_t kLeastRows =
    1000;  // fewer cannot train the codes, and are searched exactly in no time
constexpr std::size_t kPart = 10000;
constexpr int kBits = 8;

faiss::MetricType metric_of(const VectorInfo& info) {
  return info.recipe.metric == Metric::l2 ? faiss::METRIC_L2 : faiss::METRIC_INNER_PRODUCT;
}

std::vector<float> read_rows(const VectorFile& vectors, std::span<const std::uint32_t> rows) {
  const std::size_t dims = vectors.info().dims;
  std::vector<float> values(rows.size() * dims);
  for (std::size_t i = 0; i < rows.size(); ++i)
    vectors.read(rows[i], std::span(values).subspan(i * dims, dims));
  return values;
}

void add_all(faiss::Index& index, const VectorFile& vectors) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < vectors.info().rows;) {
    rows.clear();
    for (; row < vectors.info().rows && rows.size() < kPart; ++row) rows.push_back(row);
    index.add(static_cast<faiss::Index::idx_t>(rows.size()), read_rows(vectors, rows).data());
  }
}

std::vector<float> training_rows(const VectorFile& vectors) {
  std::vector<std::uint32_t> rows(vectors.info().rows);
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::mt19937_64 random(1);
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(std::min(rows.size(), kMostTraining));
  return read_rows(vectors, rows);
}

/// The most parts of at most eight numbers each that divide the vector evenly.
std::size_t parts_of(std::size_t dims) {
  for (std::size_t width = std::min<std::size_t>(8, dims); width > 1; --width) {
    if (dims % width == 0) return dims / width;
  }
  return dims;
}

std::unique_ptr<faiss::Index> make_index(const VectorFile& vectors, Approximate kind) {
  const auto dims = static_cast<int>(vectors.info().dims);
  const auto metric = metric_of(vectors.info());
  if (kind == Approximate::hnsw) {
    auto index =
        std::make_unique<faiss::IndexHNSWSQ>(dims, faiss::ScalarQuantizer::QT_fp16, kNeighbours, metric);
    index->hnsw.efConstruction = kBuildBreadth;
    const auto sample = training_rows(vectors);
    index->train(static_cast<faiss::Index::idx_t>(sample.size() / vectors.info().dims), sample.data());
    return index;
  }
  const auto lists = static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(vectors.info().rows)));
  auto quantiser = std::make_unique<faiss::IndexFlat>(dims, metric);
  auto index = std::make_unique<faiss::IndexIVFPQ>(quantiser.get(), dims, lists,
                                                   parts_of(vectors.info().dims), kBits, metric);
  index->own_fields = true;
  static_cast<void>(quantiser.release());
  const auto sample = training_rows(vectors);
  index->train(static_cast<faiss::Index::idx_t>(sample.size() / vectors.info().dims), sample.data());
  return index;
}

class FaissIndex final : public ApproximateIndex {
 public:
  explicit FaissIndex(std::unique_ptr<faiss::Index> index) : index_(std::move(index)) {}

  std::vector<std::uint32_t> candidates(std::span<const float> query, std::size_t count) const override {
    std::vector<float> distances(count);
    std::vector<faiss::Index::idx_t> labels(count, -1);
    const auto wanted = static_cast<faiss::Index::idx_t>(count);
    if (const auto* lists = dynamic_cast<const faiss::IndexIVF*>(index_.get())) {
      constexpr std::size_t kLists = 32;
      faiss::SearchParametersIVF parameters;
      parameters.nprobe =
          std::min(lists->nlist,
                   std::max(kLists, lists->nlist * count /
                                        std::max<std::size_t>(1, static_cast<std::size_t>(index_->ntotal))));
      index_->search(1, query.data(), wanted, distances.data(), labels.data(), &parameters);
    } else {
      faiss::SearchParametersHNSW parameters;
      parameters.efSearch = static_cast<int>(count);
      index_->search(1, query.data(), wanted, distances.data(), labels.data(), &parameters);
    }
    std::vector<std::uint32_t> rows;
    for (const auto label : labels) {
      if (label >= 0) rows.push_back(static_cast<std::uint32_t>(label));
    }
    return rows;
  }

 private:
  std::unique_ptr<faiss::Index> index_;
};

class FaissPlugin final : public ApproximatePlugin {
 public:
  void build(const VectorFile& vectors, Approximate kind, const std::filesystem::path& file) const override {
    if (vectors.info().rows < kLeastRows) {
      fail(ErrorCode::invalid_input,
           "an approximate index wants at least {} documents, and there are {}: exact search is fast enough",
           kLeastRows, vectors.info().rows);
    }
    try {
      const auto index = make_index(vectors, kind);
      add_all(*index, vectors);
      faiss::write_index(index.get(), file.c_str());
    } catch (const std::exception& error) {  // Faiss's own
      fail(ErrorCode::internal, "cannot build the approximate index: {}", error.what());
    }
  }

  std::unique_ptr<ApproximateIndex> open(const std::filesystem::path& file) const override {
    try {
      return std::make_unique<FaissIndex>(std::unique_ptr<faiss::Index>(faiss::read_index(file.c_str())));
    } catch (const std::exception& error) {
      fail(ErrorCode::corrupt, "cannot read the approximate index {}: {}; make it anew", file.string(),
           error.what());
    }
  }
};

}  // namespace
}  // namespace mustcite::approximate

extern "C" int mustcite_approximate_version() {
  return mustcite::dense::kApproximateVersion;
}

extern "C" const mustcite::dense::ApproximatePlugin* mustcite_approximate_plugin() {
  static const mustcite::approximate::FaissPlugin plugin;
  return &plugin;
}
