// Late interaction by our engine: the counterpart of late.py.
//   late_ours OUT [BITS [THREADS [COMPARED]]]
// Reads the token vectors that late_encode.py wrote into OUT, ranks every document exactly by the vectors as
// they are for the first COMPARED queries (100), builds an index, times searches of the best 100 and prints a
// line of JSON. Writes exact.txt, the exact lists, for others to compare with, and ours.trec, a run of ours.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "engine/dense/half.hpp"
#include "engine/index/top.hpp"
#include "engine/late/index_file.hpp"
#include "engine/late/index_writer.hpp"
#include "engine/late/query_lanes.hpp"
#include "measurement.hpp"

namespace {

using namespace mustcite;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t kDepth = 100;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Values in half precision and the number of each text's first vector, as late_encode.py writes them.
late::TokenVectors read_vectors(const fs::path& out, const std::string& name) {
  const io::MappedFile values(out / (name + ".f16"));
  const io::MappedFile first(out / (name + ".i64"));
  late::TokenVectors vectors;
  const std::span<const std::uint64_t> starts{reinterpret_cast<const std::uint64_t*>(first.bytes().data()),
                                              first.bytes().size() / sizeof(std::uint64_t)};
  const std::span<const std::uint16_t> halves{reinterpret_cast<const std::uint16_t*>(values.bytes().data()),
                                              values.bytes().size() / sizeof(std::uint16_t)};
  vectors.first.assign(starts.begin(), starts.end());
  vectors.dims = halves.size() / starts.back();
  vectors.values.resize(halves.size());
  dense::widen(halves, vectors.values);
  return vectors;
}

std::vector<std::string> read_ids(const fs::path& file) {
  std::vector<std::string> ids;
  std::istringstream lines(io::read_file(file));
  for (std::string line; std::getline(lines, line);) ids.push_back(line);
  return ids;
}

using Lists = std::vector<std::vector<late::Scored>>;

Lists exact_lists(const late::TokenVectors& documents, const late::TokenVectors& queries,
                  std::size_t compared, std::size_t threads) {
  Lists lists(std::min(queries.texts(), compared));
  parallel_for(lists.size(), threads, [&](std::size_t q, std::size_t) {
    const late::QueryLanes lanes(queries.of(q), queries.dims);
    index::TopK best(kDepth);
    for (std::uint32_t d = 0; d < documents.texts(); ++d)
      best.offer(d, lanes.max_sim(documents.of(d).data(), documents.count(d)));
    lists[q] = best.take();
  });
  return lists;
}

double overlap(const Lists& a, const Lists& b) {
  double sum = 0;
  for (std::size_t q = 0; q < a.size(); ++q) {
    std::set<std::uint32_t> found;
    for (const auto& one : a[q]) found.insert(one.doc.value);
    std::size_t both = 0;
    for (const auto& one : b[q]) both += found.contains(one.doc.value) ? 1 : 0;
    sum += static_cast<double>(both) / static_cast<double>(a[q].size());
  }
  return sum / static_cast<double>(a.size());
}

late::Sample sample_of(const late::TokenVectors& documents) {
  late::Sample sample;
  sample.dims = documents.dims;
  // Every fifth document: about what a build samples.
  for (std::size_t d = 0; d < documents.texts(); d += 5) {
    for (const float value : documents.of(d)) sample.values.push_back(dense::to_half(value));
  }
  return sample;
}

Lists measure(const late::TokenVectors& documents, const late::TokenVectors& queries, const Lists& exact,
              std::size_t bits, const fs::path& out, std::size_t threads) {
  auto start = Clock::now();
  late::CodecOptions options;
  options.bits = bits;
  options.threads = threads;
  options.centroids = late::centroids_for(documents.first.back());
  const auto codec = late::train_codec(sample_of(documents), options, [](auto) {});
  const late::NearestCentroid nearest(codec);
  std::vector<late::CompressedPart> parts(documents.texts());
  parallel_for(documents.texts(), threads,
               [&](std::size_t d, std::size_t) { parts[d].add(documents.of(d), d, codec, nearest); });
  late::CompressedPart all;
  for (const auto& part : parts) all.append(part);
  late::IndexInfo info;
  info.recipe.text.name = info.recipe.text.model = "bench";
  fs::create_directories(out / "ours");
  const auto bytes = late::write_index(out / "ours", info, codec, all);
  const double build = seconds_since(start);
  const auto index = late::LateIndex::open(out / "ours");
  late::LateSearch search;
  search.depth = kDepth;
  std::vector<double> ms;
  double processor_ms = 0;
  Lists found;
  for (int round = 0; round < 2; ++round) {  // the first one warms up
    ms.clear();
    found.clear();
    const std::clock_t before = std::clock();
    for (std::size_t q = 0; q < queries.texts(); ++q) {
      start = Clock::now();
      found.push_back(index.search(queries.of(q), search));
      ms.push_back(seconds_since(start) * 1000);
    }
    processor_ms = static_cast<double>(std::clock() - before) * 1000 / CLOCKS_PER_SEC;
  }
  Lists exhaustive(exact.size());
  parallel_for(exact.size(), threads, [&](std::size_t q, std::size_t) {
    exhaustive[q] = index.search_exhaustive(queries.of(q), search);
  });
  std::sort(ms.begin(), ms.end());
  fmt::print(
      "{{\"engine\": \"ours\", \"bits\": {}, \"documents\": {}, \"tokens\": {}, \"dims\": {}, \"centroids\": "
      "{}, \"mb\": {:.1f}, "
      "\"build_s\": {:.1f}, \"p50_ms\": {:.1f}, \"p99_ms\": {:.1f}, \"mean_ms\": {:.1f}, \"processor_ms\": "
      "{:.1f}, "
      "\"overlap_exact\": {:.4f}, \"exhaustive_overlap_exact\": {:.4f}, \"overlap_exhaustive\": {:.4f}}}\n",
      bits, documents.texts(), documents.first.back(), documents.dims, codec.centroids(),
      static_cast<double>(bytes) / 1e6, build, ms[ms.size() / 2], ms[ms.size() * 99 / 100],
      std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size()),
      processor_ms / static_cast<double>(ms.size()), overlap(exact, found), overlap(exact, exhaustive),
      overlap(exhaustive, found));
  std::fflush(stdout);
  return found;
}

void write_run(const fs::path& out, const Lists& lists) {
  const auto documents = read_ids(out / "documents.ids");
  const auto queries = read_ids(out / "queries.ids");
  std::string run;
  for (std::size_t q = 0; q < lists.size(); ++q) {
    for (std::size_t i = 0; i < lists[q].size(); ++i)
      run += fmt::format("{} Q0 {} {} {} late\n", queries[q], documents[lists[q][i].doc.value], i + 1,
                         lists[q][i].score);
  }
  io::write_file_atomically(out / "ours.trec", run);
}

int run(int argc, char** argv) {
  if (argc < 2) fail(ErrorCode::usage, "late_ours OUT [BITS [THREADS [COMPARED]]]");
  const fs::path out = argv[1];
  const std::size_t bits = argc > 2 ? std::stoul(argv[2]) : 2;
  const std::size_t threads = argc > 3 ? std::stoul(argv[3]) : 0;
  const std::size_t compared = argc > 4 ? std::stoul(argv[4]) : 100;
  const auto documents = read_vectors(out, "documents");
  const auto queries = read_vectors(out, "queries");
  const auto start = Clock::now();
  Lists exact;
  if (fs::exists(out / "exact.txt")) {
    std::istringstream lines(io::read_file(out / "exact.txt"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      exact.emplace_back();
      for (std::uint32_t doc = 0; words >> doc;) exact.back().push_back({DocId{doc}, 0});
    }
  } else {
    exact = exact_lists(documents, queries, compared, threads);
    std::string lists;
    for (const auto& list : exact) {
      for (const auto& one : list) lists += fmt::format("{} ", one.doc.value);
      lists += '\n';
    }
    io::write_file_atomically(out / "exact.txt", lists);
    fmt::print(
        "{{\"engine\": \"exact\", \"queries\": {}, \"query_tokens\": {:.1f}, \"ms_per_query\": {:.1f}}}\n",
        queries.texts(), static_cast<double>(queries.first.back()) / static_cast<double>(queries.texts()),
        seconds_since(start) * 1000 / static_cast<double>(queries.texts()));
    std::fflush(stdout);
  }
  const auto found = measure(documents, queries, exact, bits, out, threads);
  if (fs::exists(out / "documents.ids")) write_run(out, found);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mustcite::bench::measure("late_ours", run, argc, argv);
}
