// Our side of bench/rivals/sparse.sh. Usage:
//   sparse_ours prepare PAPERS.jsonl FOLDER ANALYZER QUERIES   builds snapshot and index, writes docs.txt and queries.txt
//   sparse_ours search FOLDER THREADS DEPTH ROUNDS             answers queries.txt, writes ours.tsv, prints one JSON line

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../jsonl_source.hpp"
#include "core/base/error.hpp"
#include "engine/index/sparse_index.hpp"

namespace {

using namespace mustcite;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void write_tokens(std::ostream& out, const text::Analyzer& analyzer, const snapshot::DocumentView& document) {
  std::vector<std::string> terms = analyzer.terms(document.title);
  analyzer.analyze(document.abstract, terms);
  for (std::size_t i = 0; i < terms.size(); ++i) out << (i == 0 ? "" : " ") << terms[i];
  out << '\n';
}

int prepare(const std::filesystem::path& papers, const std::filesystem::path& folder, const std::string& analyzer_name,
            std::uint32_t query_count) {
  std::filesystem::create_directories(folder);
  SilentProgress progress;
  nlohmann::ordered_json report;
  auto start = Clock::now();
  snapshot::build(bench::JsonlSource(papers), folder, progress);
  report["snapshot_seconds"] = seconds_since(start);
  report["snapshot_peak_mib"] = peak_mib();
  start = Clock::now();
  const auto snapshot = snapshot::Snapshot::open(folder);
  report["snapshot_open_seconds"] = seconds_since(start);

  start = Clock::now();
  index::BuildOptions options;
  options.analyzer = analyzer_name;
  index::SparseIndexBuilder builder(options);
  std::uint64_t raw_bytes = 0;
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) {
    const auto document = snapshot.document(DocId{row});
    raw_bytes += document.title.size() + document.abstract.size();
    builder.add({{document.title, document.abstract}});
  }
  builder.write(folder / "sparse", snapshot.digest());
  report["index_seconds"] = seconds_since(start);
  report["peak_mib"] = peak_mib();
  report["documents"] = snapshot.size();
  report["raw_text_bytes"] = raw_bytes;
  report["index_bytes"] = std::filesystem::file_size(folder / "sparse.bin");
  start = Clock::now();
  const auto index = index::SparseIndex::open(folder / "sparse", snapshot.digest());
  report["index_open_seconds"] = seconds_since(start);
  report["vocabulary"] = index.vocabulary();

  // The queries are the newest papers, spread over the last tenth of the rows.
  std::ofstream docs(folder / "docs.txt");
  std::ofstream queries(folder / "queries.txt");
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) {
    write_tokens(docs, index.analyzer(), snapshot.document(DocId{row}));
  }
  const std::uint32_t first = snapshot.size() - snapshot.size() / 10;
  double terms = 0;
  double postings = 0;
  for (std::uint32_t i = 0; i < query_count; ++i) {
    const DocId doc{first + static_cast<std::uint32_t>(std::uint64_t{snapshot.size() / 10} * i / query_count)};
    write_tokens(queries, index.analyzer(), snapshot.document(doc));
    for (const auto& term : index.document_terms(doc)) {
      terms += 1;
      postings += index.document_frequency(term.term, index.rows());
    }
  }
  report["distinct_terms_per_query"] = terms / query_count;
  report["postings_per_query"] = postings / query_count;
  std::cout << report.dump() << '\n';
  return docs && queries ? 0 : 1;
}

int search(const std::filesystem::path& folder, std::size_t threads, std::uint32_t depth, int rounds) {
  const auto index = index::SparseIndex::open(folder / "sparse", "");
  std::vector<std::vector<std::string>> tokens;
  std::ifstream in(folder / "queries.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    tokens.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  std::vector<index::SearchOptions> options(1);
  options[0].depth = depth;
  std::vector<std::vector<index::Scored>> results;
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    // Finding the terms of a query belongs to answering it.
    std::vector<std::vector<index::QueryTerm>> queries(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) queries[i] = index.count_terms(tokens[i]);
    results = index.search_many(queries, options, threads);
    best = std::min(best, seconds_since(start));
  }
  std::ofstream out(folder / "ours.tsv");
  out.precision(9);
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const auto& item : results[i]) out << i << '\t' << item.doc.value << '\t' << item.score << '\n';
  }
  nlohmann::ordered_json report;
  report["system"] = "mustcite";
  report["threads"] = threads;
  report["queries"] = tokens.size();
  report["queries_per_second"] = static_cast<double>(tokens.size()) / best;
  std::cout << report.dump() << '\n';
  return out ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "prepare" && argc == 6) return prepare(argv[2], argv[3], argv[4], static_cast<std::uint32_t>(std::stoul(argv[5])));
    if (verb == "search" && argc == 6) {
      return search(argv[2], std::stoul(argv[3]), static_cast<std::uint32_t>(std::stoul(argv[4])), std::stoi(argv[5]));
    }
    std::cerr << "usage: sparse_ours prepare PAPERS FOLDER ANALYZER QUERIES | search FOLDER THREADS DEPTH ROUNDS\n";
    return 2;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return exit_code(error.code());
  }
}
