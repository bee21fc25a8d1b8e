#include "apps/cli/paragraph_benchmark.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/marks.hpp"
#include "engine/recommend/query_file.hpp"

namespace mustcite::cli {
namespace {

/// SplitMix64's finaliser: the same numbers everywhere.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::vector<DocId> relevant_of(const paragraph::Paragraph& paragraph, const rank::Query& query,
                               const snapshot::Snapshot& snapshot) {
  const std::uint32_t older = snapshot.prefix(query.before);
  std::set<DocId> docs;
  for (const auto& paper : paragraph.cited) {
    const auto doc = snapshot.find(paper.str());
    if (doc && doc->value < older) docs.insert(*doc);
  }
  return {docs.begin(), docs.end()};
}

}  // namespace

ParagraphBenchmark read_benchmark(const std::string& file, const std::filesystem::path& release,
                                  const std::string& split, const snapshot::Snapshot& snapshot) {
  paragraph::ReadReport report;
  const auto paragraphs = paragraph::read_paragraphs(file, report);
  for (const auto& rejected : report.ledger)
    log::warning("{} line {}: {}", file, rejected.line, rejected.reason);
  std::unordered_map<std::string, rank::Query> papers;
  for (auto& query : recommend::read_release_queries(release, split)) {
    const std::string id = query.id.str();
    papers.emplace(id, std::move(query));
  }
  ParagraphBenchmark benchmark;
  benchmark.paragraphs = paragraphs.size();
  benchmark.rejected = report.rejected;
  for (const auto& paragraph : paragraphs) {
    const auto paper = papers.find(paragraph.citing.str());
    if (paper == papers.end()) {
      ++benchmark.of_other_papers;
      continue;
    }
    ParagraphQuery query{paper->second, {}, paragraph};
    query.relevant = relevant_of(paragraph, query.query, snapshot);
    if (query.relevant.empty()) {
      ++benchmark.without_relevant;
      continue;
    }
    query.query.id = QueryId(paragraph.id);
    query.query.topic = paragraph::masked(text::clean(paragraph.topic_sentence));
    benchmark.queries.push_back(std::move(query));
  }
  if (benchmark.queries.empty()) {
    fail(ErrorCode::invalid_input,
         "none of the {} paragraphs of {} is a query of {}: {} are of papers outside its split '{}', {} cite "
         "nothing of "
         "its corpus",
         benchmark.paragraphs, file, release.string(), benchmark.of_other_papers, split,
         benchmark.without_relevant);
  }
  return benchmark;
}

std::vector<DocId> sample_of(const ParagraphBenchmark& benchmark, const snapshot::Snapshot& snapshot,
                             std::size_t others, std::uint64_t seed) {
  std::set<DocId> rows;
  for (const auto& query : benchmark.queries) rows.insert(query.relevant.begin(), query.relevant.end());
  std::vector<std::uint32_t> all(snapshot.size());
  std::iota(all.begin(), all.end(), 0U);
  const std::size_t count = std::min<std::size_t>(others, all.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + mixed(seed ^ (std::uint64_t{i} << 20)) % (all.size() - i)]);
    rows.insert(DocId{all[i]});
  }
  return {rows.begin(), rows.end()};
}

}  // namespace mustcite::cli
