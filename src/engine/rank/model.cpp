#include "engine/rank/model.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/rank/features.hpp"
#include "engine/rank/views.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;

std::string trees_file(Tier tier) {
  return std::string("trees-") + tier_name(tier) + ".bin";
}

std::vector<std::string> names_of(const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(feature_list()[column].name);
  return names;
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  fail(ErrorCode::corrupt, "opening the ranker in {}: {}; train it again with `mustcite train ranker`",
       folder.string(), why);
}

/// The columns with these names, which must be those of this program in the same order.
std::vector<std::size_t> columns_named(const fs::path& folder, const json& names,
                                       const std::set<std::string>& without, Stage stage) {
  const std::vector<std::size_t> columns = feature_columns(without, stage);
  const std::vector<std::string> expected = names_of(columns);
  const auto given = names.get<std::vector<std::string>>();
  for (std::size_t i = 0; i < std::max(expected.size(), given.size()); ++i) {
    const std::string ours = i < expected.size() ? expected[i] : "nothing";
    const std::string theirs = i < given.size() ? given[i] : "nothing";
    if (ours != theirs) {
      refuse(folder, "its feature list does not match this program (column " + std::to_string(i) + " is '" +
                         theirs + "', here '" + ours + "')");
    }
  }
  return columns;
}

TierModel read_tier(const fs::path& folder, Tier tier, const json& record, std::size_t width) {
  TierModel result;
  result.trees = learn::Trees::from_bytes(io::read_file(folder / trees_file(tier), std::size_t{64} << 20));
  if (result.trees.features() > width)
    refuse(folder, trees_file(tier) + " asks for more features than there are");
  std::vector<learn::Calibration::Point> points;
  for (const json& point : record.at("calibration"))
    points.push_back({point.at(0).get<float>(), point.at(1).get<float>()});
  result.calibration = learn::Calibration(std::move(points));
  result.missing_at = record.value("missing_at", 2.0);
  return result;
}

}  // namespace

std::vector<std::string> Model::column_names() const {
  std::vector<std::string> names = names_of(features);
  names.insert(names.end(), {"linear", "linear.r", "linear.rel"});
  if (!cross.recipe.empty()) names.insert(names.end(), {"cross.raw", "cross.rel", "cross.r"});
  return names;
}

std::vector<std::size_t> feature_columns(const std::set<std::string>& without, Stage stage) {
  std::vector<std::size_t> columns;
  const std::vector<FeatureInfo>& list = feature_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!without.contains(list[i].group) && (stage == Stage::trees || list[i].linear)) columns.push_back(i);
  }
  return columns;
}

void final_scores(const Model& model, const learn::Trees& trees, std::span<const float> rows,
                  std::span<float> out) {
  trees.margins(rows, model.width(), out);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] += model.blend * rows[i * model.width() + model.features.size()];
}

void save_model(const Model& model, const fs::path& folder) {
  json record;
  record["kind"] = "mustcite ranker";
  record["format"] = kFormat;
  record["feature_version"] = kFeatureVersion;
  record["without"] = model.without;
  record["features"] = names_of(model.features);
  record["linear"]["features"] = names_of(model.linear_features);
  record["linear"]["weights"] = model.linear.weights;
  record["linear"]["intercept"] = model.linear.intercept;
  record["depth"] = model.depth;
  record["blend"] = model.blend;
  for (const auto& [key, encoder] : {std::pair{"dense", &model.dense}, std::pair{"late", &model.late}}) {
    if (!encoder->recipe.empty()) record[key] = {{"recipe", encoder->recipe}, {"model", encoder->digest}};
  }
  if (!model.cross.recipe.empty()) {
    record["cross"] = {{"recipe", model.cross.recipe},
                       {"model", model.cross.digest},
                       {"folder", model.cross.folder.string()},
                       {"depth", model.cross.depth}};
  }
  io::StagedDirectory staged(folder);
  for (const auto& [tier, part] : model.tiers) {
    json points = json::array();
    for (const auto& point : part.calibration.points()) points.push_back({point.score, point.probability});
    record["tiers"][tier_name(tier)]["calibration"] = points;
    record["tiers"][tier_name(tier)]["missing_at"] = part.missing_at;
    io::write_file_atomically(staged.path() / trees_file(tier), part.trees.to_bytes());
  }
  record["training"] = model.training_record.empty() ? json::object() : json::parse(model.training_record);
  io::write_file_atomically(staged.path() / "model.json", record.dump(1) + "\n");
  staged.publish();
}

Model load_model(const fs::path& folder) {
  if (!fs::exists(folder / "model.json")) {
    fail(ErrorCode::not_found,
         "opening the ranker in {}: there is no model.json; train one with `mustcite train ranker`",
         folder.string());
  }
  try {
    const json record = json::parse(io::read_file(folder / "model.json", std::size_t{16} << 20));
    if (record.at("kind") != "mustcite ranker" || record.at("format") != kFormat)
      refuse(folder, "it is of another format");
    if (record.at("feature_version") != kFeatureVersion)
      refuse(folder, "its features are of another version");
    Model model;
    model.name = folder.filename().string();
    model.without = record.at("without").get<std::set<std::string>>();
    const auto read = [&](const char* key, Model::Encoder& encoder, const std::vector<std::string>& views) {
      if (const auto found = record.find(key); found != record.end()) {
        encoder = {found->at("recipe").get<std::string>(), found->at("model").get<std::string>()};
      } else {
        model.without.insert(views.begin(), views.end());
      }
    };
    read("dense", model.dense, dense_views());
    read("late", model.late, late_views());
    if (const auto cross = record.find("cross"); cross != record.end()) {
      model.cross.recipe = cross->at("recipe").get<std::string>();
      model.cross.digest = cross->at("model").get<std::string>();
      model.cross.folder = cross->at("folder").get<std::string>();
      model.cross.depth = cross->at("depth").get<std::size_t>();
    }
    model.features = columns_named(folder, record.at("features"), model.without, Stage::trees);
    const json& linear = record.at("linear");
    model.linear_features = columns_named(folder, linear.at("features"), model.without, Stage::linear);
    model.linear.weights = linear.at("weights").get<std::vector<float>>();
    model.linear.intercept = linear.at("intercept").get<float>();
    if (model.linear.weights.size() != model.linear_features.size())
      refuse(folder, "its linear stage has a wrong size");
    model.depth = record.at("depth").get<std::size_t>();
    model.blend = record.value("blend", 0.0F);
    for (const auto& [name, part] : record.at("tiers").items()) {
      const Tier tier = parse_tier(name);
      model.tiers[tier] = read_tier(folder, tier, part, model.width());
    }
    if (model.tiers.empty()) refuse(folder, "it has no trees");
    model.training_record = record.at("training").dump();
    return model;
  } catch (const json::exception& error) {
    refuse(folder, std::string("model.json cannot be read: ") + error.what());
  }
}

}  // namespace mustcite::rank
