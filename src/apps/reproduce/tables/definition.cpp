#include "apps/reproduce/tables/definition.hpp"

#include <algorithm>
#include <set>

#include "apps/reproduce/substitution.hpp"
#include "apps/reproduce/toml_reader.hpp"
#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "engine/evaluate/metric.hpp"

namespace mustcite::reproduce {
namespace {

/// Names become file names of runs.
bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "-_.+") == std::string::npos &&
         text.front() != '.';
}

class TableReader : TomlReader {
 public:
  explicit TableReader(const std::filesystem::path& file) : TomlReader(file, "table") {
    table_.file = file;
    table_.name = file.stem().string();
    for (const auto& name : table_placeholders()) known_[name] = "";
  }

  TableDefinition read() {
    const toml::table toml = parse();
    know(toml, {"title", "metrics", "summary", "baseline", "curves", "queries", "tiers", "methods",
                "published", "notes"});
    table_.title = text(toml, "title");
    table_.metrics = text(toml, "metrics");
    table_.summary = text(toml, "summary");
    table_.baseline = text(toml, "baseline");
    table_.curves = texts(toml, "curves", Presence::optional);
    table_.queries = words(toml, "queries", text_or_none(toml, "queries"));
    table_.notes = texts(toml, "notes", Presence::optional);
    if (toml.contains("published")) table_.published = file().parent_path() / text(toml, "published");
    for (const auto& node : array(toml, "tiers", Presence::required)) read_tier(table_in(node, "tiers"));
    for (const auto& node : array(toml, "methods", Presence::required))
      read_method(table_in(node, "methods"));
    check_metrics(toml);
    check_baseline(toml);
    return std::move(table_);
  }

 private:
  void read_tier(const toml::table& toml) {
    know(toml, {"name", "label", "qrels", "stand_in", "stand_in_label", "mask", "optional"});
    TierDefinition tier;
    tier.name = name(toml, tiers_);
    tier.label = text(toml, "label");
    tier.qrels = words(toml, "qrels", text(toml, "qrels"));
    tier.stand_in = words(toml, "stand_in", text_or_none(toml, "stand_in"));
    tier.stand_in_label = text_or_none(toml, "stand_in_label");
    if (tier.stand_in.empty() != tier.stand_in_label.empty())
      refuse(&toml, "'stand_in' and 'stand_in_label' come together: a stand-in is always named");
    tier.mask = text_or_none(toml, "mask");
    tier.optional = flag(toml, "optional");
    table_.tiers.push_back(std::move(tier));
  }

  void read_method(const toml::table& toml) {
    know(toml, {"name", "label", "group", "published", "each", "steps", "needs", "seeds", "weights", "note"});
    MethodDefinition method;
    with_seed_ = toml.contains("seeds");
    with_each_ = toml.contains("each");
    if (with_each_ != (text(toml, "name") == "{each}"))
      refuse(&toml, "a row with 'each' is called \"{each}\", and no other is");
    method.name = with_each_ ? "{each}" : name(toml, methods_);
    method.label = toml.contains("label") ? words(toml, "label", text(toml, "label")) : method.name;
    method.group = text(toml, "group");
    method.published = text_or_none(toml, "published");
    if (with_each_) method.each = words(toml, "each", text(toml, "each"));
    for (const auto& step : array(toml, "steps", Presence::required)) method.steps.push_back(read_step(step));
    for (const auto& need : array(toml, "needs", Presence::optional))
      read_need(table_in(need, "needs"), method);
    for (const auto& seed : array(toml, "seeds", Presence::optional)) {
      const auto value = seed.value_exact<std::int64_t>();
      if (!value || *value < 0) refuse(&seed, "a seed is a whole number that is not negative");
      method.seeds.push_back(static_cast<std::uint64_t>(*value));
    }
    for (const auto& one : one_or_more(toml, "weights"))
      method.weights.push_back(words(toml, "weights", one));
    method.note = text_or_none(toml, "note");
    table_.methods.push_back(std::move(method));
  }

  std::vector<std::string> read_step(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr || list->empty()) {
      refuse(
          &node,
          "a step must be a list of words, the verb first: steps = [[\"recommend\", \"--run\", \"{run}\"]]");
    }
    std::vector<std::string> step;
    for (const auto& word : *list) {
      const auto value = word.value_exact<std::string>();
      if (!value) refuse(&word, "every word of a step must be a text: write numbers in quotes");
      step.push_back(checked(&word, *value));
    }
    return step;
  }

  void read_need(const toml::table& toml, MethodDefinition& method) {
    know(toml, {"path", "make"});
    method.needs.push_back(
        {words(toml, "path", text(toml, "path")), words(toml, "make", text(toml, "make"))});
  }

  /// One text, or a list of them; nothing when the key is not there.
  std::vector<std::string> one_or_more(const toml::table& toml, const char* key) const {
    const toml::node* node = toml.get(key);
    if (node != nullptr && node->is_string()) return {text(toml, key)};
    return texts(toml, key, Presence::optional);
  }

  /// A name that stands once.
  std::string name(const toml::table& toml, std::set<std::string>& seen) {
    const std::string result = text(toml, "name");
    if (!is_name(result))
      refuse(toml.get("name"),
             fmt::format("'{}' is no name: use letters, digits, '-', '_', '.' and '+'", result));
    if (!seen.insert(result).second) refuse(toml.get("name"), fmt::format("'{}' stands twice", result));
    return result;
  }

  bool flag(const toml::table& toml, const char* key) {
    const toml::node* node = toml.get(key);
    if (node == nullptr) return false;
    const auto value = node->value_exact<bool>();
    if (!value) refuse(node, fmt::format("'{}' must be true or false", key));
    return *value;
  }

  std::string words(const toml::table& toml, const char* key, const std::string& value) {
    return checked(toml.get(key), value);
  }

  /// The text, when every placeholder in it means something.
  std::string checked(const toml::node* node, const std::string& value) {
    if (const auto unknown = unknown_placeholder(value, known_)) {
      std::string all;
      for (const auto& one : table_placeholders())
        all += fmt::format("{}{{{}}}", all.empty() ? "" : ", ", one);
      refuse(node, fmt::format("{} stands for nothing; known: {}", *unknown, all));
    }
    if (!with_each_ && value.find("{each}") != std::string::npos) refuse(node, "{each} needs the key 'each'");
    if (!with_seed_ && value.find("{seed}") != std::string::npos)
      refuse(node, "{seed} needs the key 'seeds'");
    return value;
  }

  void check_metrics(const toml::table& toml) {
    const auto check = [&](const char* key, const std::string& value) {
      try {
        return evaluate::parse_metrics(value);
      } catch (const Error& error) {
        refuse(toml.get(key), error.what());
      }
    };
    const auto columns = check("metrics", table_.metrics);
    const auto summary = check("summary", table_.summary);
    if (summary.size() != 1 || std::find(columns.begin(), columns.end(), summary.front()) == columns.end())
      refuse(toml.get("summary"), "'summary' must be one of the metrics");
    for (const auto& curve : table_.curves) {
      for (const auto& metric : check("curves", curve)) {
        if (metric.cutoff == 0) refuse(toml.get("curves"), fmt::format("'{}' has a metric without K", curve));
      }
    }
  }

  void check_baseline(const toml::table& toml) {
    if (methods_.contains(table_.baseline)) return;
    const auto nearest = nearest_name(table_.baseline, {methods_.begin(), methods_.end()});
    refuse(toml.get("baseline"), fmt::format("the baseline '{}' is none of the methods{}", table_.baseline,
                                             nearest ? fmt::format(", did you mean '{}'?", *nearest) : ""));
  }

  TableDefinition table_;
  Words known_;
  std::set<std::string> tiers_;
  std::set<std::string> methods_;
  bool with_each_ = false;
  bool with_seed_ = false;
};

}  // namespace

const std::vector<std::string>& table_placeholders() {
  static const std::vector<std::string> names{"release", "release_name", "split",  "index", "models",
                                              "ranker",  "plugin",       "data",   "work",  "queries",
                                              "run",     "depth",        "method", "each",  "seed"};
  return names;
}

TableDefinition load_table(const std::filesystem::path& file) {
  return TableReader(file).read();
}

bool is_table(const std::filesystem::path& file) {
  return TomlReader(file, "table").parse().contains("methods");
}

}  // namespace mustcite::reproduce
