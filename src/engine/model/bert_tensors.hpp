#pragma once

#include <map>
#include <string>

#include "engine/model/model_config.hpp"
#include "engine/model/model_folder.hpp"
#include "engine/model/tensor_file.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::model {

/// Tensors by the names of a bare BertModel, whatever the file calls them (`bert.` in front, `gamma` and
/// `beta` for the weight and bias of norms): `embeddings.word_embeddings.weight`,
/// `encoder.layer.0.attention.self.query.weight`, …; `pooler.dense.*` where the file has it. Spans live as
/// long as the file.
using NamedTensors = std::map<std::string, Tensor, std::less<>>;

/// Every tensor that the config asks for, checked: throws invalid_input naming the first that is missing, of
/// another shape than the config's, or no floating tensor.
[[nodiscard]] NamedTensors bert_tensors(const TensorFile& file, const ModelConfig& config);

/// Tensors of a bottleneck adapter, checked alike: `layer.0.down.weight` [bottleneck, hidden],
/// `layer.0.down.bias`, `layer.0.up.weight` [hidden, bottleneck], `layer.0.up.bias`, ….
[[nodiscard]] NamedTensors adapter_tensors(const TensorFile& file, const Adapter& adapter,
                                           const ModelConfig& config);

/// `weight` [out, in] and, where the layer has one, `bias` [out] of a sentence-transformers Dense module.
[[nodiscard]] NamedTensors dense_tensors(const TensorFile& file, const DenseLayer& layer);

/// Throws invalid_input when the tokenizer gives ids that the model has no embedding for.
void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config);

}  // namespace mustcite::model
