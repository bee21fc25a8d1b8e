#include "stages/annotate/local_judge.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace mustcite::annotate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelFile = "model.json";
constexpr const char* kSentencesFile = "sentences.bin";
constexpr int kFormat = 1;

double probability(const LocalJudge::Question& question, std::span<const float> row) {
  return question.calibration(question.linear.score(row));
}

Json to_json(const LocalJudge::Question& question) {
  return {{"weights", question.linear.weights},
          {"intercept", question.linear.intercept},
          {"slope", question.calibration.slope},
          {"offset", question.calibration.offset}};
}

LocalJudge::Question question_from(const Json& json) {
  LocalJudge::Question question;
  question.linear.weights = json.at("weights").get<std::vector<float>>();
  question.linear.intercept = json.at("intercept").get<float>();
  question.calibration.slope = json.at("slope").get<double>();
  question.calibration.offset = json.at("offset").get<double>();
  if (question.linear.weights.size() != feature_names().size()) throw std::out_of_range("weights");
  return question;
}

}  // namespace

LocalVerdict LocalJudge::judge_row(std::span<const float> row) const {
  LocalVerdict verdict;
  verdict.type1 = probability(type1, row);
  verdict.type1_value = verdict.type1 >= type1_cut ? 1 : 0;
  std::array<double, 4> at_least{};
  double last = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    // The questions were learnt apart: a higher level is never likelier than a lower one.
    at_least[k] = std::min(last, probability(type2[k], row));
    last = at_least[k];
  }
  verdict.type2 = {1 - at_least[0], at_least[0] - at_least[1], at_least[1] - at_least[2],
                   at_least[2] - at_least[3], at_least[3]};
  const double expected = 1 + at_least[0] + at_least[1] + at_least[2] + at_least[3];
  verdict.type2_value = 1;
  for (const double cut : type2_cuts) verdict.type2_value += expected >= cut ? 1 : 0;
  return verdict;
}

LocalVerdict LocalJudge::judge(const Instance& instance) const {
  return judge_row(features_of(instance, &sentences));
}

std::vector<LocalJudge::Pull> LocalJudge::explain(const Instance& instance) const {
  const auto row = features_of(instance, &sentences);
  std::vector<Pull> pulls;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float distance = row[i] - (means.empty() ? 0.0F : means[i]);
    Pull pull{feature_names()[i], row[i], type1.linear.weights[i] * distance, 0};
    for (const auto& question : type2) pull.type2 += question.linear.weights[i] * distance / 4;
    pulls.push_back(std::move(pull));
  }
  std::stable_sort(pulls.begin(), pulls.end(), [](const Pull& a, const Pull& b) {
    return std::max(std::abs(a.type1), std::abs(a.type2)) > std::max(std::abs(b.type1), std::abs(b.type2));
  });
  return pulls;
}

void LocalJudge::save(const std::filesystem::path& folder, const std::string& training_record_json) const {
  io::StagedDirectory staged(folder);
  Json json;
  json["format"] = "mustcite-local-judge";
  json["format_version"] = kFormat;
  json["features"] = feature_names();
  json["means"] = means;
  json["type1"] = to_json(type1);
  json["type1_cut"] = type1_cut;
  json["type2"] = Json::array();
  for (const auto& question : type2) json["type2"].push_back(to_json(question));
  json["type2_cuts"] = type2_cuts;
  const std::string bytes = sentences.to_bytes();
  json["sentences_sha256"] = sha256_hex(bytes);
  json["training"] = Json::parse(training_record_json);
  io::write_file_atomically(staged.path() / kSentencesFile, bytes);
  io::write_file_atomically(staged.path() / kModelFile, json.dump(1) + "\n");
  staged.publish();
}

LocalJudge LocalJudge::load(const std::filesystem::path& folder) {
  const auto file = folder / kModelFile;
  if (!std::filesystem::exists(file)) {
    fail(ErrorCode::not_found,
         "there is no local judge in {}: it has no {}; train one with `mustcite annotate train`",
         folder.string(), kModelFile);
  }
  const std::string text = io::read_file(file, std::size_t{16} << 20);
  const std::string bytes = io::read_file(folder / kSentencesFile, std::size_t{16} << 20);
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != "mustcite-local-judge" || json.at("format_version") != kFormat ||
        json.at("features").get<std::vector<std::string>>() != feature_names()) {
      fail(ErrorCode::corrupt,
           "{} was made for other features than this program has; train it again with `mustcite annotate "
           "train`",
           file.string());
    }
    if (json.at("sentences_sha256") != sha256_hex(bytes)) {
      fail(ErrorCode::corrupt, "{} and {} do not belong together; install the model again", file.string(),
           kSentencesFile);
    }
    LocalJudge judge;
    judge.sentences = SentenceModel::from_bytes(bytes);
    judge.means = json.at("means").get<std::vector<float>>();
    if (judge.means.size() != feature_names().size()) throw std::out_of_range("means");
    judge.type1 = question_from(json.at("type1"));
    judge.type1_cut = json.at("type1_cut").get<double>();
    for (std::size_t k = 0; k < 4; ++k) judge.type2[k] = question_from(json.at("type2").at(k));
    judge.type2_cuts = json.at("type2_cuts").get<std::array<double, 4>>();
    judge.name_ = "local-" + sha256_hex(text).substr(0, 12);
    return judge;
  } catch (const Json::exception& error) {
    fail(ErrorCode::corrupt, "{} is no local judge ({}); install the model again", file.string(),
         error.what());
  } catch (const std::out_of_range&) {
    fail(ErrorCode::corrupt, "{} has weights of another size than its features; install the model again",
         file.string());
  }
}

}  // namespace mustcite::annotate
