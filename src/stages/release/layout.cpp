#include "stages/release/layout.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/hash.hpp"
#include "core/base/version.hpp"

namespace mustcite::release {
namespace {

using Json = nlohmann::ordered_json;

std::string dump_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string years_text(const Years& years) {
  return years.first == years.last ? std::to_string(years.first)
                                   : fmt::format("{}-{}", years.first, years.last);
}

Json split_json(const SplitReport& split) {
  Json json;
  json["candidates"] = split.candidates;
  json["queries"] = split.queries;
  json["without_abstract"] = split.without_abstract;
  json["without_relevant"] = split.without_relevant;
  json["queries_by_tier"] = split.queries_by_tier;
  json["pairs_by_tier"] = split.pairs_by_tier;
  return json;
}

}  // namespace

std::string qrels_path(std::string_view split, std::string_view tier) {
  return fmt::format("qrels/{}/{}.tsv", split, tier);
}

std::string corpus_line(const Paper& paper) {
  Json json;
  json["_id"] = paper.id.str();
  json["title"] = paper.title;
  json["text"] = paper.abstract;
  json["authors"] = paper.authors;
  json["venue"] = paper.venue;
  json["year"] = paper.date.year;
  if (paper.date.month != 0) json["date"] = format_date(paper.date);
  if (!paper.track.empty()) json["track"] = paper.track;
  if (!paper.url.empty()) json["url"] = paper.url;
  if (!paper.doi.empty()) json["doi"] = paper.doi;
  if (!paper.arxiv_id.empty()) json["arxiv_id"] = paper.arxiv_id;
  return dump_line(json);
}

std::string query_line(const Paper& paper, std::string_view split, int year) {
  Json json;
  json["_id"] = paper.id.str();
  json["title"] = paper.title;
  json["text"] = paper.abstract;
  json["venue"] = paper.venue;
  json["year"] = year;
  json["split"] = split;
  json["before"] = std::to_string(year);
  return dump_line(json);
}

std::string manifest_text(const Options& options, const Report& report, const std::vector<FileEntry>& files) {
  Json json;
  json["format"] = "mustcite-release";
  json["format_version"] = kFormatVersion;
  json["name"] = options.name;
  json["tool"] = fmt::format("mustcite {}", kVersion);
  Json config;
  if (!options.version.empty()) json["version"] = options.version;
  if (!options.recipe.empty()) config["recipe"] = options.recipe;
  if (!options.core_venues.empty()) {
    config["core_venues"] = options.core_venues;
    config["query_citations"] = options.query_citations == QueryCitations::count ? "count" : "ignore";
  }
  if (!options.judges.empty()) config["labels_by"] = options.judges;
  if (options.min_probability > 0) config["min_probability"] = options.min_probability;
  if (!options.readers.empty()) config["readers"] = options.readers;
  if (options.must_queries_only) config["must_queries_only"] = true;
  if (options.type4) {
    config["type4"] = true;
    config["type4_threshold"] = options.type4_threshold;
  }
  config["pool_years"] = years_text(options.pool);
  for (const auto& [split, years] : options.splits) config["query_years"][split] = years_text(years);
  config["query_venues"] = options.query_venues;
  config["type3_threshold"] = options.tiers.type3_threshold;
  config["type2_threshold"] = options.tiers.type2_threshold;
  config["with_contexts"] = options.with_contexts;
  json["config"] = config;
  json["notes"] = {{"experiments", "stand-in for Type I: the paper is mentioned in an experiments section"},
                   {"unlabelled", "an unlabelled pair is not a negative"}};
  if (!options.agreement_notes.empty()) json["agreement"] = options.agreement_notes;
  if (!options.previous.empty()) json["previous_manifest_sha256"] = sha256_file(options.previous / kManifest);
  Json counts;
  counts["corpus"] = report.corpus;
  counts["evidence"] = report.evidence;
  counts["evidence_papers"] = report.evidence_papers;
  for (const auto& [split, numbers] : report.splits) counts["splits"][split] = split_json(numbers);
  json["counts"] = counts;
  json["files"] = Json::object();
  for (const auto& file : files) json["files"][file.path] = {{"sha256", file.sha256}, {"bytes", file.bytes}};
  return json.dump(2) + "\n";
}

}  // namespace mustcite::release
