// Runs and qrels of any bytes: refused with an Error or evaluated to numbers between 0 and 1.
//
// Input: one byte of options, the run, a line `===`, the qrels. Without that line all of it is read as both.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/evaluate/evaluate.hpp"
#include "mustcite/error.hpp"

namespace {

using namespace mustcite;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_order(const evaluate::RunFile& run) {
  for (std::size_t q = 0; q < run.queries.size(); ++q) {
    const auto& query = run.queries[q];
    require(run.find(query.id) == &query);
    require(q == 0 || run.queries[q - 1].id < query.id);
    const auto results = run.results_of(query);
    require(!results.empty());
    for (std::size_t i = 1; i < results.size(); ++i) {
      require(results[i - 1].score > results[i].score ||
              (results[i - 1].score == results[i].score &&
               run.document(results[i - 1]) > run.document(results[i])));
    }
  }
}

void check_values(const evaluate::Report& report) {
  for (const auto& table : report.tables) {
    for (const double value : table.values) require(std::isfinite(value) && value >= 0 && value <= 1 + 1e-9);
  }
  for (const auto& coverage : report.coverage) {
    require(coverage.answered + coverage.missing == report.tables.front().queries.size());
  }
}

void render_all(const evaluate::Report& report) {
  for (const auto format : {evaluate::Format::terminal, evaluate::Format::markdown, evaluate::Format::latex,
                            evaluate::Format::csv, evaluate::Format::json, evaluate::Format::trec}) {
    evaluate::RenderOptions options;
    options.format = format;
    require(!evaluate::render(report, options).empty());
    (void)evaluate::render_queries(report, options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = all.find("\n===\n");
  const std::string run_text(all.substr(0, cut == std::string_view::npos ? cut : cut + 1));
  const std::string qrels_text(cut == std::string_view::npos ? all : all.substr(cut + 5));
  evaluate::ReadOptions reading;
  reading.threads = 1;
  reading.lenient = (data[0] & 1) != 0;
  reading.order = (data[0] & 2) != 0 ? evaluate::Order::rank : evaluate::Order::score;
  try {
    const auto qrels = evaluate::parse_qrels(evaluate::TrecText::from_string(qrels_text), "qrels", reading);
    const auto run = evaluate::parse_run(evaluate::TrecText::from_string(run_text), "run", reading);
    if (reading.order == evaluate::Order::score) check_order(run);
    evaluate::Options options;
    options.threads = 1;
    options.relevance_level = 1 + ((data[0] >> 2) & 1);
    options.metrics =
        evaluate::parse_metrics("MAP,MAP@3,MRR,nDCG,nDCG@2,Recall@2,HR@1,P@3,R-precision,bpref");
    auto report = evaluate::evaluate({&run, 1}, {&qrels, 1}, options);
    check_values(report);
    evaluate::CompareOptions comparing;
    comparing.resamples = 3;
    comparing.threads = 1;
    evaluate::compare(report, comparing);
    render_all(report);
  } catch (const Error&) {
    // Refused with a message: that is an answer.
  }
  return 0;
}
