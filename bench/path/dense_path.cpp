// How long exact dense search takes on one core. Usage:
//   dense_path FOLDER [ROWS [DIMS [QUERIES]]]   default 200000 384 100
// Makes vectors with the shape of a sentence encoder's (unit length, a common direction, clusters) in FOLDER,
// searches them for the best 100, checks three queries against the plain twin and prints one JSON line per
// storage.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "engine/dense/half.hpp"
#include "engine/dense/vector_file.hpp"

namespace {

using namespace mustcite;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kClusters = 500;
constexpr std::size_t kDepth = 100;

/// Processor time of this thread: what a search costs while other programs run.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class Vectors {
 public:
  explicit Vectors(std::size_t dims) : dims_(dims), centres_(kClusters, std::vector<float>(dims)) {
    std::vector<float> common(dims);
    for (float& value : common) value = normal_(random_);
    for (auto& centre : centres_) {
      for (std::size_t k = 0; k < dims; ++k) centre[k] = common[k] * 0.6F + normal_(random_);
    }
  }

  std::vector<float> next() {
    const auto& centre = centres_[random_() % kClusters];
    std::vector<float> vector(dims_);
    float square = 0;
    for (std::size_t k = 0; k < dims_; ++k) {
      vector[k] = centre[k] + 1.2F * normal_(random_);
      square += vector[k] * vector[k];
    }
    for (float& value : vector) value /= std::sqrt(square);
    return vector;
  }

 private:
  std::size_t dims_;
  std::mt19937_64 random_{1};
  std::normal_distribution<float> normal_;
  std::vector<std::vector<float>> centres_;
};

void write(const std::filesystem::path& folder, dense::Storage storage, std::size_t rows, std::size_t dims,
           Vectors& vectors) {
  std::filesystem::create_directories(folder);
  dense::VectorInfo info;
  info.recipe.name = "bench";
  info.recipe.model = "bench";
  info.dims = static_cast<std::uint32_t>(dims);
  info.storage = storage;
  dense::VectorWriter writer(folder, info);
  std::vector<std::uint16_t> halves(dims);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto vector = vectors.next();
    std::transform(vector.begin(), vector.end(), halves.begin(), dense::to_half);
    writer.add(halves, row);
  }
  writer.close();
}

bool same(const std::vector<dense::Scored>& a, const std::vector<dense::Scored>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.doc == y.doc && x.score == y.score; });
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "dense-bench";
  const std::size_t rows = argc > 2 ? std::stoul(argv[2]) : 200000;
  const std::size_t dims = argc > 3 ? std::stoul(argv[3]) : 384;
  const std::size_t queries = argc > 4 ? std::stoul(argv[4]) : 100;
  for (const dense::Storage storage : {dense::Storage::float16, dense::Storage::int8}) {
    Vectors vectors(dims);
    const auto place = folder / std::string(dense::name_of(storage));
    write(place, storage, rows, dims, vectors);
    const dense::VectorFile file = dense::VectorFile::open(place);
    std::vector<double> ms;
    std::vector<double> processor;
    bool exact = true;
    for (std::size_t i = 0; i < queries; ++i) {
      const auto query = vectors.next();
      const auto start = Clock::now();
      const double before = processor_ms();
      const auto found = file.search(query, {kDepth, std::nullopt, {}});
      processor.push_back(processor_ms() - before);
      ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      if (i < 3) exact = exact && same(found, file.search_plain(query, {kDepth, std::nullopt, {}}));
    }
    std::sort(ms.begin(), ms.end());
    std::sort(processor.begin(), processor.end());
    std::cout << nlohmann::ordered_json{{"storage", std::string(dense::name_of(storage))},
                                        {"rows", rows},
                                        {"dims", dims},
                                        {"depth", kDepth},
                                        {"median_ms", ms[ms.size() / 2]},
                                        {"least_ms", ms.front()},
                                        {"median_processor_ms", processor[processor.size() / 2]},
                                        {"least_processor_ms", processor.front()},
                                        {"p95_ms", ms[ms.size() * 95 / 100]},
                                        {"equals_plain_search", exact}}
                     .dump()
              << std::endl;
    if (!exact) return 1;
  }
}
