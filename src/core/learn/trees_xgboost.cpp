#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/learn/trees.hpp"

namespace mustcite::learn {

/// Turns one tree of XGBoost's JSON (parallel arrays, any node order) into ours (siblings adjacent, parents
/// first).
class XgboostReader {
 public:
  static Trees read(std::string_view text) {
    const nlohmann::json model = nlohmann::json::parse(text);
    const nlohmann::json& learner = model.at("learner");
    const auto number = [](const nlohmann::json& value) {
      return value.is_string() ? std::stof(value.get<std::string>()) : value.get<float>();
    };
    Trees trees;
    const nlohmann::json& param = learner.at("learner_model_param");
    trees.features_ = static_cast<std::size_t>(number(param.at("num_feature")));
    if (number(param.at("num_class")) > 1)
      fail(ErrorCode::corrupt, "reading an XGBoost model: it has several classes");
    const float base = number(param.at("base_score"));
    const std::string objective = learner.at("objective").at("name").get<std::string>();
    const bool logistic = objective == "binary:logistic" || objective == "reg:logistic";
    trees.link_ = logistic ? Trees::Link::logistic : Trees::Link::identity;
    // The base score of a logistic model is written as a probability.
    trees.base_ = logistic ? -std::log(1.0F / base - 1.0F) : base;
    for (const nlohmann::json& tree : learner.at("gradient_booster").at("model").at("trees")) {
      trees.add_tree(convert(tree));
    }
    trees.finish();
    return trees;
  }

 private:
  static std::vector<Trees::Node> convert(const nlohmann::json& tree) {
    const auto left = tree.at("left_children").get<std::vector<int>>();
    const auto right = tree.at("right_children").get<std::vector<int>>();
    const auto feature = tree.at("split_indices").get<std::vector<std::uint32_t>>();
    const auto value = tree.at("split_conditions").get<std::vector<float>>();
    const auto cover = tree.at("sum_hessian").get<std::vector<double>>();
    std::vector<bool> missing_left;
    for (const nlohmann::json& flag : tree.at("default_left")) {
      missing_left.push_back(flag.is_boolean() ? flag.get<bool>() : flag.get<int>() != 0);
    }
    const std::size_t size = left.size();
    if (size == 0 || right.size() != size || feature.size() != size || value.size() != size ||
        cover.size() != size || missing_left.size() != size) {
      fail(ErrorCode::corrupt, "reading an XGBoost model: the arrays of a tree differ in length");
    }
    std::vector<Trees::Node> nodes(1);
    std::vector<std::size_t> source{0};  // of each of our nodes: its index in XGBoost's arrays
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      const std::size_t from = source[at];
      nodes[at].value = value[from];
      nodes[at].mean = value[from];
      nodes[at].child = static_cast<std::uint32_t>(at);
      if (left[from] < 0) continue;
      if (nodes.size() > size || static_cast<std::size_t>(left[from]) >= size || right[from] < 0 ||
          static_cast<std::size_t>(right[from]) >= size) {
        fail(ErrorCode::corrupt, "reading an XGBoost model: a tree has a wrong child");
      }
      nodes[at].feature = feature[from] | (missing_left[from] ? Trees::kMissingLeft : 0U);
      nodes[at].child = static_cast<std::uint32_t>(nodes.size());
      source.push_back(static_cast<std::size_t>(left[from]));
      source.push_back(static_cast<std::size_t>(right[from]));
      nodes.resize(nodes.size() + 2);
    }
    for (std::size_t at = nodes.size(); at-- > 0;) {
      const std::uint32_t child = nodes[at].child;
      if (child == at) continue;
      const double a = cover[source[child]];
      const double b = cover[source[child + 1]];
      const double total = a + b > 0 ? a + b : 1.0;
      nodes[at].mean = static_cast<float>((a * nodes[child].mean + b * nodes[child + 1].mean) / total);
    }
    return nodes;
  }
};

Trees Trees::from_xgboost_json(std::string_view json) {
  try {
    return XgboostReader::read(json);
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::corrupt, "reading an XGBoost model: {}", error.what());
  } catch (const std::logic_error& error) {  // a number that is none
    fail(ErrorCode::corrupt, "reading an XGBoost model: {}", error.what());
  }
}

}  // namespace mustcite::learn
