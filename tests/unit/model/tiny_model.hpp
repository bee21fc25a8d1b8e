#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/file.hpp"

namespace mustcite::test {

/// Bytes of a safetensors file with these float32 tensors, all of one value.
inline std::string safetensors(const std::map<std::string, std::vector<std::int64_t>>& shapes,
                               float value = 0.5F) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const auto& [name, shape] : shapes) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    const std::size_t begin = data.size();
    for (std::size_t i = 0; i < count; ++i) data.append(reinterpret_cast<const char*>(&value), sizeof(value));
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + data;
}

/// Shapes of the tensors of a BERT with one layer of two heads.
inline std::map<std::string, std::vector<std::int64_t>> tiny_shapes(std::int64_t vocabulary,
                                                                    std::int64_t wide = 64) {
  std::map<std::string, std::vector<std::int64_t>> shapes{
      {"embeddings.word_embeddings.weight", {vocabulary, wide}},
      {"embeddings.position_embeddings.weight", {40, wide}},
      {"embeddings.token_type_embeddings.weight", {2, wide}}};
  const std::string layer = "encoder.layer.0.";
  for (const char* part :
       {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"}) {
    shapes[layer + part + ".weight"] = {wide, wide};
    shapes[layer + part + ".bias"] = {wide};
  }
  shapes[layer + "intermediate.dense.weight"] = {2 * wide, wide};
  shapes[layer + "intermediate.dense.bias"] = {2 * wide};
  shapes[layer + "output.dense.weight"] = {wide, 2 * wide};
  shapes[layer + "output.dense.bias"] = {wide};
  for (const std::string norm : {std::string("embeddings.LayerNorm"), layer + "attention.output.LayerNorm",
                                 layer + "output.LayerNorm"}) {
    shapes[norm + ".weight"] = {wide};
    shapes[norm + ".bias"] = {wide};
  }
  return shapes;
}

inline nlohmann::json tiny_config(std::int64_t vocabulary, std::int64_t wide = 64) {
  return {{"model_type", "bert"},          {"architectures", {"BertModel"}}, {"vocab_size", vocabulary},
          {"hidden_size", wide},           {"num_hidden_layers", 1},         {"num_attention_heads", 2},
          {"intermediate_size", 2 * wide}, {"max_position_embeddings", 40},  {"type_vocab_size", 2},
          {"hidden_act", "gelu"}};
}

/// Writes a whole model folder: a vocabulary of a few words, a config and weights that fit it.
inline void write_tiny_model(const std::filesystem::path& folder, float value = 0.5F) {
  std::filesystem::create_directories(folder);
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  std::int64_t count = 5;
  for (const char* word : {"graph", "deep", "network", "learning", "speech", "music", "protein", "robot",
                           "theorem", "image", "of", "a", "the", "with", "models", "paper"}) {
    vocabulary += std::string(word) + "\n";
    ++count;
  }
  for (char c = 'a'; c <= 'z'; ++c, ++count) vocabulary += std::string("##") + c + "\n";
  for (char c = 'b'; c <= 'z'; ++c, ++count) vocabulary += std::string(1, c) + "\n";
  io::write_file_atomically(folder / "vocab.txt", vocabulary);
  io::write_file_atomically(folder / "config.json", tiny_config(count).dump());
  io::write_file_atomically(folder / "model.safetensors", safetensors(tiny_shapes(count), value));
}

}  // namespace mustcite::test
