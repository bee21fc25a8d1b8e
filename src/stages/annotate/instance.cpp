#include "stages/annotate/instance.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"

namespace mustcite::annotate {
namespace {

using Json = nlohmann::ordered_json;

std::optional<int> maybe_int(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  constexpr double kMost = 1e9;
  const double value = found->is_number() ? found->get<double>() : 2 * kMost;
  if (!(std::abs(value) <= kMost) || value != std::floor(value))
    fail(ErrorCode::invalid_input, "{} is no whole number", key);
  return static_cast<int>(value);
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->get<std::string>();
}

std::optional<int> within(std::optional<int> value, int low, int high, const char* what) {
  if (value && (*value < low || *value > high))
    fail(ErrorCode::invalid_input, "{} is {}, not {} to {}", what, *value, low, high);
  return value;
}

Rating rating_from(const Json& json) {
  Rating rating;
  rating.annotator = json.at("annotator").get<std::string>();
  rating.type1 = within(maybe_int(json, "type1"), 0, 1, "a Type I label");
  rating.type2 = within(maybe_int(json, "type2"), 1, 5, "a Type II label");
  rating.note = text_of(json, "note");
  return rating;
}

struct Facts {
  std::string title;
  std::string venue;
  int year = 0;
};

}  // namespace

std::string pair_id(const PaperId& citing, const PaperId& cited) {
  return citing.str() + ">" + cited.str();
}

int mentions_of(const Instance& instance) noexcept {
  return std::max(1, instance.mentions.value_or(static_cast<int>(instance.contexts.size())));
}

std::string to_json_line(const Instance& instance) {
  Json json;
  json["instance_id"] = instance.id;
  json["citing_id"] = instance.citing.str();
  json["cited_id"] = instance.cited.str();
  json["citing_title"] = instance.citing_title;
  json["citing_venue"] = instance.citing_venue;
  json["citing_year"] = instance.citing_year;
  json["cited_title"] = instance.cited_title;
  json["cited_year"] = instance.cited_year;
  json["cited_as"] = instance.cited_as;
  if (instance.mentions) {
    json["mentions"] = *instance.mentions;
  } else {
    json["mentions"] = nullptr;
  }
  json["contexts"] = Json::array();
  for (const auto& context : instance.contexts)
    json["contexts"].push_back({{"section", context.section}, {"text", context.text}});
  if (!instance.ratings.empty()) json["labels"] = Json::array();
  for (const auto& rating : instance.ratings) {
    Json one;
    one["annotator"] = rating.annotator;
    if (rating.type1) one["type1"] = *rating.type1;
    if (rating.type2) one["type2"] = *rating.type2;
    if (!rating.note.empty()) one["note"] = rating.note;
    json["labels"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Instance instance_from_json(std::string_view line) {
  try {
    const Json json = Json::parse(line);
    Instance instance;
    instance.citing = PaperId(text_of(json, "citing_id"));
    instance.cited = PaperId(text_of(json, "cited_id"));
    instance.id = text_of(json, "instance_id");
    if (instance.id.empty() && !instance.citing.empty())
      instance.id = pair_id(instance.citing, instance.cited);
    if (instance.id.empty())
      fail(ErrorCode::invalid_input, "an instance needs instance_id, or citing_id and cited_id");
    instance.citing_title = json.at("citing_title").get<std::string>();
    instance.citing_venue = text_of(json, "citing_venue");
    instance.citing_year = maybe_int(json, "citing_year").value_or(0);
    instance.cited_title = json.at("cited_title").get<std::string>();
    instance.cited_year = maybe_int(json, "cited_year").value_or(0);
    instance.cited_as = text_of(json, "cited_as");
    instance.mentions = maybe_int(json, "mentions");
    for (const auto& context : json.at("contexts"))
      instance.contexts.push_back({text_of(context, "section"), context.at("text").get<std::string>()});
    if (json.contains("labels")) {
      for (const auto& rating : json.at("labels")) instance.ratings.push_back(rating_from(rating));
    }
    return instance;
  } catch (const Json::exception& error) {
    fail(ErrorCode::invalid_input, "not an instance: {}", error.what());
  }
}

InstanceFile read_instances(const std::filesystem::path& file) {
  InstanceFile result;
  std::unordered_set<std::string> ids;
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    try {
      Instance instance = instance_from_json(line);
      if (!ids.insert(instance.id).second)
        fail(ErrorCode::invalid_input, "the instance {} stands there twice", instance.id);
      result.instances.push_back(std::move(instance));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_input) throw;
      result.rejects.push_back(
          {file.string(), lines.line_number(), std::string(line.substr(0, 80)), error.what()});
    }
  }
  return result;
}

void each_instance(const store::Catalog& catalog, const std::function<void(Instance&&)>& visit) {
  std::unordered_map<std::string, Facts> papers;
  catalog.each_paper([&](const Paper& paper) {
    papers.emplace(paper.id.str(), Facts{paper.title, paper.venue, paper.date.year});
  });
  const auto facts_of = [&](const PaperId& id) {
    const auto found = papers.find(id.str());
    return found == papers.end() ? Facts{} : found->second;
  };
  catalog.each_citation([&](const Citation& citation) {
    const Facts citing = facts_of(citation.citing);
    const Facts cited = facts_of(citation.cited);
    Instance instance;
    instance.id = pair_id(citation.citing, citation.cited);
    instance.citing = citation.citing;
    instance.cited = citation.cited;
    instance.citing_title = citing.title;
    instance.citing_venue = citing.venue;
    instance.citing_year = citation.citing_year != 0 ? citation.citing_year : citing.year;
    instance.cited_title = cited.title;
    instance.cited_year = cited.year;
    instance.cited_as = citation.marker;
    instance.mentions = citation.mentions;
    instance.contexts = citation.contexts;
    visit(std::move(instance));
  });
}

}  // namespace mustcite::annotate
