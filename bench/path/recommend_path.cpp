// Time of one answer, one query after another on one thread, with the index open:
//   recommend_path INDEX MODEL QUERIES.jsonl YEAR
// QUERIES holds papers JSONL or a release's queries; every query is answered as of YEAR (0: everything is known).
// Prints one JSON object: whole answers (20 papers, explained) of bm25 and of the learned ranker, the stages of the
// ranker, and the peak memory of the process. Before it reports, it checks that the stages give what the ranker gives.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/recommend/recommend.hpp"

namespace {

using namespace mustcite;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double since(Clock::time_point& last) {
  const Clock::time_point now = Clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - last).count();
  last = now;
  return ms;
}

std::vector<rank::Query> read_queries(const std::filesystem::path& file, int year) {
  std::vector<rank::Query> queries;
  io::LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    Paper paper = paper_from_json(line);
    rank::Query query;
    query.id = QueryId(paper.id.str());
    query.title = std::move(paper.title);
    query.abstract = std::move(paper.abstract);
    if (year != 0) query.before = Date{year, 0, 0};
    queries.push_back(std::move(query));
  }
  if (queries.empty()) fail(ErrorCode::invalid_input, "{} holds no query", file.string());
  return queries;
}

Json percentiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) { return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))]; };
  return {{"p50_ms", at(0.5)}, {"p90_ms", at(0.9)}, {"p99_ms", at(0.99)}};
}

Json answers(const recommend::Recommender& recommender, const std::vector<rank::Query>& queries, const std::string& method) {
  recommend::Options options;
  options.method = method;
  std::vector<double> times;
  for (const rank::Query& query : queries) {
    Clock::time_point last = Clock::now();
    static_cast<void>(recommender.answer(query, options));
    times.push_back(since(last));
  }
  return percentiles(std::move(times));
}

Json stages(const std::filesystem::path& index, const std::filesystem::path& folder, const std::vector<rank::Query>& queries) {
  const rank::Resources resources = rank::Resources::open(index);
  const rank::Model model = rank::load_model(folder);
  const rank::Ranker ranker(resources, model);
  const learn::Trees& trees = model.tiers.at(Tier::must).trees;
  const char* const names[] = {"context", "candidates", "features", "cut", "trees"};
  double sums[5] = {};
  double candidates_seen = 0;
  for (const rank::Query& query : queries) {
    Clock::time_point last = Clock::now();
    rank::QueryContext context = rank::make_context(resources, query);
    sums[0] += since(last);
    const rank::Candidates candidates = rank::find_candidates(context, model.without);
    sums[1] += since(last);
    const rank::FeatureTable table = rank::compute_features(context, candidates);
    sums[2] += since(last);
    const rank::Shortlist list = rank::shortlist(model, table);
    sums[3] += since(last);
    std::vector<float> scores(list.rows.size());
    rank::final_scores(model, trees, list.values, scores);
    sums[4] += since(last);
    candidates_seen += static_cast<double>(candidates.docs.size());
    const rank::Ranking ranking = ranker.rank(query, Tier::must);
    if (!scores.empty() && ranking.ranked.front().score != *std::max_element(scores.begin(), scores.end())) {
      fail(ErrorCode::internal, "the stages disagree with the ranker on query {}", query.id.str());
    }
  }
  const auto count = static_cast<double>(queries.size());
  Json json{{"documents", resources.snapshot().size()}, {"candidates", candidates_seen / count}};
  for (std::size_t i = 0; i < 5; ++i) json[std::string(names[i]) + "_ms"] = sums[i] / count;
  return json;
}

int run(const std::filesystem::path& index, const std::filesystem::path& model, const std::filesystem::path& file, int year) {
  const std::vector<rank::Query> queries = read_queries(file, year);
  Json json{{"queries", queries.size()}};
  {
    const auto recommender = recommend::Recommender::open(index, model);
    static_cast<void>(answers(recommender, {queries.begin(), queries.begin() + 1}, "mustcite"));  // counts as of the date
    json["bm25"] = answers(recommender, queries, "bm25");
    json["mustcite"] = answers(recommender, queries, "mustcite");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    json["peak_mib"] = usage.ru_maxrss / 1024;
  }
  json["stages"] = stages(index, model, queries);
  fmt::print("{}\n", json.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: recommend_path INDEX MODEL QUERIES.jsonl YEAR\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3], std::atoi(argv[4]));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_code(error.code());
  }
}
