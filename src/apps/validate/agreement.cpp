#include "apps/validate/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/validate/study.hpp"
#include "core/base/error.hpp"
#include "core/io/lines.hpp"

namespace mustcite::validate {
namespace {

using Json = nlohmann::ordered_json;
using learn::Weighting;

const std::vector<double> kTwo{0, 1};
const std::vector<double> kFive{1, 2, 3, 4, 5};

Agreement among(const learn::Ratings& ratings, bool is_type2, const Options& options) {
  Agreement result;
  for (std::size_t i = 0; i < ratings.items; ++i) {
    const auto row = ratings.row(i);
    const auto known = std::count_if(row.begin(), row.end(), [](double value) { return !std::isnan(value); });
    result.ratings += static_cast<std::size_t>(known);
    result.items += known >= 2 ? 1 : 0;
  }
  const auto level = is_type2 ? learn::Level::ordinal : learn::Level::nominal;
  const auto weighting = is_type2 ? Weighting::quadratic : Weighting::identity;
  const auto& scale = is_type2 ? kFive : kTwo;
  result.alpha.value = learn::krippendorff_alpha(ratings, level);
  result.alpha.interval = learn::bootstrap(ratings.items, options.resamples, options.seed,
                                           [&](std::span<const std::size_t> rows) {
                                             return learn::krippendorff_alpha(ratings.select(rows), level);
                                           });
  if (is_type2) {
    result.alpha_interval = learn::krippendorff_alpha(ratings, learn::Level::interval);
    result.within_one = learn::agreement_within(ratings, 1);
  }
  result.exact = learn::agreement_within(ratings, 0);
  result.pairwise = learn::pairwise_kappa(ratings, weighting, scale);
  result.gwet = learn::gwet_ac(ratings, weighting, scale);
  return result;
}

AgainstHumans against(const std::vector<double>& judge, const std::vector<double>& people,
                      const RatingTables& tables, bool is_type2, const Options& options) {
  const auto weighting = is_type2 ? Weighting::quadratic : Weighting::identity;
  const auto& scale = is_type2 ? kFive : kTwo;
  const auto chosen = [](const std::vector<double>& values, std::span<const std::size_t> rows) {
    std::vector<double> result;
    for (const std::size_t row : rows) result.push_back(values[row]);
    return result;
  };
  AgainstHumans result;
  for (std::size_t i = 0; i < judge.size(); ++i)
    result.items += std::isnan(judge[i]) || std::isnan(people[i]) ? 0 : 1;
  result.accuracy.value = learn::accuracy(judge, people);
  result.accuracy.interval =
      learn::bootstrap(judge.size(), options.resamples, options.seed, [&](std::span<const std::size_t> rows) {
        return learn::accuracy(chosen(judge, rows), chosen(people, rows));
      });
  result.kappa.value = learn::cohen_kappa(judge, people, weighting, scale);
  result.kappa.interval =
      learn::bootstrap(judge.size(), options.resamples, options.seed, [&](std::span<const std::size_t> rows) {
        return learn::cohen_kappa(chosen(judge, rows), chosen(people, rows), weighting, scale);
      });
  const auto& ratings = is_type2 ? tables.type2 : tables.type1;
  for (std::size_t r = 0; r < tables.raters.size(); ++r)
    result.by_rater[tables.raters[r]] = learn::cohen_kappa(judge, ratings.column(r), weighting, scale);
  return result;
}

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3f}", value);
}
std::string percent(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1f}%", 100 * value);
}
std::string pairwise(const learn::PairwiseKappa& kappa) {
  return kappa.pairs == 0 ? "-" : fmt::format("{:.3f} / {:.2f} to {:.2f}", kappa.mean, kappa.min, kappa.max);
}
std::string with_interval(const Estimate& found) {
  return std::isnan(found.value)
             ? "-"
             : fmt::format("{:.3f} ({:.3f} to {:.3f})", found.value, found.interval.low, found.interval.high);
}

Json known(double value) {
  return std::isnan(value) ? Json() : Json(value);
}
Json estimate_json(const Estimate& found) {
  return {{"value", known(found.value)},
          {"low", known(found.interval.low)},
          {"high", known(found.interval.high)}};
}
Json agreement_json(const Agreement& found) {
  return {{"items", found.items},
          {"ratings", found.ratings},
          {"alpha", estimate_json(found.alpha)},
          {"alpha_interval_level", known(found.alpha_interval)},
          {"exact", known(found.exact)},
          {"within_one", known(found.within_one)},
          {"pairs", found.pairwise.pairs},
          {"pairwise_mean", known(found.pairwise.mean)},
          {"pairwise_min", known(found.pairwise.min)},
          {"pairwise_max", known(found.pairwise.max)},
          {"gwet", known(found.gwet)}};
}
Json against_json(const AgainstHumans& found) {
  Json json{{"items", found.items},
            {"accuracy", estimate_json(found.accuracy)},
            {"kappa", estimate_json(found.kappa)}};
  for (const auto& [rater, kappa] : found.by_rater) json["kappa_by_rater"][rater] = known(kappa);
  return json;
}

}  // namespace

RatingTables tables_of(const std::vector<annotate::Instance>& instances) {
  std::set<std::string> names;
  for (const auto& instance : instances) {
    for (const auto& rating : instance.ratings) {
      if (rating.annotator != kAdjudicator) names.insert(rating.annotator);
    }
  }
  RatingTables tables;
  tables.raters.assign(names.begin(), names.end());
  const std::vector<double> nothing(instances.size() * names.size(), learn::kMissing);
  tables.type1 = {instances.size(), names.size(), nothing};
  tables.type2 = {instances.size(), names.size(), nothing};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const auto& rating : instances[i].ratings) {
      const auto found = std::lower_bound(tables.raters.begin(), tables.raters.end(), rating.annotator);
      if (found == tables.raters.end() || *found != rating.annotator) continue;
      const std::size_t cell = i * names.size() + static_cast<std::size_t>(found - tables.raters.begin());
      if (rating.type1) tables.type1.values[cell] = *rating.type1;
      if (rating.type2) tables.type2.values[cell] = *rating.type2;
    }
  }
  return tables;
}

Report measure(const std::vector<annotate::Instance>& instances, const JudgeValues& judge,
               const Options& options) {
  Report report;
  report.tables = tables_of(instances);
  report.type1 = among(report.tables.type1, false, options);
  report.type2 = among(report.tables.type2, true, options);
  report.has_judge = !judge.empty();
  if (!report.has_judge) return report;
  std::vector<double> said1, said2;
  for (const auto& instance : instances) {
    const auto found = judge.find(instance.id);
    said1.push_back(found == judge.end() ? learn::kMissing : found->second.first);
    said2.push_back(found == judge.end() ? learn::kMissing : found->second.second);
  }
  report.judge1 =
      against(said1, learn::majority(report.tables.type1, learn::Ties::high), report.tables, false, options);
  report.judge2 = against(said2, learn::median(report.tables.type2), report.tables, true, options);
  return report;
}

std::string render(const Report& report) {
  std::string text = fmt::format("{} raters, {} instances with two ratings or more\n\n",
                                 report.tables.raters.size(), report.type1.items);
  text +=
      fmt::format("          {:<30}  {}\n", "Inter-annotator (alpha)", report.has_judge ? "Judge-human" : "");
  text += fmt::format("Type I    {:<30}  {}\n", with_interval(report.type1.alpha),
                      report.has_judge ? with_interval(report.judge1.accuracy) + " accuracy" : "");
  text += fmt::format("Type II   {:<30}  {}\n\n", with_interval(report.type2.alpha),
                      report.has_judge ? with_interval(report.judge2.kappa) + " quadratic kappa" : "");
  text += fmt::format("{:<42}  {:<22}  {}\n", "", "Type I", "Type II");
  const auto row = [&](const char* name, const std::string& first, const std::string& second) {
    text += fmt::format("{:<42}  {:<22}  {}\n", name, first, second);
  };
  row("Krippendorff's alpha (nominal)", number(report.type1.alpha.value), "-");
  row("Krippendorff's alpha (ordinal)", "-", number(report.type2.alpha.value));
  row("Krippendorff's alpha (interval)", "-", number(report.type2.alpha_interval));
  row("exact agreement (all raters on an item)", percent(report.type1.exact), percent(report.type2.exact));
  row("within 1 (all raters on an item)", "-", percent(report.type2.within_one));
  row("pairwise Cohen's kappa (mean / min to max)", pairwise(report.type1.pairwise), "-");
  row("pairwise weighted kappa (mean / min to max)", "-", pairwise(report.type2.pairwise));
  row("Gwet's AC1 / AC2 (quadratic)", number(report.type1.gwet), number(report.type2.gwet));
  text +=
      fmt::format("\nBy the words of Landis and Koch: Type I {}, Type II {}.\n",
                  learn::landis_koch(report.type1.alpha.value), learn::landis_koch(report.type2.alpha.value));
  if (!report.has_judge) return text;
  text += fmt::format(
      "\nJudge: Type I accuracy {} and kappa {} against the majority ({} items);\n       Type II accuracy {} "
      "and quadratic kappa {} against the median ({} items).\n",
      with_interval(report.judge1.accuracy), with_interval(report.judge1.kappa), report.judge1.items,
      with_interval(report.judge2.accuracy), with_interval(report.judge2.kappa), report.judge2.items);
  for (const auto& [rater, kappa] : report.judge1.by_rater)
    text += fmt::format("       against {}: kappa {} and quadratic kappa {}\n", rater, number(kappa),
                        number(report.judge2.by_rater.at(rater)));
  return text;
}

std::vector<std::string> card_lines(const Report& report, const std::string& source) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Raters ({}): {} raters, {} citations with two ratings or more.", source,
                              report.tables.raters.size(), report.type1.items));
  lines.push_back(fmt::format(
      "Agreement of the raters: Type I alpha {}, exact {}, mean pairwise kappa {}; Type II ordinal alpha {}, "
      "exact {}, "
      "within one {}, mean pairwise quadratic kappa {}. Intervals are the central 95 % of bootstrap "
      "resamples.",
      with_interval(report.type1.alpha), percent(report.type1.exact), number(report.type1.pairwise.mean),
      with_interval(report.type2.alpha), percent(report.type2.exact), percent(report.type2.within_one),
      number(report.type2.pairwise.mean)));
  if (!report.has_judge || report.judge1.items + report.judge2.items == 0) return lines;
  lines.push_back(
      fmt::format("These labels against the raters: Type I accuracy {} and kappa {} against the majority of "
                  "{} citations; Type II "
                  "quadratic kappa {} against the median of {}.",
                  with_interval(report.judge1.accuracy), with_interval(report.judge1.kappa),
                  report.judge1.items, with_interval(report.judge2.kappa), report.judge2.items));
  return lines;
}

std::string render_json(const Report& report) {
  Json json{{"raters", report.tables.raters},
            {"type1", agreement_json(report.type1)},
            {"type2", agreement_json(report.type2)}};
  if (report.has_judge)
    json["judge"] = {{"type1", against_json(report.judge1)}, {"type2", against_json(report.judge2)}};
  return json.dump(2) + "\n";
}

JudgeValues read_judge(const std::string& file) {
  JudgeValues values;
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("instance_id"))
      fail(ErrorCode::invalid_input,
           "{} line {} is no label of a judge: it needs instance_id, type1 and type2", file,
           lines.line_number());
    const auto value = [&](const char* key) {
      return json.contains(key) && json[key].is_number() ? json[key].get<double>() : learn::kMissing;
    };
    values[json["instance_id"].get<std::string>()] = {value("type1"), value("type2")};
  }
  return values;
}

}  // namespace mustcite::validate
