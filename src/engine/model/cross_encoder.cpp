#include "engine/model/cross_encoder.hpp"

#include <array>

#include "core/base/error.hpp"
#include "engine/model/folder_digest.hpp"
#include "engine/model/json_fields.hpp"
#include "engine/model/tensor_file.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;

struct HeadName {
  std::string_view name;
  Head head;
};

constexpr std::array<HeadName, 3> kHeads{
    {{"pooler", Head::pooler}, {"cls", Head::cls}, {"mean", Head::mean}}};

constexpr const char* kClassifier = "classifier";
constexpr const char* kHeadField = "mustcite_head";  ///< in config.json, for heads that transformers has not

[[noreturn]] void refuse(const fs::path& folder, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the cross-encoder {}: {}", folder.string(), why);
}

/// The name of the pooler's layer in the file; nothing when there is none.
std::optional<std::string> pooler_of(const TensorFile& file) {
  for (const char* name : {"bert.pooler.dense", "pooler.dense"}) {
    if (file.find(std::string(name) + ".weight") != nullptr) return name;
  }
  return std::nullopt;
}

DenseLayer layer_of(const ModelFolder& model, std::string tensor, std::int64_t out, Activation activation) {
  DenseLayer layer;
  layer.folder = model.transformer;
  layer.in = model.config.hidden_size;
  layer.out = out;
  layer.activation = activation;
  layer.tensor = std::move(tensor);
  return layer;
}

/// What sentence-transformers puts behind the classifier, in its newer and its older words.
bool sigmoid_of(const Json& config, const std::string& where) {
  std::string activation;
  if (const auto inner = config.find("sentence_transformers"); inner != config.end() && inner->is_object())
    activation = text_field(*inner, "activation_fn", "", where);
  if (activation.empty()) activation = text_field(config, "sbert_ce_default_activation_function", "", where);
  if (activation.empty() || activation.ends_with("Sigmoid")) return true;
  if (activation.ends_with("Identity")) return false;
  fail(ErrorCode::invalid_input,
       "cannot use the cross-encoder of {}: its activation '{}' is not computed; Sigmoid and Identity are",
       where, activation);
}

FolderOptions folder_options(Head head, std::optional<std::size_t> max_length) {
  FolderOptions options;
  options.pooling = head == Head::mean ? Pooling::mean : Pooling::cls;
  options.normalise = false;
  options.max_length = max_length;
  return options;
}

/// The model without what sentence-transformers puts behind an encoder, for a head of its own.
ModelFolder bare_model(const fs::path& folder, Head head, std::optional<std::size_t> max_length) {
  // What a pair is cut to is the head's matter: a bi-encoder's folder speaks of single texts.
  ModelFolder model = resolve_model(folder, folder_options(head, max_length));
  model.dense.clear();
  if (model.config.token_types < 2)
    refuse(folder, "it has one token type, so it cannot tell two texts apart; take another model");
  return model;
}

}  // namespace

std::string_view name_of(Head head) noexcept {
  for (const HeadName& known : kHeads) {
    if (known.head == head) return known.name;
  }
  return "?";
}

Head parse_head(std::string_view name, std::string_view where) {
  for (const HeadName& known : kHeads) {
    if (known.name == name) return known.head;
  }
  fail(ErrorCode::invalid_input, "cannot use {}: its head '{}' is not computed; use pooler, cls or mean",
       where, name);
}

bool has_head(const fs::path& folder) {
  const auto weights = weights_of(folder);
  return weights && TensorFile::open(*weights).find(std::string(kClassifier) + ".weight") != nullptr;
}

CrossEncoder resolve_cross_encoder(const fs::path& folder, std::optional<std::size_t> max_length) {
  CrossEncoder cross;
  const ModelFolder plain = resolve_model(folder, folder_options(Head::pooler, max_length));
  const auto file = TensorFile::open(plain.transformer);
  const Tensor* classifier = file.find(std::string(kClassifier) + ".weight");
  if (classifier == nullptr) {
    refuse(folder,
           "it has no head (classifier.weight): it encodes single texts; train one from it with "
           "`mustcite train cross-minilm --base FOLDER`");
  }
  if (classifier->shape.size() != 2 || classifier->shape[0] != 1) {
    refuse(folder, fmt::format("its classifier has the shape {}, and one score a pair is wanted",
                               shape_text(classifier->shape)));
  }
  const fs::path path = plain.transformer / "config.json";
  const Json config = read_object(path);
  const auto pooler = pooler_of(file);
  const std::string told = text_field(config, kHeadField, pooler ? "pooler" : "cls", path.string());
  cross.head = parse_head(told, path.string());
  cross.sigmoid = sigmoid_of(config, path.string());
  cross.encoder = bare_model(folder, cross.head, max_length);
  if (cross.head == Head::pooler) {
    if (!pooler) refuse(folder, "its head needs a pooler, and the weights have none");
    cross.encoder.dense.push_back(
        layer_of(cross.encoder, *pooler, cross.encoder.config.hidden_size, Activation::tanh));
  }
  cross.encoder.dense.push_back(layer_of(cross.encoder, kClassifier, 1, Activation::identity));
  cross.encoder.dense.back().bias = file.find(std::string(kClassifier) + ".bias") != nullptr;
  cross.encoder.digest = folder_digest(cross.encoder);
  return cross;
}

CrossEncoder with_new_head(const fs::path& folder, Head head, std::uint64_t seed,
                           std::optional<std::size_t> max_length) {
  CrossEncoder cross;
  cross.head = head;
  cross.encoder = bare_model(folder, head, max_length);
  if (head == Head::pooler) {
    const auto own = pooler_of(TensorFile::open(cross.encoder.transformer));
    cross.encoder.dense.push_back(layer_of(cross.encoder, own.value_or("bert.pooler.dense"),
                                           cross.encoder.config.hidden_size, Activation::tanh));
    if (!own) cross.encoder.dense.back().fresh = seed + 1;
  }
  cross.encoder.dense.push_back(layer_of(cross.encoder, kClassifier, 1, Activation::identity));
  cross.encoder.dense.back().fresh = seed;
  cross.encoder.digest = folder_digest(cross.encoder);
  return cross;
}

std::optional<Head> head_of(const ModelFolder& model) noexcept {
  if (model.dense.empty() || model.dense.back().tensor != kClassifier) return std::nullopt;
  if (model.dense.size() == 2) return Head::pooler;
  return model.pooling == Pooling::mean ? Head::mean : Head::cls;
}

std::string cross_encoder_config(std::string_view base, Head head, std::string_view where) {
  nlohmann::ordered_json config = nlohmann::ordered_json::parse(base, nullptr, false);
  if (!config.is_object())
    fail(ErrorCode::invalid_input, "cannot write the cross-encoder: {} is no JSON object", where);
  config["architectures"] = {"BertForSequenceClassification"};
  config["num_labels"] = 1;
  config["id2label"] = {{"0", "LABEL_0"}};
  config["label2id"] = {{"LABEL_0", 0}};
  config["sentence_transformers"] = {{"activation_fn", "torch.nn.modules.activation.Sigmoid"}};
  if (head == Head::pooler) {
    config.erase(kHeadField);
  } else {
    config[kHeadField] = name_of(head);
  }
  return config.dump(2) + "\n";
}

std::string pair_text(std::string_view title, std::string_view abstract, std::string_view topic) {
  std::string text(title);
  for (const std::string_view part : {abstract, topic}) {
    if (!part.empty()) text.append(" [SEP] ").append(part);
  }
  return text;
}

}  // namespace mustcite::model
