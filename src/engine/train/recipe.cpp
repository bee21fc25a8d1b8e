#include "engine/train/recipe.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::train {
namespace {

/// One table of the file. Every key that was asked for is known; `finish` refuses the others.
class Table {
 public:
  Table(const toml::table* table, std::string name, std::string_view where)
      : table_(table), name_(std::move(name)), where_(where) {}

  void number(const char* key, double& into, double low, double high) {
    if (const auto* node = find(key)) {
      const auto value = node->value<double>();
      if (!value || !(*value >= low && *value <= high))
        refuse(key, fmt::format("a number from {} to {}", low, high));
      into = *value;
    }
  }
  void count(const char* key, std::size_t& into, std::int64_t low, std::int64_t high) {
    if (const auto* node = find(key)) {
      const auto value = node->value_exact<std::int64_t>();
      if (!value || *value < low || *value > high)
        refuse(key, fmt::format("a whole number from {} to {}", low, high));
      into = static_cast<std::size_t>(*value);
    }
  }
  void text(const char* key, std::string& into) {
    if (const auto* node = find(key)) {
      const auto value = node->value_exact<std::string>();
      if (!value) refuse(key, "a text");
      into = *value;
    }
  }
  /// A list of texts, none of them empty or with white space.
  void texts(const char* key, std::vector<std::string>& into) {
    const auto* node = find(key);
    if (node == nullptr) return;
    const auto* list = node->as_array();
    if (list == nullptr) refuse(key, "a list of texts");
    into.clear();
    for (const auto& item : *list) {
      const auto value = item.value_exact<std::string>();
      if (!value || value->empty() || value->find_first_of(" \t\n") != std::string::npos)
        refuse(key, "a list of texts without white space");
      into.push_back(*value);
    }
  }
  /// A list of exactly into.size() whole numbers, not all of them 0.
  void counts(const char* key, std::vector<std::size_t>& into, std::int64_t high) {
    const auto* node = find(key);
    if (node == nullptr) return;
    const auto wanted = fmt::format("a list of {} whole numbers from 0 to {}, not all 0", into.size(), high);
    const auto* list = node->as_array();
    if (list == nullptr || list->size() != into.size()) refuse(key, wanted);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto value = (*list)[i].value_exact<std::int64_t>();
      if (!value || *value < 0 || *value > high) refuse(key, wanted);
      into[i] = static_cast<std::size_t>(*value);
      sum += into[i];
    }
    if (sum == 0) refuse(key, wanted);
  }
  void flag(const char* key, bool& into) {
    if (const auto* node = find(key)) {
      const auto value = node->value_exact<bool>();
      if (!value) refuse(key, "true or false");
      into = *value;
    }
  }
  template <typename Value>
  void choice(const char* key, Value& into, const std::map<std::string, Value>& choices) {
    std::string name;
    text(key, name);
    if (name.empty()) return;
    const auto found = choices.find(name);
    if (found == choices.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : choices) names.push_back(known);
      refuse(key, fmt::format("one of {}", fmt::join(names, ", ")));
    }
    into = found->second;
  }
  [[nodiscard]] bool has(const char* key) const { return table_ != nullptr && table_->contains(key); }

  void finish() const {
    if (table_ == nullptr) return;
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      if (known_.contains(name)) continue;
      const auto near = nearest_name(name, known);
      fail(ErrorCode::invalid_input, "{}: [{}] has no key '{}'{}", where_, name_, name,
           near ? fmt::format("; did you mean '{}'?", *near)
                : fmt::format("; it has {}", fmt::join(known, ", ")));
    }
  }

 private:
  const toml::node* find(const char* key) {
    known_.insert(key);
    return table_ == nullptr ? nullptr : table_->get(key);
  }
  [[noreturn]] void refuse(const char* key, const std::string& wanted) const {
    fail(ErrorCode::invalid_input, "{}: {} of [{}] must be {}", where_, key, name_, wanted);
  }

  const toml::table* table_;
  std::string name_;
  std::string_view where_;
  std::set<std::string> known_;
};

const std::map<std::string, Tier> kTiers{
    {"all", Tier::all}, {"type3", Tier::type3}, {"experiments", Tier::experiments}, {"must", Tier::must}};

void read_model(Table table, Recipe& recipe, std::string_view where) {
  table.text("base", recipe.model.base);
  if (recipe.model.base.empty()) {
    fail(ErrorCode::invalid_input, "{}: [model] must say its base: a name in models/, or a folder", where);
  }
  std::string pooling;
  table.text("pooling", pooling);
  if (!pooling.empty()) recipe.model.pooling = model::parse_pooling(pooling, where);
  bool normalise = false;
  const bool given = table.has("normalise");
  table.flag("normalise", normalise);
  if (given) recipe.model.normalise = normalise;
  std::string head;
  table.text("head", head);
  if (!head.empty()) recipe.model.head = model::parse_head(head, where);
  table.texts("tokens", recipe.model.tokens);
  table.finish();
}

/// "2019" or "2018-2021".
std::pair<int, int> parse_years(const std::string& text, std::string_view where) {
  const auto year = [&](const std::string& part) {
    const auto date = parse_date(part);
    if (!date || date->month != 0) {
      fail(ErrorCode::invalid_input, "{}: years of [examples] must be like 2019 or 2018-2021, not '{}'",
           where, text);
    }
    return date->year;
  };
  const auto dash = text.find('-');
  if (dash == std::string::npos) return {year(text), year(text)};
  const std::pair<int, int> years{year(text.substr(0, dash)), year(text.substr(dash + 1))};
  if (years.first > years.second)
    fail(ErrorCode::invalid_input, "{}: years of [examples] run backwards: '{}'", where, text);
  return years;
}

void read_examples(Table table, Recipe::Examples& examples, std::string_view where) {
  table.choice("tier", examples.tier, kTiers);
  std::string years;
  table.text("years", years);
  if (!years.empty()) std::tie(examples.first_year, examples.last_year) = parse_years(years, where);
  table.count("positives", examples.positives, 1, 64);
  table.count("negatives", examples.negatives, 0, 64);
  table.choice<NegativeSource>("source", examples.source,
                               {{"none", NegativeSource::none},
                                {"bm25", NegativeSource::bm25},
                                {"second-order", NegativeSource::second_order},
                                {"run", NegativeSource::run}});
  table.count("first_rank", examples.first_rank, 1, 100000);
  table.count("last_rank", examples.last_rank, 1, 100000);
  table.text("paragraphs", examples.paragraphs);
  table.flag("related_work_only", examples.related_work_only);
  table.flag("topic", examples.topic);
  table.choice<Recipe::Examples::Scope>(
      "scope", examples.scope,
      {{"paragraph", Recipe::Examples::Scope::paragraph}, {"section", Recipe::Examples::Scope::section}});
  table.counts("pools", examples.pools, 64);
  table.number("held_out", examples.held_out, 0, 0.9);
  table.finish();
}

void read_loss(Table table, LearnerOptions& learner) {
  table.choice<Loss>("kind", learner.loss,
                     {{"nt-xent", Loss::nt_xent},
                      {"triplet", Loss::triplet},
                      {"quadruplet", Loss::quadruplet},
                      {"pair-logistic", Loss::pair_logistic},
                      {"pair-softmax", Loss::pair_softmax},
                      {"pairwise-softmax", Loss::pairwise_softmax}});
  table.number("temperature", learner.temperature, 1e-3, 100);
  table.number("frequency", learner.frequency, 0, 1);
  table.number("margin", learner.margin, 0, 1000);
  table.number("offset", learner.offset, 0, 1000);
  table.finish();
}

/// Late interaction, where the recipe has its table.
void read_late(Table table, LearnerOptions& learner) {
  LateLearning late;
  table.count("dims", late.dims, 1, 4096);
  const auto text = [&](const char* key, std::optional<std::string>& into) {
    const bool given = table.has(key);
    std::string value;
    table.text(key, value);
    if (given) into = value;
  };
  const auto length = [&](const char* key, std::optional<std::size_t>& into) {
    std::size_t value = 0;
    table.count(key, value, 4, 8192);
    if (value > 0) into = value;
  };
  text("query_marker", late.reading.query_marker);
  text("document_marker", late.reading.document_marker);
  length("query_length", late.reading.query_length);
  length("document_length", late.reading.document_length);
  bool skip = true;
  const bool given = table.has("skip_punctuation");
  table.flag("skip_punctuation", skip);
  if (given) late.reading.skip_punctuation = skip;
  table.finish();
  learner.late = late;
}

void read_schedule(Table table, Recipe& recipe) {
  Recipe::Schedule& schedule = recipe.schedule;
  LearnerOptions& learner = recipe.learner;
  table.count("batch", schedule.batch, 2, 4096);
  table.count("accumulate", schedule.accumulate, 1, 1024);
  table.count("epochs", schedule.epochs, 1, 1000);
  table.count("steps", schedule.steps, 0, 100000000);
  table.number("rate", schedule.rate, 0, 1);
  table.number("warmup", schedule.warmup, 0, 1);
  table.flag("decay", schedule.decay);
  table.count("max_length", schedule.max_length, 3, 8192);
  table.number("beta1", learner.beta1, 0, 0.99999);
  table.number("beta2", learner.beta2, 0, 0.99999);
  table.number("weight_decay", learner.weight_decay, 0, 1);
  table.number("clip", learner.clip, 0, 1e6);
  table.count("trained_layers", learner.trained_layers, 0, 1000);
  table.flag("dropout", learner.dropout);
  table.flag("mixed", learner.mixed);
  std::size_t seed = learner.seed;
  table.count("seed", seed, 0, 1000000000);
  learner.seed = seed;
  table.finish();
}

void read_dev(Table table, Recipe::Dev& dev) {
  table.choice("tier", dev.tier, kTiers);
  table.choice<Recipe::Dev::Metric>(
      "metric", dev.metric,
      {{"recall-100", Recipe::Dev::Metric::recall_100}, {"r-precision", Recipe::Dev::Metric::r_precision}});
  table.count("every", dev.every, 0, 100000000);
  table.count("patience", dev.patience, 0, 100000);
  table.count("documents", dev.documents, 0, 100000000);
  table.count("queries", dev.queries, 1, 1000000);
  table.number("held_out", dev.held_out, 0, 0.5);
  table.finish();
}

void check(const Recipe& recipe, std::string_view where) {
  const auto& examples = recipe.examples;
  if (examples.first_rank > examples.last_rank) {
    fail(ErrorCode::invalid_input, "{}: first_rank of [examples] lies behind last_rank", where);
  }
  const bool hard =
      !examples.paragraphs.empty() || (examples.source != NegativeSource::none && examples.negatives > 0);
  if (recipe.learner.loss != Loss::nt_xent && !hard) {
    fail(ErrorCode::invalid_input,
         "{}: triplets, quadruplets and pairs need hard negatives: give negatives and source in [examples]",
         where);
  }
  if (recipe.learner.offset > 0 &&
      !(reads_pairs(recipe.learner.loss) && examples.source == NegativeSource::run)) {
    fail(ErrorCode::invalid_input,
         "{}: offset of [loss] is for cross-encoders whose negatives come from a run: kind = "
         "\"pair-softmax\" or "
         "\"pair-logistic\", source = \"run\"",
         where);
  }
  const bool softmax = recipe.learner.loss == Loss::pairwise_softmax;
  if (recipe.learner.late ? recipe.learner.loss != Loss::nt_xent && !softmax : softmax) {
    fail(ErrorCode::invalid_input,
         "{}: late interaction ([late]) learns by nt-xent or pairwise-softmax, which is for it alone", where);
  }
  if (recipe.learner.loss == Loss::quadruplet && examples.positives < 2) {
    fail(ErrorCode::invalid_input, "{}: quadruplets need two positives or more", where);
  }
}

}  // namespace

std::string_view name_of(Loss loss) noexcept {
  switch (loss) {
    case Loss::nt_xent:
      return "nt-xent";
    case Loss::triplet:
      return "triplet";
    case Loss::pair_logistic:
      return "pair-logistic";
    case Loss::pair_softmax:
      return "pair-softmax";
    case Loss::quadruplet:
      return "quadruplet";
    case Loss::pairwise_softmax:
      break;
  }
  return "pairwise-softmax";
}

Recipe parse_recipe(std::string_view toml, std::string_view where) {
  toml::table root;
  try {
    root = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    fail(ErrorCode::invalid_input, "{} line {}: {}", where, error.source().begin.line, error.description());
  }
  Recipe recipe;
  recipe.source = toml;
  Table top(&root, "the recipe", where);
  top.text("notes", recipe.notes);
  for (const char* name : {"model", "late", "examples", "loss", "training", "dev"}) {
    if (root.contains(name) && !root[name].is_table()) {
      fail(ErrorCode::invalid_input, "{}: {} must be a table: [{}]", where, name, name);
    }
  }
  const auto table = [&](const char* name) { return Table(root[name].as_table(), name, where); };
  for (const auto& [key, node] : root) {
    static const std::vector<std::string> kTables{"notes", "model",    "late", "examples",
                                                  "loss",  "training", "dev"};
    const std::string name(key.str());
    if (std::find(kTables.begin(), kTables.end(), name) != kTables.end()) continue;
    const auto near = nearest_name(name, kTables);
    fail(ErrorCode::invalid_input, "{}: a recipe has no '{}'{}", where, name,
         near ? fmt::format("; did you mean '{}'?", *near)
              : "; it has notes, model, late, examples, loss, training and dev");
  }
  read_model(table("model"), recipe, where);
  read_examples(table("examples"), recipe.examples, where);
  read_loss(table("loss"), recipe.learner);
  if (root.contains("late")) read_late(table("late"), recipe.learner);
  read_schedule(table("training"), recipe);
  read_dev(table("dev"), recipe.dev);
  check(recipe, where);
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& file) {
  Recipe recipe = parse_recipe(io::read_file(file, 1 << 20), file.string());
  recipe.name = file.stem().string();
  return recipe;
}

}  // namespace mustcite::train
