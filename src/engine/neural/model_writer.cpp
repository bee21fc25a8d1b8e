#include "engine/neural/model_writer.hpp"

#include <fmt/format.h>

#include "core/io/file.hpp"
#include "engine/model/tensor_writer.hpp"

namespace mustcite::neural {
namespace {

namespace fs = std::filesystem;

/// A file of weights in any of the forms that are read.
bool holds_weights(const fs::path& file) {
  const auto name = file.filename().string();
  return name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".index.json") ||
         name.ends_with(".onnx") || name.ends_with(".h5") || name.ends_with(".msgpack") ||
         name.starts_with(".");
}

/// Everything small that belongs to the model: folders with modules, configs and vocabularies.
void copy_files(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.is_directory()) {
      // Modules of sentence-transformers lie in folders called 1_Pooling, 2_Dense, …; others are other
      // formats.
      const auto name = entry.path().filename().string();
      if (name.find('_') == std::string::npos || name[0] < '0' || name[0] > '9') continue;
      fs::create_directories(to / name);
      copy_files(entry.path(), to / name);
    } else if (entry.is_regular_file() && !holds_weights(entry.path())) {
      fs::copy_file(entry.path(), to / entry.path().filename(), fs::copy_options::overwrite_existing);
    }
  }
}

/// A plain folder does not say how vectors are made of states: these files of sentence-transformers do.
void describe_modules(const model::ModelFolder& base, const fs::path& folder) {
  if (fs::exists(folder / "modules.json")) return;
  std::string modules =
      "[\n {\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": "
      "\"sentence_transformers.models.Transformer\"},\n"
      " {\"idx\": 1, \"name\": \"1\", \"path\": \"1_Pooling\", \"type\": "
      "\"sentence_transformers.models.Pooling\"}";
  if (base.normalise) {
    modules +=
        ",\n {\"idx\": 2, \"name\": \"2\", \"path\": \"2_Normalize\", \"type\": "
        "\"sentence_transformers.models.Normalize\"}";
    fs::create_directories(folder / "2_Normalize");
  }
  io::write_file_atomically(folder / "modules.json", modules + "\n]\n");
  fs::create_directories(folder / "1_Pooling");
  const auto is = [&](model::Pooling pooling) { return base.pooling == pooling ? "true" : "false"; };
  io::write_file_atomically(folder / "1_Pooling" / "config.json",
                            fmt::format("{{\"word_embedding_dimension\": {}, \"pooling_mode_cls_token\": {}, "
                                        "\"pooling_mode_mean_tokens\": {}, "
                                        "\"pooling_mode_max_tokens\": {}}}\n",
                                        base.config.hidden_size, is(model::Pooling::cls),
                                        is(model::Pooling::mean), is(model::Pooling::max)));
  io::write_file_atomically(
      folder / "sentence_bert_config.json",
      fmt::format("{{\"max_seq_length\": {}, \"do_lower_case\": false}}\n", base.max_length));
}

}  // namespace

void TensorList::add(const std::string& name, const at::Tensor& tensor) {
  kept_.push_back(tensor.detach().contiguous());
  const at::Tensor& kept = kept_.back();
  const auto type = kept.scalar_type() == at::kLong ? model::DType::i64 : model::DType::f32;
  tensors_.push_back(
      {name, type, kept.sizes().vec(), {static_cast<const std::byte*>(kept.data_ptr()), kept.nbytes()}});
}

void TensorList::write(const fs::path& file, const std::map<std::string, std::string>& metadata) const {
  model::write_safetensors(file, tensors_, metadata);
}

void write_model(const model::ModelFolder& base, const Weights& weights, const fs::path& folder) {
  copy_files(base.folder, folder);
  const fs::path transformer =
      base.transformer == base.folder ? folder : folder / base.transformer.filename();
  fs::create_directories(transformer);
  copy_files(base.transformer, transformer);
  TensorList encoder;
  std::vector<TensorList> dense(weights.dense.size());
  Weights all = weights;
  for (const auto& [name, tensor] : all.named()) {
    if (name.starts_with("dense.")) {
      const auto dot = name.find('.', 6);
      dense[std::stoul(name.substr(6, dot - 6))].add("linear" + name.substr(dot), *tensor);
    } else {
      encoder.add(name, *tensor);
    }
  }
  describe_modules(base, folder);
  encoder.write(transformer / "model.safetensors", {{"format", "pt"}});
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const auto module = folder / base.dense[i].folder.filename();
    fs::create_directories(module);
    dense[i].write(module / "model.safetensors", {{"format", "pt"}});
  }
}

}  // namespace mustcite::neural
