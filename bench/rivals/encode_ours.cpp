// Encodes papers with our encoder and says how fast: the counterpart of encode.py.
//   encode_ours MODEL PAPERS.jsonl COUNT OUT.f32 [automatic|float32|bfloat16] [threads]
// Reads the first COUNT papers with an abstract, times encoding (tokens included, loading not) and writes the
// vectors as float32 rows.

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/train/run.hpp"
#include "measurement.hpp"

namespace {

using namespace mustcite;

dense::EncoderOptions::Precision precision_of(const std::string& name) {
  using Precision = dense::EncoderOptions::Precision;
  if (name == "float32") return Precision::float32;
  return name == "bfloat16" ? Precision::bfloat16 : Precision::automatic;
}

int run(int argc, char** argv) {
  if (argc < 5) fail(ErrorCode::usage, "encode_ours MODEL PAPERS.jsonl COUNT OUT.f32 [precision] [threads]");
  const auto texts = bench::read_texts(argv[2], std::stoul(argv[3]), train::paper_text);
  const auto folder = model::resolve_model(argv[1]);
  dense::EncoderOptions options;
  options.precision = precision_of(argc > 5 ? argv[5] : "automatic");
  options.threads = argc > 6 ? std::stoul(argv[6]) : 0;
  const auto encoder = dense::neural_plugin().open_encoder(folder, options);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<float> vectors(texts.size() * encoder->dimensions());
  const std::size_t few = std::min<std::size_t>(64, texts.size());
  encoder->encode(std::span(views).first(few), std::span(vectors).first(few * encoder->dimensions()));
  const auto start = std::chrono::steady_clock::now();
  encoder->encode(views, vectors);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  io::write_file_atomically(argv[4],
                            {reinterpret_cast<const char*>(vectors.data()), vectors.size() * sizeof(float)});
  fmt::print("{{\"texts\": {}, \"seconds\": {:.3f}, \"per_second\": {:.1f}}}\n", texts.size(), seconds,
             static_cast<double>(texts.size()) / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mustcite::bench::measure("encode_ours", run, argc, argv);
}
