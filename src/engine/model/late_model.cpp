#include "engine/model/late_model.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "engine/model/bert_tensors.hpp"
#include "engine/model/json_fields.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr const char* kPylateConfig = "config_sentence_transformers.json";
constexpr const char* kColbertConfig = "artifact.metadata";

[[noreturn]] void refuse(const fs::path& folder, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the model in {} for late interaction: {}", folder.string(), why);
}

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

std::size_t length_field(const Json& json, const char* name, std::int64_t otherwise, const fs::path& path) {
  const std::int64_t value = integer_field(json, name, otherwise, path.string());
  if (value < 3 || value > 65536) refuse(path.parent_path(), fmt::format("its '{}' is {}", name, value));
  return static_cast<std::size_t>(value);
}

/// What PyLate writes beside modules.json; its own defaults where a field is missing.
LateReading read_pylate(const fs::path& path) {
  const Json json = is_file(path) ? read_object(path) : Json::object();
  const std::string where = path.string();
  LateReading reading;
  reading.query_marker = text_field(json, "query_prefix", "[Q] ", where);
  reading.document_marker = text_field(json, "document_prefix", "[D] ", where);
  reading.query_length = length_field(json, "query_length", 32, path);
  reading.document_length = length_field(json, "document_length", 180, path);
  reading.expand_queries = flag_field(json, "do_query_expansion", true, where);
  reading.attend_to_expansion = flag_field(json, "attend_to_expansion_tokens", false, where);
  const auto words = json.find("skiplist_words");
  reading.skip_punctuation = words == json.end() || !words->is_array() || !words->empty();
  return reading;
}

/// What the original implementation writes.
LateReading read_colbert(const fs::path& path) {
  const Json json = read_object(path);
  const std::string where = path.string();
  LateReading reading;
  reading.query_marker = text_field(json, "query_token_id", "[unused0]", where);
  reading.document_marker = text_field(json, "doc_token_id", "[unused1]", where);
  reading.query_length = length_field(json, "query_maxlen", 32, path);
  reading.document_length = length_field(json, "doc_maxlen", 180, path);
  reading.expand_queries = true;
  reading.attend_to_expansion = flag_field(json, "attend_to_mask_tokens", false, where);
  reading.skip_punctuation = flag_field(json, "mask_punctuation", true, where);
  return reading;
}

/// The projection of an original checkpoint lies among the encoder's own weights.
void find_projection(ModelFolder& model) {
  if (!model.dense.empty()) return;
  const auto file = TensorFile::open(model.transformer);
  const Tensor* weight = file.find("linear.weight");
  if (weight == nullptr || weight->shape.size() != 2 || weight->shape[1] != model.config.hidden_size) return;
  DenseLayer layer;
  layer.folder = model.transformer;
  layer.in = weight->shape[1];
  layer.out = weight->shape[0];
  layer.bias = false;
  layer.activation = Activation::identity;
  model.dense.push_back(layer);
}

template <typename Value>
void take(const std::optional<Value>& given, Value& into) {
  if (given) into = *given;
}

std::optional<std::int32_t> marker_of(const Tokenizer& tokenizer, const std::string& marker,
                                      const LateModel& model) {
  if (marker.empty()) return std::nullopt;
  const auto id = tokenizer.id(marker);
  if (!id || *id >= model.folder.config.vocab_size)
    refuse(model.folder.folder, fmt::format("its marker '{}' is no token of its vocabulary", marker));
  return id;
}

}  // namespace

bool is_late_folder(const fs::path& folder) {
  if (is_file(folder / kColbertConfig)) return true;
  if (!is_file(folder / "modules.json")) return false;
  const Json modules =
      Json::parse(io::read_file(folder / "modules.json", std::size_t{1} << 20), nullptr, false);
  if (!modules.is_array() || modules.size() < 2 || !modules[1].is_object()) return false;
  return text_field(modules[1], "type", "", folder.string()).ends_with(".Dense");
}

LateModel resolve_late_model(const fs::path& folder, const LateOptions& options) {
  LateModel model;
  model.folder = resolve_token_folder(folder);
  find_projection(model.folder);
  if (is_file(folder / kColbertConfig)) {
    model.reading = read_colbert(folder / kColbertConfig);
  } else if (is_late_folder(folder)) {
    model.reading = read_pylate(folder / kPylateConfig);
  } else if (model.folder.dense.empty()) {
    model.reading.query_length = model.reading.document_length = model.folder.max_length;
  } else {
    refuse(folder, "it has a projection and says nothing of its markers (no artifact.metadata)");
  }
  LateReading& reading = model.reading;
  take(options.query_marker, reading.query_marker);
  take(options.document_marker, reading.document_marker);
  take(options.query_length, reading.query_length);
  take(options.document_length, reading.document_length);
  take(options.expand_queries, reading.expand_queries);
  take(options.attend_to_expansion, reading.attend_to_expansion);
  take(options.skip_punctuation, reading.skip_punctuation);
  const auto positions = static_cast<std::size_t>(model.folder.config.positions);
  for (const std::size_t length : {reading.query_length, reading.document_length}) {
    if (length < 4 || length > positions)
      refuse(folder,
             fmt::format("a length of {} is asked for, and 4 to {} tokens can be", length, positions));
  }
  model.digest = sha256_hex(fmt::format(
      "late 1\n{}\n{} {} {}\n[{}] [{}] {} {} {} {} {}\n", model.folder.digest, model.folder.dense.size(),
      model.dimensions(), model.folder.max_length, reading.query_marker, reading.document_marker,
      reading.query_length, reading.document_length, reading.expand_queries, reading.attend_to_expansion,
      reading.skip_punctuation));
  return model;
}

LateReader::LateReader(const LateModel& model, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer),
      reading_(model.reading),
      query_marker_(marker_of(tokenizer, model.reading.query_marker, model)),
      document_marker_(marker_of(tokenizer, model.reading.document_marker, model)),
      skipped_(tokenizer.vocab_size(), false) {
  check_vocabulary(tokenizer, model.folder.config);
  if (reading_.expand_queries && !tokenizer.mask())
    refuse(model.folder.folder, "its queries are filled with [MASK], which its vocabulary has not");
  if (!reading_.skip_punctuation) return;
  for (const char symbol : kPunctuation) {
    const auto ids = tokenizer.tokenize(std::string_view(&symbol, 1), 1);
    if (!ids.empty() && ids[0] != tokenizer.unknown()) skipped_[static_cast<std::size_t>(ids[0])] = true;
  }
}

LateEncoding LateReader::read(std::string_view text, TextRole role) const {
  const bool query = role == TextRole::query;
  const bool marked = (query ? query_marker_ : document_marker_).has_value();
  const std::size_t length = query ? reading_.query_length : reading_.document_length;
  return mark(tokenizer_.encode(text, length - (marked ? 1 : 0)), role);
}

LateEncoding LateReader::mark(Encoding plain, TextRole role) const {
  const bool query = role == TextRole::query;
  const auto marker = query ? query_marker_ : document_marker_;
  LateEncoding result;
  result.tokens = std::move(plain);
  auto& ids = result.tokens.ids;
  auto& types = result.tokens.types;
  if (marker && !ids.empty()) {
    ids.insert(ids.begin() + 1, *marker);
    types.insert(types.begin() + 1, 0);
  }
  result.attended = ids.size();
  if (query && reading_.expand_queries && ids.size() < reading_.query_length) {
    ids.resize(reading_.query_length, *tokenizer_.mask());
    types.resize(reading_.query_length, 0);
    if (reading_.attend_to_expansion) result.attended = ids.size();
  }
  for (std::uint32_t place = 0; place < ids.size(); ++place) {
    if (query || !skipped_[static_cast<std::size_t>(ids[place])]) result.kept.push_back(place);
  }
  return result;
}

}  // namespace mustcite::model
