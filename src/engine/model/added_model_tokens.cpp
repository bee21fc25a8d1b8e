#include "engine/model/added_model_tokens.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/json_fields.hpp"
#include "engine/model/tensor_writer.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kWords = "embeddings.word_embeddings.weight";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// SplitMix64: the same numbers on every machine.
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t x = state += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Normally distributed numbers (Box and Muller).
class Normal {
 public:
  Normal(std::uint64_t seed, double deviation) : state_(seed), deviation_(deviation) {}
  float draw() {
    const double u = (static_cast<double>(next(state_) >> 11) + 0.5) * 0x1.0p-53;
    const double v = static_cast<double>(next(state_) >> 11) * 0x1.0p-53;
    return static_cast<float>(deviation_ * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
  }

 private:
  std::uint64_t state_;
  double deviation_;
};

std::vector<std::string> missing_of(const ModelFolder& base, std::span<const std::string> tokens) {
  const auto tokenizer = Tokenizer::open(base.transformer);
  std::vector<std::string> missing;
  for (const auto& token : tokens) {
    if (!tokenizer.id(token)) missing.push_back(token);
  }
  return missing;
}

/// Configs and vocabularies of the folder and its modules; weights of the encoder are written anew.
void copy_small_files(const fs::path& from, const fs::path& to, const fs::path& weights) {
  for (const auto& entry : fs::directory_iterator(from)) {
    const auto name = entry.path().filename();
    if (entry.is_directory()) {
      if (name.string()[0] < '0' || name.string()[0] > '9')
        continue;  // modules are called 1_Pooling and the like
      fs::create_directories(to / name);
      copy_small_files(entry.path(), to / name, weights);
      continue;
    }
    const auto ending = name.extension();
    const bool other_weights =
        ending == ".onnx" || ending == ".h5" || ending == ".msgpack" || ending == ".ot";
    const bool encoder_weights =
        entry.path().parent_path() == weights.parent_path() &&
        (ending == ".safetensors" || ending == ".bin" || name.string().ends_with(".index.json"));
    if (!entry.is_regular_file() || name.string()[0] == '.' || other_weights || encoder_weights) continue;
    fs::copy_file(entry.path(), to / name, fs::copy_options::overwrite_existing);
  }
}

/// Gives the tokens the ids from `first_id` on.
void extend_vocabulary(const fs::path& folder, const std::vector<std::string>& tokens,
                       std::int64_t first_id) {
  if (fs::exists(folder / "tokenizer.json")) {
    auto json = OrderedJson::parse(io::read_file(folder / "tokenizer.json", kMostBytes));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      json["added_tokens"].push_back({{"id", first_id + static_cast<std::int64_t>(i)},
                                      {"content", tokens[i]},
                                      {"single_word", false},
                                      {"lstrip", false},
                                      {"rstrip", false},
                                      {"normalized", false},
                                      {"special", true}});
    }
    io::write_file_atomically(folder / "tokenizer.json", json.dump(2) + "\n");
    // A second vocabulary would say otherwise.
    fs::remove(folder / "vocab.txt");
    return;
  }
  auto vocabulary = io::read_file(folder / "vocab.txt", kMostBytes);
  const auto lines = std::count(vocabulary.begin(), vocabulary.end(), '\n') +
                     (vocabulary.empty() || vocabulary.back() == '\n' ? 0 : 1);
  if (lines != first_id) {
    fail(ErrorCode::invalid_input,
         "cannot add tokens to the model in {}: its vocab.txt has {} lines and its config {} words",
         folder.string(), lines, first_id);
  }
  if (vocabulary.back() != '\n') vocabulary += '\n';
  const fs::path config_file = folder / "tokenizer_config.json";
  auto config = fs::exists(config_file) ? OrderedJson::parse(io::read_file(config_file, kMostBytes))
                                        : OrderedJson::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocabulary += tokens[i] + "\n";
    config["added_tokens_decoder"][std::to_string(first_id + static_cast<std::int64_t>(i))] = {
        {"content", tokens[i]}, {"lstrip", false},      {"normalized", false},
        {"rstrip", false},      {"single_word", false}, {"special", true}};
  }
  io::write_file_atomically(folder / "vocab.txt", vocabulary);
  io::write_file_atomically(config_file, config.dump(2) + "\n");
}

void extend_config(const fs::path& file, std::int64_t vocabulary) {
  auto json = OrderedJson::parse(io::read_file(file, kMostBytes));
  json["vocab_size"] = vocabulary;
  io::write_file_atomically(file, json.dump(2) + "\n");
}

/// The word embeddings with rows for the new tokens behind them.
std::vector<float> extended(const Tensor& words, std::int64_t rows, std::size_t added, Normal normal) {
  auto values = to_float32(words);
  const std::int64_t width = words.shape.at(1);
  values.resize(static_cast<std::size_t>(rows * width));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(added) * width; ++i) values.push_back(normal.draw());
  return values;
}

}  // namespace

bool lacks_tokens(const ModelFolder& base, std::span<const std::string> tokens) {
  return !missing_of(base, tokens).empty();
}

void add_model_tokens(const ModelFolder& base, std::span<const std::string> tokens, std::uint64_t seed,
                      const fs::path& out) {
  if (base.adapter)
    fail(ErrorCode::invalid_input, "cannot add tokens to the model in {}: it has an adapter",
         base.folder.string());
  const auto missing = missing_of(base, tokens);
  const auto weights = weights_of(base.transformer);
  if (!weights) fail(ErrorCode::not_found, "there are no weights in {}", base.transformer.string());
  io::StagedDirectory staged(out);
  const fs::path transformer = base.transformer == base.folder
                                   ? staged.path()
                                   : staged.path() / fs::relative(base.transformer, base.folder);
  fs::create_directories(transformer);
  copy_small_files(base.folder, staged.path(), *weights);
  if (transformer != staged.path()) copy_small_files(base.transformer, transformer, *weights);
  const std::int64_t first_id = base.config.vocab_size;
  const std::int64_t vocabulary = first_id + static_cast<std::int64_t>(missing.size());
  if (!missing.empty()) extend_vocabulary(transformer, missing, first_id);
  const Json config = read_object(transformer / "config.json");
  extend_config(transformer / "config.json", vocabulary);
  const auto file = TensorFile::open(*weights);
  std::vector<Tensor> tensors(file.tensors().begin(), file.tensors().end());
  const auto words = std::find_if(tensors.begin(), tensors.end(),
                                  [](const Tensor& tensor) { return tensor.name.ends_with(kWords); });
  if (words == tensors.end() || words->shape.size() != 2 || words->shape[0] < first_id)
    fail(ErrorCode::invalid_input, "the weights in {} have no word embeddings of {} tokens",
         weights->string(), first_id);
  const double deviation =
      number_field(config, "initializer_range", 0.02, (base.transformer / "config.json").string());
  const auto values = extended(*words, first_id, missing.size(), Normal(seed, deviation));
  words->dtype = DType::f32;
  words->shape[0] = vocabulary;
  words->bytes = std::as_bytes(std::span(values));
  write_safetensors(transformer / "model.safetensors", tensors, {{"format", "pt"}});
  staged.publish();
}

}  // namespace mustcite::model
