#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "engine/neural/late_learner.hpp"
#include "engine/neural/model_writer.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_json(const fs::path& file, const Json& json) {
  io::write_file_atomically(file, json.dump(2) + "\n");
}

void write_projection(const Linear& linear, const fs::path& folder) {
  fs::create_directories(folder);
  write_json(folder / "config.json", {{"in_features", linear.weight.size(1)},
                                      {"out_features", linear.weight.size(0)},
                                      {"bias", linear.bias.defined()},
                                      {"activation_function", "torch.nn.modules.linear.Identity"}});
  TensorList list;
  list.add("linear.weight", linear.weight);
  if (linear.bias.defined()) list.add("linear.bias", linear.bias);
  list.write(folder / "model.safetensors", {{"format", "pt"}});
}

/// How texts are read, in PyLate's words.
Json reading_of(const model::LateReading& reading) {
  Json skipped = Json::array();
  if (reading.skip_punctuation) {
    for (const char symbol : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
      skipped.push_back(std::string(1, symbol));
  }
  return {{"query_prefix", reading.query_marker},
          {"document_prefix", reading.document_marker},
          {"query_length", reading.query_length},
          {"document_length", reading.document_length},
          {"attend_to_expansion_tokens", reading.attend_to_expansion},
          {"do_query_expansion", reading.expand_queries},
          {"skiplist_words", skipped},
          {"similarity_fn_name", "MaxSim"}};
}

}  // namespace

void write_late_model(const model::LateModel& model, const Weights& weights, const fs::path& folder) {
  for (const char* name : {"config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json",
                           "special_tokens_map.json", "added_tokens.json"}) {
    if (fs::exists(model.folder.transformer / name))
      fs::copy_file(model.folder.transformer / name, folder / name, fs::copy_options::overwrite_existing);
  }
  TensorList encoder;
  Weights all = weights;
  for (const auto& [name, tensor] : all.named()) {
    if (!name.starts_with("dense.")) encoder.add(name, *tensor);
  }
  encoder.write(folder / "model.safetensors", {{"format", "pt"}});
  Json modules = Json::array();
  modules.push_back(
      {{"idx", 0}, {"name", "0"}, {"path", ""}, {"type", "sentence_transformers.models.Transformer"}});
  for (std::size_t i = 0; i < weights.dense.size(); ++i) {
    const std::string name = std::to_string(i + 1) + "_Dense";
    write_projection(weights.dense[i].linear, folder / name);
    modules.push_back({{"idx", i + 1},
                       {"name", std::to_string(i + 1)},
                       {"path", name},
                       {"type", "pylate.models.Dense.Dense"}});
  }
  write_json(folder / "modules.json", modules);
  write_json(folder / "config_sentence_transformers.json", reading_of(model.reading));
  const std::size_t longest = std::max(model.reading.query_length, model.reading.document_length);
  write_json(folder / "sentence_bert_config.json", {{"max_seq_length", longest}, {"do_lower_case", false}});
}

}  // namespace mustcite::neural
