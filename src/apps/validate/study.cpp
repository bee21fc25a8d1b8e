#include "apps/validate/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/store/sqlite.hpp"

namespace mustcite::validate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string secret() {
  std::random_device random;
  return sha256_hex(fmt::format("{} {} {} {}", random(), random(), random(), random())).substr(0, 20);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// The fields of a CSV text, row by row; quotes as RFC 4180 has them.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string& field = rows.back().back();
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      field += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else if (quoted || c != '\r') {
      field += c;
    }
  }
  if (rows.back().size() == 1 && rows.back()[0].empty()) rows.pop_back();
  return rows;
}

/// Each item to `per_item` raters: always those with the least to do, ties broken by a seeded order.
std::vector<std::vector<std::size_t>> assign(std::size_t items, std::size_t raters, std::size_t per_item,
                                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> loads(raters);
  for (std::size_t item = 0; item < items; ++item) {
    std::vector<std::pair<std::pair<std::size_t, std::uint64_t>, std::size_t>> order;
    for (std::size_t r = 0; r < raters; ++r) order.push_back({{loads[r].size(), random()}, r});
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < per_item; ++k) loads[order[k].second].push_back(item);
  }
  return loads;
}

}  // namespace

struct Study::Store {
  explicit Store(const fs::path& file) : database(file, store::Database::Access::create) {
    // An answer that was confirmed has to survive a power cut.
    database.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE IF NOT EXISTS changes (number INTEGER PRIMARY KEY AUTOINCREMENT, rater TEXT NOT NULL,"
        " item INTEGER NOT NULL, type1 INTEGER NOT NULL, type2 INTEGER NOT NULL, note TEXT NOT NULL,"
        " undone INTEGER NOT NULL DEFAULT 0);"
        "CREATE INDEX IF NOT EXISTS changes_by_item ON changes (item, rater, number);");
  }

  mutable store::Database database;
};

void Study::create(const fs::path& folder, const std::vector<annotate::Instance>& instances,
                   const std::vector<std::string>& raters, std::size_t per_item, std::uint64_t seed) {
  if (fs::exists(folder / "study.json"))
    fail(ErrorCode::usage, "{} is a study already; choose another name", folder.string());
  if (per_item < 2 || per_item > 6 || per_item > raters.size()) {
    fail(ErrorCode::usage,
         "each instance goes to 2 to 6 raters, at most to all of them; there are {} raters and {} were asked "
         "for",
         raters.size(), per_item);
  }
  if (instances.empty())
    fail(ErrorCode::invalid_input, "there is no citation to rate; import or extract citations first");
  const auto loads = assign(instances.size(), raters.size(), per_item, seed);
  Json json;
  json["format"] = "mustcite-study";
  json["questions"] = kQuestions;
  json["seed"] = seed;
  json["adjudicator_token"] = secret();
  json["raters"] = Json::array();
  for (std::size_t r = 0; r < raters.size(); ++r)
    json["raters"].push_back({{"name", raters[r]}, {"token", secret()}, {"items", loads[r]}});
  std::string lines;
  for (auto instance : instances) {
    instance.ratings.clear();  // no rater sees what others or a judge said
    lines += annotate::to_json_line(instance) + "\n";
  }
  io::StagedDirectory staged(folder);
  io::write_file_atomically(staged.path() / "instances.jsonl", lines);
  io::write_file_atomically(staged.path() / "study.json", json.dump(1) + "\n");
  staged.publish();
}

Study::Study(const fs::path& folder) {
  const auto file = folder / "study.json";
  if (!fs::exists(file))
    fail(ErrorCode::not_found, "there is no study {}; make one with `mustcite validate sample`",
         folder.string());
  try {
    const Json json = Json::parse(io::read_file(file, std::size_t{64} << 20));
    adjudicator_token_ = json.at("adjudicator_token").get<std::string>();
    for (const auto& rater : json.at("raters"))
      raters_.push_back(
          {rater.at("name"), rater.at("token"), rater.at("items").get<std::vector<std::size_t>>()});
  } catch (const Json::exception& error) {
    fail(ErrorCode::corrupt, "{} is damaged ({}); restore it from a copy", file.string(), error.what());
  }
  auto read = annotate::read_instances(folder / "instances.jsonl");
  if (!read.rejects.empty())
    fail(ErrorCode::corrupt, "{} line {}: {}", read.rejects[0].source, read.rejects[0].line,
         read.rejects[0].reason);
  instances_ = std::move(read.instances);
  for (const auto& rater : raters_) {
    for (const std::size_t item : rater.items) {
      if (item >= instances_.size())
        fail(ErrorCode::corrupt, "{} assigns an instance that is not there", file.string());
    }
  }
  store_ = std::make_unique<Store>(folder / "answers.sqlite");
}

Study::~Study() = default;

std::optional<Rater> Study::rater_of(const std::string& token) const {
  for (const auto& rater : raters_) {
    if (rater.token == token) return rater;
  }
  if (token != adjudicator_token_) return std::nullopt;
  Rater adjudicator{kAdjudicator, token, {}};
  for (std::size_t item = 0; item < instances_.size(); ++item) {
    const auto answers = answers_of(item);
    const Answer* first = nullptr;
    bool differ = false;
    for (const auto& [name, answer] : answers) {
      if (name == kAdjudicator) continue;
      differ = differ || (first != nullptr && (first->type1 != answer.type1 || first->type2 != answer.type2));
      if (first == nullptr) first = &answer;
    }
    if (differ) adjudicator.items.push_back(item);
  }
  return adjudicator;
}

std::map<std::string, Answer> Study::answers_of(std::size_t item) const {
  store::Statement row(
      store_->database,
      "SELECT rater, type1, type2, note FROM changes WHERE item = ?1 AND undone = 0 ORDER BY number");
  row.bind(1, static_cast<std::int64_t>(item));
  std::map<std::string, Answer> answers;
  while (row.step()) {
    answers[std::string(row.text(0))] = {static_cast<int>(row.integer(1)), static_cast<int>(row.integer(2)),
                                         std::string(row.text(3))};
  }
  return answers;
}

std::optional<Answer> Study::answer(const std::string& rater, std::size_t item) const {
  const auto answers = answers_of(item);
  const auto found = answers.find(rater);
  return found == answers.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Study::answered(const std::string& rater) const {
  store::Statement row(store_->database,
                       "SELECT count(DISTINCT item) FROM changes WHERE rater = ?1 AND undone = 0");
  row.bind(1, rater);
  return row.step() ? static_cast<std::size_t>(row.integer(0)) : 0;
}

void Study::save(const std::string& rater, std::size_t item, const Answer& answer) {
  if (answer.type1 < 0 || answer.type1 > 1 || answer.type2 < 1 || answer.type2 > 5 ||
      item >= instances_.size())
    fail(ErrorCode::invalid_input, "an answer is 0 or 1 and 1 to 5 on an instance of the study");
  store::Statement insert(
      store_->database, "INSERT INTO changes (rater, item, type1, type2, note) VALUES (?1, ?2, ?3, ?4, ?5)");
  insert.bind(1, rater).bind(2, static_cast<std::int64_t>(item)).bind(3, std::int64_t{answer.type1});
  insert.bind(4, std::int64_t{answer.type2}).bind(5, answer.note);
  insert.execute();
}

std::optional<std::size_t> Study::undo(const std::string& rater) {
  std::int64_t number = 0;
  std::size_t item = 0;
  {
    store::Statement row(
        store_->database,
        "SELECT number, item FROM changes WHERE rater = ?1 AND undone = 0 ORDER BY number DESC LIMIT 1");
    row.bind(1, rater);
    if (!row.step()) return std::nullopt;
    number = row.integer(0);
    item = static_cast<std::size_t>(row.integer(1));
  }
  store::Statement update(store_->database, "UPDATE changes SET undone = 1 WHERE number = ?1");
  update.bind(1, number).execute();
  return item;
}

std::string Study::export_jsonl() const {
  std::string text;
  for (std::size_t item = 0; item < instances_.size(); ++item) {
    annotate::Instance instance = instances_[item];
    for (const auto& [rater, answer] : answers_of(item))
      instance.ratings.push_back({rater, answer.type1, answer.type2, answer.note});
    text += annotate::to_json_line(instance) + "\n";
  }
  return text;
}

std::string Study::export_csv() const {
  std::string text = "instance_id,rater,type1,type2,note\n";
  for (std::size_t item = 0; item < instances_.size(); ++item) {
    for (const auto& [rater, answer] : answers_of(item)) {
      text += fmt::format("{},{},{},{},{}\n", csv_field(instances_[item].id), csv_field(rater), answer.type1,
                          answer.type2, csv_field(answer.note));
    }
  }
  return text;
}

std::map<std::string, std::size_t> Study::items_by_id() const {
  std::map<std::string, std::size_t> items;
  for (std::size_t i = 0; i < instances_.size(); ++i) items[instances_[i].id] = i;
  return items;
}

bool Study::take(const std::string& rater, std::size_t item, const Answer& answer) {
  const auto known = this->answer(rater, item);
  if (known && known->type1 == answer.type1 && known->type2 == answer.type2 && known->note == answer.note)
    return false;
  save(rater, item, answer);
  return true;
}

std::size_t Study::import_csv(const std::string& text) {
  const auto items = items_by_id();
  std::size_t taken = 0;
  std::size_t line = 0;
  for (const auto& row : read_csv(text)) {
    if (++line == 1 && row[0] == "instance_id") continue;
    const auto item = items.find(row[0]);
    if (row.size() < 4 || item == items.end() || row[2].size() != 1 || row[3].size() != 1)
      fail(ErrorCode::invalid_input,
           "row {}: wants instance_id,rater,type1,type2,note of an instance of this study", line);
    const Answer answer{row[2][0] - '0', row[3][0] - '0', row.size() > 4 ? row[4] : ""};
    taken += take(row[1], item->second, answer) ? 1 : 0;
  }
  return taken;
}

std::size_t Study::import_jsonl(const fs::path& file) {
  const auto read = annotate::read_instances(file);
  if (!read.rejects.empty())
    fail(ErrorCode::invalid_input, "{} line {}: {}", file.string(), read.rejects[0].line,
         read.rejects[0].reason);
  const auto items = items_by_id();
  std::size_t taken = 0;
  for (const auto& instance : read.instances) {
    const auto item = items.find(instance.id);
    if (item == items.end())
      fail(ErrorCode::invalid_input, "{}: the instance {} is not of this study", file.string(), instance.id);
    for (const auto& rating : instance.ratings) {
      if (!rating.type1 || !rating.type2)
        fail(ErrorCode::invalid_input, "{}: {} has answered only one question on {}", file.string(),
             rating.annotator, instance.id);
      taken += take(rating.annotator, item->second, {*rating.type1, *rating.type2, rating.note}) ? 1 : 0;
    }
  }
  return taken;
}

}  // namespace mustcite::validate
