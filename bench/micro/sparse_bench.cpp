// Single steps of the sparse index on made-up texts of realistic lengths and word frequencies:
//   bench_sparse --benchmark_filter=Search

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "engine/index/kernels.hpp"
#include "engine/index/sparse_index.hpp"

namespace {

using namespace mustcite;

/// Zipf-like words, about 150 a text, as in a title and abstract.
std::vector<std::string> make_texts(std::uint32_t count) {
  std::mt19937 engine(7);
  const auto fraction = [&] { return static_cast<double>(engine()) / 4294967296.0; };
  std::vector<std::string> texts(count);
  for (auto& text : texts) {
    const auto words = 60 + static_cast<int>(180 * fraction());
    for (int i = 0; i < words; ++i) {
      text += "word" + std::to_string(static_cast<int>(std::exp(fraction() * std::log(100000.0)))) + ' ';
    }
  }
  return texts;
}

class Corpus {
 public:
  static const Corpus& get() {
    static const Corpus corpus;
    return corpus;
  }
  std::vector<std::string> texts = make_texts(50000);
  std::filesystem::path prefix =
      std::filesystem::temp_directory_path() / ("mustcite-bench-" + std::to_string(::getpid()));

  void build(const std::string& analyzer, std::uint32_t rows) const {
    index::BuildOptions options;
    options.analyzer = analyzer;
    options.fields = {"text"};
    options.weights = {1};
    index::SparseIndexBuilder builder(options);
    for (std::uint32_t row = 0; row < rows; ++row) builder.add({{texts[row]}});
    builder.write(prefix, "bench");
  }
  ~Corpus() {
    std::error_code ignored;
    std::filesystem::remove(prefix.string() + ".bin", ignored);
  }
};

void Analyze(benchmark::State& state, const std::string& name) {
  const auto& texts = Corpus::get().texts;
  const auto analyzer = text::make_analyzer(name);
  std::size_t row = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> terms;
  for (auto _ : state) {
    terms.clear();
    analyzer->analyze(texts[row], terms);
    benchmark::DoNotOptimize(terms.data());
    bytes += static_cast<std::int64_t>(texts[row].size());
    row = (row + 1) % texts.size();
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(Analyze, plain, std::string("plain"));
BENCHMARK_CAPTURE(Analyze, english, std::string("english"));

void Build(benchmark::State& state) {
  for (auto _ : state) Corpus::get().build("plain", static_cast<std::uint32_t>(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Build)->Arg(5000)->Arg(50000)->Unit(benchmark::kMillisecond);

void Search(benchmark::State& state) {
  const auto& corpus = Corpus::get();
  corpus.build("plain", 50000);
  const auto index = index::SparseIndex::open(corpus.prefix, "bench");
  std::vector<std::vector<index::QueryTerm>> queries;
  for (std::uint32_t row = 0; row < 100; ++row) queries.push_back(index.document_terms(DocId{row * 499}));
  index::SearchOptions options;
  options.depth = static_cast<std::uint32_t>(state.range(0));
  if (state.range(1) != 0) options.prefix = static_cast<std::uint32_t>(state.range(1));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(index.search(queries[i], options));
    i = (i + 1) % queries.size();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Search)->ArgNames({"depth", "prefix"})->Args({10, 0})->Args({100, 0})->Args({1000, 0})->Args({100, 25000});

void SearchPlain(benchmark::State& state) {
  const auto& corpus = Corpus::get();
  corpus.build("plain", 50000);
  const auto index = index::SparseIndex::open(corpus.prefix, "bench");
  const auto query = index.document_terms(DocId{499});
  for (auto _ : state) benchmark::DoNotOptimize(index.search_plain(query, {}));
}
BENCHMARK(SearchPlain)->Unit(benchmark::kMillisecond);

void AddDense(benchmark::State& state) {
  using namespace index;
  const auto level = static_cast<kernels::Level>(state.range(0));
  constexpr std::size_t kTerms = 16;
  std::vector<std::uint8_t> codes(kTerms * format::kDenseBytes, 0x21);
  std::vector<kernels::DenseTable> tables(kTerms);
  std::vector<kernels::DenseTerm> terms;
  for (std::size_t t = 0; t < kTerms; ++t) terms.push_back({codes.data() + t * format::kDenseBytes, &tables[t]});
  std::vector<std::uint8_t> classes(format::kGroups, 3);
  std::vector<std::uint16_t> sums(format::kBlockRows);
  for (auto _ : state) {
    kernels::add_dense(level, terms.data(), kTerms, classes.data(), format::kGroups, sums.data());
    benchmark::DoNotOptimize(sums.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTerms * format::kBlockRows));
}
BENCHMARK(AddDense)->ArgName("level")->Arg(0)->Arg(1)->Arg(2);

}  // namespace

BENCHMARK_MAIN();
