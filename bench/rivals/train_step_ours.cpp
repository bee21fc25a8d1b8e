// Steps of contrastive training with our learner and how fast they are: the counterpart of train_step.py.
//   train_step_ours MODEL PAPERS.jsonl STEPS [bfloat16|float32] [threads] [trained layers]
// A batch is 32 queries, the paper behind each query in the file as its positive, and the one behind that as
// a hard negative: 96 texts of at most 128 tokens. Times forward and backward pass, clipping and AdamW;
// tokens are made before. Prints the losses, which train_step.py must reproduce.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/train/run.hpp"
#include "measurement.hpp"

namespace {

using namespace mustcite;

constexpr std::size_t kQueries = 32;
constexpr std::size_t kWarmUp = 2;

std::vector<train::Batch> read_batches(const std::string& file, std::size_t count,
                                       const model::Tokenizer& tokenizer) {
  std::vector<train::Batch> batches;
  io::LineReader lines(file);
  std::string_view line;
  std::vector<model::Encoding> texts;
  while (batches.size() < count && lines.next(line)) {
    const Paper paper = paper_from_json(line);
    if (paper.abstract.empty()) continue;
    texts.push_back(tokenizer.encode(train::paper_text(paper.title, paper.abstract), 128));
    if (texts.size() < 3 * kQueries) continue;
    train::Batch batch;
    for (std::size_t i = 0; i < kQueries; ++i) {
      batch.queries.push_back(texts[3 * i]);
      batch.documents.push_back(texts[3 * i + 1]);
    }
    for (std::size_t i = 0; i < kQueries; ++i) batch.documents.push_back(texts[3 * i + 2]);
    batch.positive.assign(kQueries * 2 * kQueries, 0);
    batch.ignored.assign(kQueries * 2 * kQueries, 0);
    for (std::size_t i = 0; i < kQueries; ++i) batch.positive[i * 2 * kQueries + i] = 1;
    batches.push_back(std::move(batch));
    texts.clear();
  }
  return batches;
}

int run(int argc, char** argv) {
  if (argc < 4)
    fail(ErrorCode::usage, "train_step_ours MODEL PAPERS.jsonl STEPS [precision] [threads] [layers]");
  const std::size_t steps = std::stoul(argv[3]);
  train::LearnerOptions options;
  options.dropout = false;
  options.mixed = argc <= 4 || std::string(argv[4]) != "float32";
  options.threads = argc > 5 ? std::stoul(argv[5]) : 0;
  options.trained_layers = argc > 6 ? std::stoul(argv[6]) : 0;
  const auto folder = model::resolve_model(argv[1]);
  const auto tokenizer = model::Tokenizer::open(folder.transformer);
  const auto batches = read_batches(argv[2], steps + kWarmUp, tokenizer);
  const auto learner = dense::neural_plugin().open_learner(folder, options);
  std::vector<std::string> losses;
  auto start = std::chrono::steady_clock::now();
  for (std::size_t step = 0; step < batches.size(); ++step) {
    if (step == kWarmUp) start = std::chrono::steady_clock::now();
    losses.push_back(fmt::format("{:.4f}", learner->accumulate(batches[step], 1, step)));
    learner->update(2e-5);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double texts = static_cast<double>((batches.size() - kWarmUp) * 3 * kQueries);
  fmt::print("{{\"steps\": {}, \"seconds\": {:.3f}, \"texts_per_second\": {:.1f}, \"losses\": [{}]}}\n",
             batches.size() - kWarmUp, seconds, texts / seconds, fmt::join(losses, ", "));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mustcite::bench::measure("train_step_ours", run, argc, argv);
}
