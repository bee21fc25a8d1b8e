#include "engine/model/tokenizer_setup.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/json_fields.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::int64_t kMostId = 2000000;

[[noreturn]] void refuse(std::string_view where, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot use the tokenizer of {}: {}", where, why);
}

[[noreturn]] void refuse_kind(std::string_view where, std::string_view what) {
  refuse(where, fmt::format("it has {}, and only BERT's WordPiece tokenizers are read", what));
}

const Json& object_field(const Json& json, const char* name, std::string_view where) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) refuse(where, fmt::format("its '{}' is missing", name));
  return *found;
}

std::int32_t checked_id(const Json& value, std::string_view where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostId))
    refuse(where, "a token's id is no number that can be");
  return value.get<std::int32_t>();
}

std::int32_t id_of(const TokenizerSetup& setup, const std::string& token, std::string_view where) {
  for (const AddedToken& added : setup.added) {
    if (added.content == token) return added.id;
  }
  const auto found = setup.vocabulary.find(token);
  if (found == setup.vocabulary.end()) refuse(where, fmt::format("its vocabulary lacks {}", token));
  return found->second;
}

void parse_model(const Json& model, TokenizerSetup& setup, std::string_view where) {
  // Files of the first versions leave the type out.
  const std::string type = text_field(model, "type", "WordPiece", where);
  if (type != "WordPiece") refuse_kind(where, fmt::format("a model of the kind '{}'", type));
  const Json& vocabulary = object_field(model, "vocab", where);
  setup.vocabulary.reserve(vocabulary.size());
  for (const auto& [token, id] : vocabulary.items()) setup.vocabulary.emplace(token, checked_id(id, where));
  setup.prefix = text_field(model, "continuing_subword_prefix", "##", where);
  const std::int64_t most = integer_field(model, "max_input_chars_per_word", 100, where);
  if (most < 1 || most > 10000) refuse(where, "its longest word has a length that cannot be");
  setup.most_characters = static_cast<std::size_t>(most);
}

void parse_added(const Json& json, TokenizerSetup& setup, std::string_view where) {
  const auto found = json.find("added_tokens");
  if (found == json.end() || found->is_null()) return;
  if (!found->is_array()) refuse(where, "its added tokens are no list");
  for (const Json& entry : *found) {
    if (!entry.is_object() || !entry.contains("id")) refuse(where, "one of its added tokens is incomplete");
    AddedToken token;
    token.content = text_field(entry, "content", "", where);
    token.id = checked_id(entry["id"], where);
    token.single_word = flag_field(entry, "single_word", false, where);
    token.takes_left = flag_field(entry, "lstrip", false, where);
    token.takes_right = flag_field(entry, "rstrip", false, where);
    token.normalised = flag_field(entry, "normalized", false, where);
    setup.added.push_back(std::move(token));
  }
}

NormaliserOptions parse_normaliser(const Json& json, std::string_view where) {
  const auto found = json.find("normalizer");
  if (found == json.end() || !found->is_object()) refuse_kind(where, "no normalizer of BERT");
  const std::string type = text_field(*found, "type", "", where);
  if (type != "BertNormalizer") refuse_kind(where, fmt::format("the normalizer '{}'", type));
  NormaliserOptions options;
  options.clean = flag_field(*found, "clean_text", true, where);
  options.ideographs = flag_field(*found, "handle_chinese_chars", true, where);
  options.lower_case = flag_field(*found, "lowercase", true, where);
  options.strip_accents = flag_field(*found, "strip_accents", options.lower_case, where);
  return options;
}

/// True for a template that puts [CLS] and [SEP] around one text, or around and between two.
bool is_bert_template(const Json& parts, bool pair) {
  const auto name = [](const Json& part) -> std::string {
    for (const char* kind : {"SpecialToken", "Sequence"}) {
      if (part.is_object() && part.contains(kind) && part[kind].is_object() && part[kind].contains("id") &&
          part[kind]["id"].is_string() && part[kind].contains("type_id") &&
          part[kind]["type_id"].is_number_integer())
        return fmt::format("{} {} {}", kind[1] == 'p' ? "token" : "text", part[kind]["id"].get<std::string>(),
                           part[kind]["type_id"].get<int>());
    }
    return "";
  };
  std::vector<std::string> names;
  if (!parts.is_array()) return false;
  for (const Json& part : parts) names.push_back(name(part));
  const std::size_t wanted = pair ? 5 : 3;
  if (names.size() != wanted || names[1] != "text A 0" || !names[0].starts_with("token ") ||
      !names[0].ends_with(" 0") || !names[2].starts_with("token ") || !names[2].ends_with(" 0"))
    return false;
  const std::string sep = names[2].substr(0, names[2].size() - 1);
  return !pair || (names[3] == "text B 1" && names[4] == sep + "1");
}

/// The tokens around a text, from the post-processor; [CLS] and [SEP] without one.
void parse_processor(const Json& json, TokenizerSetup& setup, std::string_view where) {
  std::string cls = "[CLS]";
  std::string sep = "[SEP]";
  const auto found = json.find("post_processor");
  if (found != json.end() && !found->is_null()) {
    const Json& processor = object_field(json, "post_processor", where);
    const std::string type = text_field(processor, "type", "", where);
    if (type == "BertProcessing") {
      for (const auto& [field, name] : {std::pair("cls", &cls), std::pair("sep", &sep)}) {
        if (!processor.contains(field) || !processor[field].is_array() || processor[field].size() != 2 ||
            !processor[field][0].is_string())
          refuse(where, "its post-processor is incomplete");
        *name = processor[field][0].get<std::string>();
      }
    } else if (type == "TemplateProcessing" && processor.contains("single") &&
               is_bert_template(processor["single"], false) && processor.contains("pair") &&
               is_bert_template(processor["pair"], true)) {
      cls = processor["single"][0]["SpecialToken"]["id"].get<std::string>();
      sep = processor["single"][2]["SpecialToken"]["id"].get<std::string>();
    } else {
      refuse_kind(where, fmt::format("the post-processor '{}'", type));
    }
  }
  setup.cls = id_of(setup, cls, where);
  setup.sep = id_of(setup, sep, where);
}

std::optional<std::int32_t> optional_id(const TokenizerSetup& setup, const std::string& token) {
  const auto found = setup.vocabulary.find(token);
  return found == setup.vocabulary.end() ? std::nullopt : std::optional(found->second);
}

/// A special token of tokenizer_config.json: a text, or an object with its content.
std::string token_field(const Json& json, const char* name, const std::string& otherwise,
                        std::string_view where) {
  const auto found = json.find(name);
  if (found != json.end() && found->is_object()) return text_field(*found, "content", otherwise, where);
  return text_field(json, name, otherwise, where);
}

/// Lines of a vocab.txt: the id of a token is its line. Of equal lines the last one counts.
Vocabulary parse_vocabulary(std::string_view text, std::string_view where) {
  Vocabulary vocabulary;
  std::int32_t id = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    vocabulary.insert_or_assign(std::string(line), id++);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (vocabulary.empty()) refuse(where, "its vocabulary is empty");
  return vocabulary;
}

/// Special tokens that tokenizer_config.json declares beside the usual five: `added_tokens_decoder`, by id.
void add_declared(const Json& config, TokenizerSetup& setup, std::string_view where) {
  const auto declared = config.find("added_tokens_decoder");
  if (declared == config.end() || declared->is_null()) return;
  if (!declared->is_object()) refuse(where, "its added tokens are no object");
  for (const auto& [key, entry] : declared->items()) {
    if (!entry.is_object()) refuse(where, "one of its added tokens is incomplete");
    AddedToken token;
    token.content = text_field(entry, "content", "", where);
    const auto id = optional_id(setup, token.content);
    const bool known = std::any_of(setup.added.begin(), setup.added.end(),
                                   [&](const AddedToken& other) { return other.content == token.content; });
    if (known || !id) continue;  // a token that the vocabulary lacks has no embedding
    token.id = *id;
    token.single_word = flag_field(entry, "single_word", false, where);
    token.takes_left = flag_field(entry, "lstrip", false, where);
    token.takes_right = flag_field(entry, "rstrip", false, where);
    token.normalised = flag_field(entry, "normalized", false, where);
    setup.added.push_back(std::move(token));
  }
}

TokenizerSetup read_vocabulary(const fs::path& path, const Json& config, const std::string& config_path) {
  const std::string where = path.string();
  TokenizerSetup setup;
  setup.vocabulary = parse_vocabulary(io::read_file(path, kMostBytes), where);
  const auto add = [&](const char* field, const char* otherwise) -> std::int32_t {
    const std::string name = token_field(config, field, otherwise, config_path);
    const std::int32_t id = id_of(setup, name, where);
    setup.added.push_back({name, id, false, false, false, false});
    return id;
  };
  setup.unknown = add("unk_token", "[UNK]");
  setup.sep = add("sep_token", "[SEP]");
  setup.pad = add("pad_token", "[PAD]");
  setup.cls = add("cls_token", "[CLS]");
  const std::string mask = token_field(config, "mask_token", "[MASK]", config_path);
  if (const auto id = optional_id(setup, mask)) {
    setup.mask = id;
    setup.added.push_back({mask, *id, false, false, false, false});
  }
  add_declared(config, setup, config_path);
  return setup;
}

/// transformers lets tokenizer_config.json have the last word on case, accents and ideographs.
void apply_config(const Json& config, TokenizerSetup& setup, std::string_view where) {
  NormaliserOptions& options = setup.normaliser;
  if (!config.contains("do_lower_case") && !config.contains("strip_accents") &&
      !config.contains("tokenize_chinese_chars"))
    return;
  const bool lower_case = flag_field(config, "do_lower_case", options.lower_case, where);
  const bool told = config.contains("strip_accents") && !config["strip_accents"].is_null();
  if (told) {
    options.strip_accents = flag_field(config, "strip_accents", options.strip_accents, where);
  } else if (lower_case != options.lower_case) {
    options.strip_accents = lower_case;
  }
  options.lower_case = lower_case;
  options.ideographs = flag_field(config, "tokenize_chinese_chars", options.ideographs, where);
}

}  // namespace

TokenizerSetup parse_tokenizer(std::string_view text, std::string_view where) {
  const Json json = parse_object(text, where);
  TokenizerSetup setup;
  const Json& model = object_field(json, "model", where);
  parse_model(model, setup, where);
  parse_added(json, setup, where);
  setup.normaliser = parse_normaliser(json, where);
  const Json& words = object_field(json, "pre_tokenizer", where);
  const std::string type = text_field(words, "type", "", where);
  if (type != "BertPreTokenizer") refuse_kind(where, fmt::format("the pre-tokenizer '{}'", type));
  parse_processor(json, setup, where);
  setup.unknown = id_of(setup, text_field(model, "unk_token", "[UNK]", where), where);
  setup.pad = optional_id(setup, "[PAD]").value_or(0);
  setup.mask = optional_id(setup, "[MASK]");
  return setup;
}

TokenizerSetup read_tokenizer(const fs::path& folder) {
  std::error_code none;
  const fs::path config_path = folder / "tokenizer_config.json";
  const Json config = fs::is_regular_file(config_path, none) ? read_object(config_path) : Json::object();
  TokenizerSetup setup;
  if (fs::is_regular_file(folder / "tokenizer.json", none)) {
    const fs::path path = folder / "tokenizer.json";
    setup = parse_tokenizer(io::read_file(path, kMostBytes), path.string());
  } else if (fs::is_regular_file(folder / "vocab.txt", none)) {
    setup = read_vocabulary(folder / "vocab.txt", config, config_path.string());
  } else {
    fail(ErrorCode::not_found,
         "there is no vocabulary in {}: neither tokenizer.json nor vocab.txt; fetch the model again",
         folder.string());
  }
  apply_config(config, setup, config_path.string());
  return setup;
}

}  // namespace mustcite::model
