#include "engine/baseline/model_card.hpp"

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace mustcite::baseline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "mustcite-baseline";
constexpr int kVersion = 1;

Json measurements_json(const std::vector<Measurement>& measurements) {
  Json list = Json::array();
  for (const auto& one : measurements) {
    list.push_back({{"stage", one.stage},
                    {"epoch", one.epoch},
                    {"loss", one.loss},
                    {"recall_100", one.recall_100},
                    {"mrr", one.mrr}});
  }
  return list;
}

}  // namespace

void write_card(const Card& card, const fs::path& folder) {
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"name", card.name},
                  {"baseline", card.baseline},
                  {"seed", card.seed},
                  {"until", card.until},
                  {"snapshot", card.snapshot},
                  {"release", card.release},
                  {"revision", card.revision},
                  {"features", card.features},
                  {"features_digest", card.features_digest},
                  {"weights_digest", sha256_file(folder / kWeightsFile)},
                  {"weights", card.weights},
                  {"train_examples", card.train_examples},
                  {"held_out_examples", card.held_out_examples},
                  {"measurements", measurements_json(card.measurements)},
                  {"seconds", card.seconds},
                  {"peak_bytes", card.peak_bytes},
                  {"recipe", card.recipe}};
  io::write_file_atomically(folder / kCardFile, json.dump(1) + "\n");
}

Card read_card(const fs::path& folder) {
  const fs::path file = folder / kCardFile;
  if (!fs::exists(file)) {
    fail(ErrorCode::not_found, "there is no trained model in {}: `mustcite train {}` makes one",
         folder.string(), folder.filename().string());
  }
  const Json json = Json::parse(io::read_file(file, std::size_t{64} << 20), nullptr, false);
  Card card;
  try {
    if (json.at("format") != kFormat || json.at("version") != kVersion)
      fail(ErrorCode::corrupt, "{} is of another version: train the model anew", file.string());
    card.name = json.at("name").get<std::string>();
    card.baseline = json.at("baseline").get<std::string>();
    card.seed = json.at("seed").get<std::uint64_t>();
    card.until = json.at("until").get<int>();
    card.snapshot = json.at("snapshot").get<std::string>();
    card.release = json.at("release").get<std::string>();
    card.revision = json.at("revision").get<std::string>();
    card.features = json.at("features").get<std::string>();
    card.features_digest = json.at("features_digest").get<std::string>();
    card.weights_digest = json.at("weights_digest").get<std::string>();
    card.weights = json.at("weights").get<std::uint64_t>();
    card.train_examples = json.at("train_examples").get<std::size_t>();
    card.held_out_examples = json.at("held_out_examples").get<std::size_t>();
    card.seconds = json.at("seconds").get<double>();
    card.peak_bytes = json.at("peak_bytes").get<std::uint64_t>();
    card.recipe = json.at("recipe").get<std::string>();
    for (const auto& one : json.at("measurements")) {
      card.measurements.push_back({one.at("stage").get<std::string>(), one.at("epoch").get<std::size_t>(),
                                   one.at("loss").get<double>(), one.at("recall_100").get<double>(),
                                   one.at("mrr").get<double>()});
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::corrupt, "cannot read {}: {}; train the model anew", file.string(), error.what());
  }
  return card;
}

void check_card(const Card& card, const fs::path& folder, const std::string& snapshot_digest) {
  if (card.snapshot != snapshot_digest) {
    fail(ErrorCode::corrupt,
         "the model {} was trained on other documents than the index holds: train it anew with `mustcite "
         "train "
         "{}`",
         folder.string(), card.name);
  }
  if (!fs::exists(folder / kWeightsFile) || sha256_file(folder / kWeightsFile) != card.weights_digest) {
    fail(ErrorCode::corrupt, "the weights in {} are damaged: train the model anew with `mustcite train {}`",
         folder.string(), card.name);
  }
}

}  // namespace mustcite::baseline
