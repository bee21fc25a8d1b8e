#include "engine/baseline/checkpoint.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::baseline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kStanding = "standing.json";

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::string fingerprint)
    : folder_(std::move(folder)), fingerprint_(std::move(fingerprint)) {
  fs::create_directories(folder_);
}

fs::path Checkpoints::state(std::size_t stage, std::size_t epoch) const {
  return folder_ / fmt::format("state-{}-{}.safetensors", stage, epoch);
}

std::optional<Standing> Checkpoints::resume(Learner& learner) const {
  const fs::path file = folder_ / kStanding;
  if (!fs::exists(file)) return std::nullopt;
  const Json json = Json::parse(io::read_file(file, std::size_t{64} << 20), nullptr, false);
  Standing standing;
  try {
    if (json.at("fingerprint").get<std::string>() != fingerprint_) {
      fail(ErrorCode::invalid_input,
           "the checkpoint in {} belongs to another recipe, release or seed; remove the folder to start anew",
           folder_.string());
    }
    standing.stage = json.at("stage").get<std::size_t>();
    standing.epoch = json.at("epoch").get<std::size_t>();
    standing.best = json.at("best").get<std::size_t>();
    standing.worse_in_a_row = json.at("worse_in_a_row").get<std::size_t>();
    standing.seconds = json.at("seconds").get<double>();
    standing.peak_bytes = json.at("peak_bytes").get<std::uint64_t>();
    for (const auto& one : json.at("measurements")) {
      standing.measurements.push_back({one.at("stage").get<std::string>(), one.at("epoch").get<std::size_t>(),
                                       one.at("loss").get<double>(), one.at("recall_100").get<double>(),
                                       one.at("mrr").get<double>()});
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::corrupt, "cannot go on from the checkpoint {}: {}; remove the folder to start anew",
         file.string(), error.what());
  }
  learner.load_state(state(standing.stage, standing.epoch));
  return standing;
}

void Checkpoints::save(const Standing& standing, const Learner& learner) const {
  const fs::path now = state(standing.stage, standing.epoch);
  learner.save_state(now);
  Json json{{"fingerprint", fingerprint_},
            {"stage", standing.stage},
            {"epoch", standing.epoch},
            {"best", standing.best},
            {"worse_in_a_row", standing.worse_in_a_row},
            {"seconds", standing.seconds},
            {"peak_bytes", standing.peak_bytes},
            {"measurements", Json::array()}};
  for (const auto& one : standing.measurements) {
    json["measurements"].push_back({{"stage", one.stage},
                                    {"epoch", one.epoch},
                                    {"loss", one.loss},
                                    {"recall_100", one.recall_100},
                                    {"mrr", one.mrr}});
  }
  io::write_file_atomically(folder_ / kStanding, json.dump(1) + "\n");
  const fs::path best = state(standing.stage, standing.best);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path() != now && entry.path() != best && entry.path().extension() == ".safetensors")
      fs::remove(entry.path());
  }
}

void Checkpoints::load_best(const Standing& standing, Learner& learner) const {
  learner.load_state(state(standing.stage, standing.best));
}

}  // namespace mustcite::baseline
