#include "engine/train/checkpoint.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kStanding = "standing.json";

}  // namespace

std::size_t Standing::best() const noexcept {
  const auto value = [&](std::size_t i) {
    return metric == Recipe::Dev::Metric::r_precision ? measurements[i].r_precision
                                                      : measurements[i].quality();
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < measurements.size(); ++i) {
    if (value(i) > value(best)) best = i;
  }
  return best;
}

Checkpoints::Checkpoints(fs::path folder, std::string fingerprint)
    : folder_(std::move(folder)), fingerprint_(std::move(fingerprint)) {
  fs::create_directories(folder_);
}

fs::path Checkpoints::state(const std::string& kind, std::size_t step) const {
  return folder_ / fmt::format("{}-{}.safetensors", kind, step);
}

void Checkpoints::remove_others(const std::string& kind, std::size_t step) const {
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().filename().string().starts_with(kind + "-") && entry.path() != state(kind, step)) {
      fs::remove(entry.path());
    }
  }
}

std::optional<Standing> Checkpoints::resume(Learner& learner) const {
  const fs::path file = folder_ / kStanding;
  if (!fs::exists(file)) return std::nullopt;
  const Json json = Json::parse(io::read_file(file, std::size_t{64} << 20), nullptr, false);
  Standing standing;
  try {
    if (json.at("fingerprint").get<std::string>() != fingerprint_) {
      fail(
          ErrorCode::invalid_input,
          "the checkpoint in {} belongs to another recipe, release or model; remove the folder to start anew",
          folder_.string());
    }
    standing.step = json.at("step").get<std::size_t>();
    standing.loss_sum = json.at("loss_sum").get<double>();
    standing.loss_count = json.at("loss_count").get<std::size_t>();
    standing.worse_in_a_row = json.at("worse_in_a_row").get<std::size_t>();
    for (const auto& one : json.at("measurements")) {
      standing.measurements.push_back({one.at("step").get<std::size_t>(), one.at("recall_100").get<double>(),
                                       one.at("mrr").get<double>(), one.at("loss").get<double>(),
                                       std::nullopt, one.value("r_precision", 0.0)});
      if (one.contains("ndcg_10")) standing.measurements.back().ndcg_10 = one["ndcg_10"].get<double>();
    }
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::corrupt, "cannot go on from the checkpoint {}: {}; remove the folder to start anew",
         file.string(), error.what());
  }
  learner.load_state(state("state", standing.step));
  return standing;
}

void Checkpoints::save(const Standing& standing, const Learner& learner) const {
  learner.save_state(state("state", standing.step));
  Json json{{"fingerprint", fingerprint_},
            {"step", standing.step},
            {"loss_sum", standing.loss_sum},
            {"loss_count", standing.loss_count},
            {"worse_in_a_row", standing.worse_in_a_row},
            {"measurements", Json::array()}};
  for (const auto& one : standing.measurements) {
    json["measurements"].push_back({{"step", one.step},
                                    {"recall_100", one.recall_100},
                                    {"mrr", one.mrr},
                                    {"r_precision", one.r_precision},
                                    {"loss", one.loss}});
    if (one.ndcg_10) json["measurements"].back()["ndcg_10"] = *one.ndcg_10;
  }
  io::write_file_atomically(folder_ / kStanding, json.dump(1) + "\n");
  remove_others("state", standing.step);
  if (!standing.measurements.empty()) remove_others("best", standing.measurements[standing.best()].step);
}

void Checkpoints::save_best(const Learner& learner, std::size_t step) const {
  learner.save_state(state("best", step));
}

void Checkpoints::load_best(Learner& learner, std::size_t step) const {
  learner.load_state(state("best", step));
}

void Checkpoints::remove() const {
  fs::remove_all(folder_);
}

}  // namespace mustcite::train
