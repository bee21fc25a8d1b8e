// Scores pairs of papers with a cross-encoder and says how fast: the counterpart of cross.py.
//   cross_ours MODEL PAPERS.jsonl COUNT OUT.f32 [automatic|float32|bfloat16] [threads]
// Each of the first COUNT / 50 papers with an abstract is read together with the 50 behind it. Times scoring
// (tokens included, loading not) and writes the scores as float32.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/model/cross_encoder.hpp"
#include "measurement.hpp"

namespace {

using namespace mustcite;

constexpr std::size_t kCandidates = 50;

int run(int argc, char** argv) {
  using Precision = dense::EncoderOptions::Precision;
  if (argc < 5) fail(ErrorCode::usage, "cross_ours MODEL PAPERS.jsonl COUNT OUT.f32 [precision] [threads]");
  const std::size_t queries = std::max<std::size_t>(std::stoul(argv[3]) / kCandidates, 1);
  const auto texts = bench::read_texts(
      argv[2], queries + kCandidates,
      [](std::string_view title, std::string_view abstract) { return model::pair_text(title, abstract); });
  if (texts.size() < queries + kCandidates) fail(ErrorCode::invalid_input, "{} has too few papers", argv[2]);
  std::vector<dense::TextPair> pairs;
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t i = 1; i <= kCandidates; ++i) pairs.push_back({texts[q], texts[q + i]});
  }
  const std::string precision = argc > 5 ? argv[5] : "automatic";
  dense::EncoderOptions options;
  options.precision = precision == "float32"    ? Precision::float32
                      : precision == "bfloat16" ? Precision::bfloat16
                                                : Precision::automatic;
  options.threads = argc > 6 ? std::stoul(argv[6]) : 0;
  const auto folder = model::resolve_cross_encoder(argv[1]).encoder;
  const auto encoder = dense::neural_plugin().open_encoder(folder, options);
  std::vector<float> scores(pairs.size());
  const std::size_t few = std::min<std::size_t>(64, pairs.size());
  encoder->encode_pairs(std::span(pairs).first(few), std::span(scores).first(few));
  const auto start = std::chrono::steady_clock::now();
  encoder->encode_pairs(pairs, scores);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  io::write_file_atomically(argv[4],
                            {reinterpret_cast<const char*>(scores.data()), scores.size() * sizeof(float)});
  fmt::print("{{\"pairs\": {}, \"seconds\": {:.3f}, \"per_second\": {:.1f}}}\n", pairs.size(), seconds,
             static_cast<double>(pairs.size()) / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mustcite::bench::measure("cross_ours", run, argc, argv);
}
