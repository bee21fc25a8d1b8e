// Time of each stage of the learned ranker, one query after another on one thread:
//   rank_path INDEX MODEL QUERIES.jsonl YEAR
// QUERIES holds papers JSONL or a release's queries; every query is answered as of YEAR (0: everything is
// known). Before it reports, it checks that the stages give what `Ranker::rank` gives.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/rank/ranker.hpp"

namespace {

using namespace mustcite;
using Clock = std::chrono::steady_clock;

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
  return queries;
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

int run(const std::filesystem::path& index, const std::filesystem::path& folder,
        const std::filesystem::path& file, int year) {
  const rank::Resources resources = rank::Resources::open(index);
  const rank::Model model = rank::load_model(folder);
  const rank::Ranker ranker(resources, model);
  const learn::Trees& trees = model.tiers.at(Tier::must).trees;
  const char* const names[] = {"context", "candidates", "features", "cut", "trees"};
  double stages[5] = {};
  std::vector<double> totals;
  double candidates_seen = 0;
  const std::vector<rank::Query> queries = read_queries(file, year);
  if (queries.empty()) fail(ErrorCode::invalid_input, "{} holds no query", file.string());
  for (const rank::Query& query : queries) {
    double ms[5];
    Clock::time_point last = Clock::now();
    rank::QueryContext context = rank::make_context(resources, query);
    ms[0] = since(last);
    const rank::Candidates candidates = rank::find_candidates(context, model.without);
    ms[1] = since(last);
    const rank::FeatureTable table = rank::compute_features(context, candidates);
    ms[2] = since(last);
    const rank::Shortlist list = rank::shortlist(model, table);
    ms[3] = since(last);
    std::vector<float> scores(list.rows.size());
    rank::final_scores(model, trees, list.values, scores);
    ms[4] = since(last);
    double total = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      stages[i] += ms[i];
      total += ms[i];
    }
    totals.push_back(total);
    candidates_seen += static_cast<double>(candidates.docs.size());
    const rank::Ranking ranking = ranker.rank(query, Tier::must);
    if (!scores.empty() && ranking.ranked.front().score != *std::max_element(scores.begin(), scores.end())) {
      fail(ErrorCode::internal, "the stages disagree with the ranker on query {}", query.id.str());
    }
  }
  const auto count = static_cast<double>(queries.size());
  fmt::print("documents {}, queries {}, candidates a query {:.0f}\n", resources.snapshot().size(),
             queries.size(), candidates_seen / count);
  for (std::size_t i = 0; i < 5; ++i) fmt::print("{:<10} {:7.2f} ms\n", names[i], stages[i] / count);
  fmt::print("total      p50 {:.2f} ms, p99 {:.2f} ms\n", at_share(totals, 0.5), at_share(totals, 0.99));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: rank_path INDEX MODEL QUERIES.jsonl YEAR\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3], std::atoi(argv[4]));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_code(error.code());
  }
}
