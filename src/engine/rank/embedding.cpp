#include "engine/rank/embedding.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/threads.hpp"

namespace mustcite::rank {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kBlock = 128;  ///< rows or columns of a batch worked on by one thread
constexpr std::size_t kSlice = 64;   ///< dimensions of the gradient summed by one thread

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

void shuffle(std::vector<std::uint32_t>& order, std::uint64_t seed) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[mixed(seed ^ mixed(i)) % i]);
}

class EmbeddingTrainer {
 public:
  EmbeddingTrainer(const SparseRows& texts, const std::vector<TextPair>& pairs, std::vector<float>& vectors,
                   std::size_t dims, const EmbeddingOptions& options)
      : texts_(texts),
        pairs_(pairs),
        vectors_(vectors),
        dims_(dims),
        options_(options),
        size_(std::min(options.batch, pairs.size())),
        strength_(texts.width, 1e-8F),
        gradient_(std::size_t{texts.width} * dims, 0.0F),
        touched_before_(texts.width, false),
        query_(rows(), columns()),
        target_(rows(), columns()),
        query_change_(rows(), columns()),
        target_change_(rows(), columns()),
        shares_(rows(), rows()),
        query_length_(size_),
        target_length_(size_) {}

  void run(const std::function<void(std::size_t)>& after_batch) {
    if (size_ < 2) return;
    std::vector<std::uint32_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), 0U);
    for (int epoch = 0; epoch < options_.epochs; ++epoch) {
      shuffle(order, options_.seed + static_cast<std::uint64_t>(epoch));
      for (std::size_t begin = 0; begin + size_ <= order.size(); begin += size_) {
        stop_if_interrupted();
        batch_ = std::span(order).subspan(begin, size_);
        step();
        if (after_batch) after_batch(size_);
      }
    }
  }

 private:
  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(size_); }
  [[nodiscard]] Eigen::Index columns() const { return static_cast<Eigen::Index>(dims_); }
  [[nodiscard]] std::uint32_t query_of(std::size_t i) const { return pairs_[batch_[i]].query; }
  [[nodiscard]] std::uint32_t target_of(std::size_t i) const { return pairs_[batch_[i]].target; }

  template <typename Work>
  void in_blocks(std::size_t count, std::size_t block, Work work) const {
    parallel_for((count + block - 1) / block, options_.threads,
                 [&](std::size_t i, std::size_t) { work(i * block, std::min(block, count - i * block)); });
  }

  void project(std::size_t row, float* out, float& length) const {
    std::fill_n(out, dims_, 0.0F);
    for (std::uint64_t k = texts_.begin[row]; k < texts_.begin[row + 1]; ++k) {
      const float* const from = vectors_.data() + std::size_t{texts_.columns[k]} * dims_;
      for (std::size_t d = 0; d < dims_; ++d) out[d] += texts_.values[k] * from[d];
    }
    float sum = 0;
    for (std::size_t d = 0; d < dims_; ++d) sum += out[d] * out[d];
    length = std::sqrt(sum) + 1e-9F;
    for (std::size_t d = 0; d < dims_; ++d) out[d] /= length;
  }

  /// Rows [first, first + n): chances of each target minus the truth, over the temperature; and the queries'
  /// change.
  void compare(std::size_t first, std::size_t n) {
    const auto begin = static_cast<Eigen::Index>(first);
    const auto count = static_cast<Eigen::Index>(n);
    Matrix logits = query_.middleRows(begin, count) * target_.transpose() / options_.temperature;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = first + i;
      auto line = logits.row(static_cast<Eigen::Index>(i)).array();
      for (std::size_t j = 0; j < size_; ++j) {
        const bool same = query_of(j) == query_of(at) || target_of(j) == target_of(at);
        if (j != at && same) line(static_cast<Eigen::Index>(j)) = -1e9F;
      }
      line = (line - line.maxCoeff()).exp();
      line /= line.sum();
      line(static_cast<Eigen::Index>(at)) -= 1.0F;
      line /= options_.temperature;
    }
    shares_.middleRows(begin, count) = logits;
    query_change_.middleRows(begin, count).noalias() = logits * target_;
  }

  /// A change of unit vectors becomes one of the sums they were made from.
  static void before_scaling(Matrix& change, const Matrix& unit, const std::vector<float>& length) {
    for (Eigen::Index i = 0; i < change.rows(); ++i) {
      const float along = change.row(i).dot(unit.row(i));
      change.row(i) = (change.row(i) - along * unit.row(i)) / length[static_cast<std::size_t>(i)];
    }
  }

  /// AdaGrad with one strength per term.
  void apply(const Matrix& change, bool queries) {
    std::vector<std::uint32_t> touched;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint32_t row = queries ? query_of(i) : target_of(i);
      for (std::uint64_t k = texts_.begin[row]; k < texts_.begin[row + 1]; ++k) {
        const std::uint32_t term = texts_.columns[k];
        if (!touched_before_[term]) touched.push_back(term);
        touched_before_[term] = true;
      }
    }
    in_blocks(dims_, kSlice, [&](std::size_t first, std::size_t n) {
      for (std::size_t i = 0; i < size_; ++i) {
        const std::uint32_t row = queries ? query_of(i) : target_of(i);
        const float* const from = change.data() + i * dims_ + first;
        for (std::uint64_t k = texts_.begin[row]; k < texts_.begin[row + 1]; ++k) {
          float* const to = gradient_.data() + std::size_t{texts_.columns[k]} * dims_ + first;
          for (std::size_t d = 0; d < n; ++d) to[d] += texts_.values[k] * from[d];
        }
      }
    });
    in_blocks(touched.size(), kBlock, [&](std::size_t first, std::size_t n) {
      for (std::size_t i = first; i < first + n; ++i) {
        const std::uint32_t term = touched[i];
        float* const gradient = gradient_.data() + std::size_t{term} * dims_;
        float* const vector = vectors_.data() + std::size_t{term} * dims_;
        float sum = 0;
        for (std::size_t d = 0; d < dims_; ++d) sum += gradient[d] * gradient[d];
        strength_[term] += sum / static_cast<float>(dims_);
        const float factor = options_.rate / std::sqrt(strength_[term]);
        for (std::size_t d = 0; d < dims_; ++d) {
          vector[d] -= factor * gradient[d];
          gradient[d] = 0;
        }
      }
    });
    for (const std::uint32_t term : touched) touched_before_[term] = false;
  }

  void step() {
    in_blocks(size_, kBlock, [&](std::size_t first, std::size_t n) {
      for (std::size_t i = first; i < first + n; ++i) {
        project(query_of(i), query_.data() + i * dims_, query_length_[i]);
        project(target_of(i), target_.data() + i * dims_, target_length_[i]);
      }
    });
    in_blocks(size_, kBlock, [&](std::size_t first, std::size_t n) { compare(first, n); });
    in_blocks(size_, kBlock, [&](std::size_t first, std::size_t n) {
      const auto begin = static_cast<Eigen::Index>(first);
      const auto count = static_cast<Eigen::Index>(n);
      target_change_.middleRows(begin, count).noalias() =
          shares_.middleCols(begin, count).transpose() * query_;
    });
    before_scaling(query_change_, query_, query_length_);
    before_scaling(target_change_, target_, target_length_);
    apply(query_change_, true);
    apply(target_change_, false);
  }

  const SparseRows& texts_;
  const std::vector<TextPair>& pairs_;
  std::vector<float>& vectors_;
  std::size_t dims_;
  const EmbeddingOptions& options_;
  std::size_t size_;
  std::span<const std::uint32_t> batch_;
  std::vector<float> strength_;
  std::vector<float> gradient_;
  std::vector<char> touched_before_;
  Matrix query_, target_, query_change_, target_change_, shares_;
  std::vector<float> query_length_, target_length_;
};

}  // namespace

void train_embedding(const SparseRows& texts, const std::vector<TextPair>& pairs, std::vector<float>& vectors,
                     std::size_t dims, const EmbeddingOptions& options,
                     const std::function<void(std::size_t)>& after_batch) {
  EmbeddingTrainer(texts, pairs, vectors, dims, options).run(after_batch);
}

}  // namespace mustcite::rank
