#include "engine/rank/combination.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kKind = "mustcite combination";
constexpr int kFormat = 1;

/// Mean and spread of some numbers; a spread of 1 where they are all the same.
struct Spread {
  float mean = 0;
  float spread = 1;

  explicit Spread(std::span<const float> values) {
    if (values.empty()) return;
    double sum = 0;
    for (const float value : values) sum += value;
    const double middle = sum / static_cast<double>(values.size());
    double squares = 0;
    for (const float value : values) squares += (value - middle) * (value - middle);
    mean = static_cast<float>(middle);
    const auto deviation = static_cast<float>(std::sqrt(squares / static_cast<double>(values.size())));
    if (deviation > 1e-6F) spread = deviation;
  }
  [[nodiscard]] float of(float value) const noexcept { return (value - mean) / spread; }
};

/// Place of each score among all, from 0; ties keep the order of the list.
std::vector<std::size_t> places_of(std::span<const float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<std::size_t> places(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

float log_place(std::size_t place) {
  return std::log2(static_cast<float>(place + 2));
}

}  // namespace

const std::vector<std::string>& combination_columns() {
  static const std::vector<std::string> columns{"method",         "method.relative", "method.place", "cross",
                                                "cross.relative", "cross.place",     "cross*method"};
  return columns;
}

std::vector<float> combination_rows(std::span<const Scored> list, std::span<const float> cross) {
  std::vector<float> method(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) method[i] = list[i].score;
  const Spread of_method(method);
  const Spread of_cross(cross);
  const auto places = places_of(cross);
  std::vector<float> rows;
  rows.reserve(list.size() * combination_columns().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float relative_method = of_method.of(method[i]);
    const float relative_cross = of_cross.of(cross[i]);
    rows.insert(rows.end(), {method[i], relative_method, log_place(i), cross[i], relative_cross,
                             log_place(places[i]), relative_method * relative_cross});
  }
  return rows;
}

fs::path combination_file(const fs::path& folder, const std::string& method, Tier tier) {
  return folder / ("combination-" + method + "-" + tier_name(tier) + ".json");
}

void save_combination(const Combination& combination, const fs::path& file) {
  Json json{{"kind", kKind},
            {"format", kFormat},
            {"method", combination.method},
            {"tier", tier_name(combination.tier)},
            {"depth", combination.depth},
            {"model", combination.model_digest},
            {"columns", combination_columns()},
            {"weights", combination.linear.weights},
            {"intercept", combination.linear.intercept},
            {"training", combination.training_record.empty() ? Json::object()
                                                             : Json::parse(combination.training_record)}};
  io::write_file_atomically(file, json.dump(1) + "\n");
}

std::optional<Combination> load_combination(const fs::path& file, const std::string& model_digest) {
  if (!fs::exists(file)) return std::nullopt;
  const auto refuse = [&](std::string_view why) {
    fail(ErrorCode::corrupt,
         "opening the combination {}: {}; learn it again with `mustcite train combination`", file.string(),
         why);
  };
  try {
    const Json json = Json::parse(io::read_file(file, std::size_t{1} << 20));
    if (json.at("kind") != kKind || json.at("format") != kFormat ||
        json.at("columns").get<std::vector<std::string>>() != combination_columns())
      refuse("it is of another format");
    Combination combination;
    combination.method = json.at("method").get<std::string>();
    combination.tier = parse_tier(json.at("tier").get<std::string>());
    combination.depth = json.at("depth").get<std::size_t>();
    combination.model_digest = json.at("model").get<std::string>();
    combination.linear.weights = json.at("weights").get<std::vector<float>>();
    combination.linear.intercept = json.at("intercept").get<float>();
    combination.training_record = json.at("training").dump();
    if (combination.linear.weights.size() != combination_columns().size() || combination.depth == 0)
      refuse("its weights do not fit its columns");
    if (combination.model_digest != model_digest) refuse("it was learned with other weights of the model");
    return combination;
  } catch (const nlohmann::json::exception& error) {
    refuse(error.what());
  }
  return std::nullopt;
}

}  // namespace mustcite::rank
