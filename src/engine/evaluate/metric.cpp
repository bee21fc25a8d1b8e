#include "engine/evaluate/metric.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/ascii.hpp"
#include "core/base/config.hpp"
#include "core/base/error.hpp"

namespace mustcite::evaluate {
namespace {

struct Naming {
  Measure measure;
  const char* name;      // ours, without cutoff
  const char* trec;      // trec_eval's without cutoff; nullptr: none
  const char* trec_cut;  // trec_eval's with cutoff; nullptr: none
  bool needs_cutoff;
  bool takes_cutoff;
};

constexpr Naming kNamings[] = {
    {Measure::map, "MAP", "map", "map_cut", false, true},
    {Measure::recip_rank, "MRR", "recip_rank", nullptr, false, true},
    {Measure::ndcg, "nDCG", "ndcg", "ndcg_cut", false, true},
    {Measure::recall, "Recall", nullptr, "recall", true, true},
    {Measure::success, "HR", nullptr, "success", true, true},
    {Measure::precision, "P", nullptr, "P", true, true},
    {Measure::r_precision, "R-precision", "Rprec", nullptr, false, false},
    {Measure::bpref, "bpref", "bpref", nullptr, false, false},
};

const Naming& naming(Measure measure) {
  return *std::find_if(std::begin(kNamings), std::end(kNamings),
                       [&](const auto& n) { return n.measure == measure; });
}

/// Other spellings people use, lower case.
struct Alias {
  const char* name;
  Measure measure;
};
constexpr Alias kAliases[] = {
    {"map", Measure::map},
    {"map_cut", Measure::map},
    {"mrr", Measure::recip_rank},
    {"recip_rank", Measure::recip_rank},
    {"ndcg", Measure::ndcg},
    {"ndcg_cut", Measure::ndcg},
    {"recall", Measure::recall},
    {"r", Measure::recall},
    {"hr", Measure::success},
    {"hit", Measure::success},
    {"success", Measure::success},
    {"p", Measure::precision},
    {"precision", Measure::precision},
    {"r-precision", Measure::r_precision},
    {"rprec", Measure::r_precision},
    {"r-prec", Measure::r_precision},
    {"bpref", Measure::bpref},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::uint32_t> parse_cutoff(std::string_view text) {
  std::uint32_t cutoff = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cutoff);
  if (error != std::errc{} || end != text.data() + text.size() || cutoff == 0) return std::nullopt;
  return cutoff;
}

std::optional<Measure> find_measure(std::string_view name) {
  for (const auto& alias : kAliases) {
    if (name == alias.name) return alias.measure;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(std::string_view name, const std::string& base) {
  std::vector<std::string> known;
  for (const auto& alias : kAliases) known.emplace_back(alias.name);
  std::string hint;
  if (const auto nearest = nearest_name(base, known))
    hint = fmt::format("; did you mean {}?", naming(*find_measure(*nearest)).name);
  fail(ErrorCode::usage,
       "there is no metric {}{} Known: MAP, MAP@K, MRR, MRR@K, nDCG, nDCG@K, Recall@K, HR@K, P@K, "
       "R-precision, bpref",
       in_quotes(name), hint.empty() ? "." : hint);
}

}  // namespace

std::string Metric::name() const {
  return cutoff == 0 ? naming(measure).name : fmt::format("{}@{}", naming(measure).name, cutoff);
}

std::string Metric::trec_name() const {
  const Naming& names = naming(measure);
  if (cutoff == 0) return names.trec == nullptr ? "" : names.trec;
  return names.trec_cut == nullptr ? "" : fmt::format("{}_{}", names.trec_cut, cutoff);
}

std::string Metric::meaning(MapDenominator denominator, int relevance_level) const {
  const std::string within = cutoff == 0 ? "" : fmt::format(" among the first {}", cutoff);
  const std::string relevant =
      relevance_level == 1 ? "relevant" : fmt::format("relevant (≥ {})", relevance_level);
  switch (measure) {
    case Measure::map:
      return fmt::format("sum of the precision at each {} paper found{}, divided by {}", relevant, within,
                         cutoff != 0 && denominator == MapDenominator::capped
                             ? fmt::format("the smaller of {} and the number of relevant papers", cutoff)
                             : "the number of relevant papers");
    case Measure::recip_rank:
      return fmt::format("1 / rank of the first {} paper{}, 0 when there is none", relevant, within);
    case Measure::ndcg:
      return fmt::format("relevance / log2(rank + 1) summed{}, divided by the same sum of the ideal list",
                         within);
    case Measure::recall:
      return fmt::format("{} papers{}, divided by all relevant papers", relevant, within);
    case Measure::success:
      return fmt::format("1 when a {} paper is{}, else 0", relevant, within);
    case Measure::precision:
      return fmt::format("{} papers{}, divided by {} (shorter lists too)", relevant, within, cutoff);
    case Measure::r_precision:
      return fmt::format("{} papers among the first R, divided by R, the number of relevant papers",
                         relevant);
    case Measure::bpref:
      return "how seldom a paper judged not relevant stands before a relevant one; unjudged papers are "
             "ignored";
  }
  return "";
}

Metric parse_metric(std::string_view name) {
  const std::string text = ascii_lower(trimmed(name));
  const auto whole = find_measure(text);
  std::string base = text;
  std::optional<std::uint32_t> cutoff;
  if (const std::size_t mark = text.find_last_of("@._"); !whole && mark != std::string::npos) {
    base = text.substr(0, mark);
    cutoff = parse_cutoff(std::string_view(text).substr(mark + 1));
    if (find_measure(base) && !cutoff) {
      fail(ErrorCode::usage, "the metric {} has no usable cutoff: write a whole number above 0, as in {}@10",
           in_quotes(name), naming(*find_measure(base)).name);
    }
  }
  const auto measure = find_measure(base);
  if (!measure) refuse(name, base);
  const Naming& names = naming(*measure);
  if (!cutoff && (names.needs_cutoff || base.ends_with("_cut"))) {
    fail(ErrorCode::usage, "the metric {} needs a cutoff: write {}@10, say", in_quotes(name), names.name);
  }
  if (cutoff && !names.takes_cutoff) {
    fail(ErrorCode::usage, "the metric {} takes no cutoff: write {}", in_quotes(name), names.name);
  }
  return {*measure, cutoff.value_or(0)};
}

std::vector<Metric> parse_metrics(std::string_view names) {
  std::vector<Metric> metrics;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const auto name = trimmed(names.substr(0, comma));
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    if (name.empty()) continue;
    Metric metric;
    // A bare number repeats the measure before it with another cutoff.
    if (const auto cutoff = parse_cutoff(name); cutoff && !metrics.empty() && metrics.back().cutoff != 0) {
      metric = {metrics.back().measure, *cutoff};
    } else {
      metric = parse_metric(name);
    }
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  }
  if (metrics.empty()) fail(ErrorCode::usage, "no metric is named: write --metrics MAP,Recall@100, say");
  return metrics;
}

}  // namespace mustcite::evaluate
