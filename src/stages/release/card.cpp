#include "stages/release/card.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/version.hpp"
#include "core/text/bar_chart.hpp"

namespace mustcite::release {
namespace {

using text::Bar;

std::string years_text(const Years& years) {
  return years.first == years.last ? std::to_string(years.first)
                                   : fmt::format("{} to {}", years.first, years.last);
}

std::vector<Bar> largest(const std::map<std::string, std::uint64_t>& counts, std::size_t most) {
  std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Bar> bars;
  double rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto count = static_cast<double>(order[i].second);
    if (i < most) {
      bars.push_back({order[i].first.empty() ? "(none)" : order[i].first, count});
    } else {
      rest += count;
    }
  }
  if (rest > 0) bars.push_back({"others", rest});
  return bars;
}

std::vector<Bar> mention_bars(const std::map<int, std::uint64_t>& mentions) {
  std::vector<Bar> bars;
  for (int count = 1; count <= kMostMentions; ++count) {
    const auto found = mentions.find(count);
    bars.push_back({count == kMostMentions ? std::to_string(count) + "+" : std::to_string(count),
                    found == mentions.end() ? 0.0 : static_cast<double>(found->second)});
  }
  return bars;
}

std::vector<Bar> value_bars(const std::map<int, std::uint64_t>& values, int first, int last) {
  std::vector<Bar> bars;
  for (int value = first; value <= last; ++value) {
    const auto found = values.find(value);
    bars.push_back({std::to_string(value), found == values.end() ? 0.0 : static_cast<double>(found->second)});
  }
  return bars;
}

void add_tasks(const Options& options, const Report& report, std::string& card) {
  card +=
      "## Queries and judgements\n\n| split | years | citing papers | queries | without abstract | without a "
      "relevant paper |\n|---|---|---|---|---|---|\n";
  for (const auto& [split, numbers] : report.splits) {
    card +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", split, years_text(options.splits.at(split)),
                    numbers.candidates, numbers.queries, numbers.without_abstract, numbers.without_relevant);
  }
  card += "\n| split | tier | queries | pairs |\n|---|---|---|---|\n";
  for (const auto& [split, numbers] : report.splits) {
    for (const auto& [tier, queries] : numbers.queries_by_tier)
      card += fmt::format("| {} | {} | {} | {} |\n", split, tier, queries, numbers.pairs_by_tier.at(tier));
  }
  card +=
      "\n`graded` holds 1 for a citation and one more for each of Type I, II and III that it reaches. "
      "`mask/` names, per "
      "split, the pairs that a judge has not labelled: they are unknown, not negative.\n\n";
}

/// How many of the judged pairs a judge has labelled.
void add_labelled_share(const Report& report, const CardFacts& facts, std::string& card) {
  for (const auto& [split, tiers] : facts.labelled_pairs) {
    for (const auto& [tier, labelled] : tiers) {
      if (!facts.label_sources.contains(tier)) continue;
      const auto pairs = report.splits.at(split).pairs_by_tier.at(tier_name(Tier::all));
      card += fmt::format("- {}: {} of the {} pairs of {} are labelled, the others masked.\n",
                          tier == Tier::type1 ? "Type I" : "Type II", labelled, pairs, split);
    }
  }
}

/// What Type IV means and how many queries it can say something about.
void add_core_citations(const Options& options, const Report& report, const CardFacts& facts, std::string& card) {
  if (!options.type4) return;
  card += fmt::format(
      "- Type IV (core citation): at least {} later papers that cite the query cite the paper too. A later paper is one "
      "of the query's year or after; for training queries only the evidence counts. It does not enter `must` or "
      "`graded`.\n",
      options.type4_threshold);
  for (const auto& [split, core] : facts.core_citations) {
    card += fmt::format(
        "- Type IV, {}: {} of {} queries are cited by that many later papers ({} such citations in all); the pairs of the "
        "others are masked.\n",
        split, core.known_queries, report.splits.at(split).queries, core.later_papers);
  }
}

void add_labels(const Options& options, const Report& report, const CardFacts& facts, std::string& card) {
  card += "## Labels\n\n";
  card += fmt::format("- Type III: mentioned at least {} times. Exact where the mentions could be located.\n",
                      options.tiers.type3_threshold);
  card += "- `experiments`: mentioned in an experiments section. A stand-in for Type I, not a label.\n";
  card +=
      facts.label_sources.contains(Tier::type1)
          ? "- `must`: Type I, II or III. The stand-in does not count, since there are labels of Type I.\n"
          : "- `must`: Type II or III, or the stand-in for Type I.\n";
  for (const auto& [tier, source] : facts.label_sources) {
    std::uint64_t total = 0;
    for (const auto& [value, count] : facts.label_values.at(tier)) total += count;
    card += fmt::format("- {}: {} labels by {}:", tier == Tier::type1 ? "Type I" : "Type II", total, source);
    for (const auto& [value, count] : facts.label_values.at(tier))
      card += fmt::format(
          " {} {:.1f} %,", value,
          100.0 * static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(total, 1)));
    card.back() = '.';
    card += tier == Tier::type2
                ? fmt::format(" {} and more count as must-cite.\n", options.tiers.type2_threshold)
                : "\n";
  }
  add_core_citations(options, report, facts, card);
  add_labelled_share(report, facts, card);
  if (facts.label_sources.empty()) card += "- Types I and II: the catalog had no labels.\n";
  if (options.min_probability > 0)
    card += fmt::format("- {} labels below the probability {} were left out.\n", facts.labels_unsure,
                        options.min_probability);
  for (const auto& note : options.agreement_notes) card += "- " + note + "\n";
  card +=
      "\nLabels of a model are a model's opinion. They carry its biases, and agreement with people has to be "
      "measured "
      "for each judge and definition.\n\n";
  if (facts.label_sources.contains(Tier::type1)) card += "![Type I](figures/type1.svg)\n\n";
  if (facts.label_sources.contains(Tier::type2)) card += "![Type II](figures/type2.svg)\n\n";
  card += "![Mentions](figures/mentions.svg)\n\n";
  if (facts.mentions_unknown > 0)
    card += fmt::format(
        "For {} evidence citations the mentions could not be located; the figure leaves them out.\n\n",
        facts.mentions_unknown);
}

/// Papers of the largest venues, year by year; many years are drawn together at the old end.
void add_venue_years(const CardFacts& facts, std::string& card) {
  constexpr std::size_t kMostYears = 12;
  constexpr std::size_t kMostVenues = 20;
  std::vector<int> years;
  for (const auto& [year, count] : facts.corpus_by_year) years.push_back(year);
  const int first = years.empty() ? 0 : years[years.size() > kMostYears ? years.size() - kMostYears : 0];
  const bool older = !years.empty() && years.front() < first;
  card += older ? fmt::format("| venue | papers | before {} |", first) : "| venue | papers |";
  std::string rule = older ? "|---|---|---|" : "|---|---|";
  for (const int year : years) {
    if (year < first) continue;
    card += fmt::format(" {} |", year);
    rule += "---|";
  }
  card += "\n" + rule + "\n";
  const auto add_row = [&](const std::string& name, const std::map<int, std::uint64_t>& counts) {
    std::uint64_t total = 0;
    std::uint64_t before = 0;
    for (const auto& [year, count] : counts) {
      total += count;
      before += year < first ? count : 0;
    }
    card += fmt::format("| {} | {} |", name, total);
    if (older) card += fmt::format(" {} |", before);
    for (const int year : years) {
      if (year < first) continue;
      const auto found = counts.find(year);
      card += fmt::format(" {} |", found == counts.end() ? 0 : found->second);
    }
    card += "\n";
  };
  std::map<int, std::uint64_t> others = facts.corpus_by_year;
  for (const auto& bar : largest(facts.corpus_by_venue, kMostVenues)) {
    const auto venue = facts.corpus_by_venue_and_year.find(bar.label == "(none)" ? "" : bar.label);
    if (venue == facts.corpus_by_venue_and_year.end()) continue;
    add_row(bar.label, venue->second);
    for (const auto& [year, count] : venue->second) others[year] -= count;
  }
  if (facts.corpus_by_venue.size() > kMostVenues) add_row("others", others);
  add_row("all", facts.corpus_by_year);
  card += "\n";
}

void add_coverage(const Options& options, const CardFacts& facts, std::string& card) {
  card +=
      "## Coverage\n\nWho read the citing papers behind evidence and queries, and their citations of pool "
      "papers "
      "(`imported`: the citations came as data):\n\n| reader | citing papers | citations | mentions located "
      "| with citing sentences "
      "|\n|---|---|---|---|---|\n";
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
  };
  for (const auto& [reader, found] : facts.by_reader) {
    card +=
        fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % |\n", reader, found.papers, found.citations,
                    percent(found.located, found.citations), percent(found.with_sentences, found.citations));
  }
  if (!options.readers.empty())
    card += fmt::format("\nOnly papers read by {} were used.\n", fmt::join(options.readers, ", "));
  card += "\n";
}

void add_changes(const Difference& changes, std::string& card) {
  card += fmt::format("## What changed since {}\n\n", changes.before);
  for (const auto& option : changes.options) card += fmt::format("- {}\n", option);
  if (changes.files.empty()) {
    card += "\nCorpus, queries and judgements are the same.\n\n";
    return;
  }
  card += "\n| file | kept | added | removed |\n|---|---|---|---|\n";
  for (const auto& file : changes.files)
    card += fmt::format("| {} | {} | {} | {} |\n", file.path, file.kept, file.added, file.removed);
  card += "\n";
}

void add_core(const Options& options, const CardFacts& facts, std::string& card) {
  if (options.core_venues.empty()) return;
  card += fmt::format(
      "The pool is a core set: papers of {}, and papers of other venues that they cite. Without the "
      "citations by the "
      "evaluation queries themselves it has {} papers, with them {}; this release {} them.\n\n",
      fmt::join(options.core_venues, ", "), facts.core_without_queries, facts.core_by_all,
      options.query_citations == QueryCitations::count ? "counts" : "does not count");
}

std::string card_text(const Options& options, const Report& report, const CardFacts& facts) {
  std::string card =
      fmt::format("# {}{}\n\n", options.name, options.version.empty() ? "" : ", " + options.version);
  card +=
      "A benchmark for must-cite recommendation: given the title and abstract of a paper, find the earlier "
      "papers that it has to cite.\n\n";
  if (!options.recipe.empty()) card += fmt::format("Recipe: `{}`.\n\n", options.recipe);
  card += fmt::format(
      "Made by mustcite {}. `manifest.json` has every option and the sha256 of every file; the same catalog "
      "and options give the same bytes. `mustcite release verify` checks them and looks for leaks.\n\n",
      kVersion);
  card += fmt::format(
      "## Corpus\n\n{} papers with an abstract, published {}. Evidence: {} citations up to the end of "
      "{}{}.\n\n",
      report.corpus, years_text(options.pool), report.evidence, options.pool.last,
      options.with_contexts ? ", with citing sentences" : ", without citing sentences");
  add_core(options, facts, card);
  card += "![Papers by venue](figures/venues.svg)\n\n![Papers by year](figures/years.svg)\n\n";
  add_venue_years(facts, card);
  add_tasks(options, report, card);
  card += "| split | query venue | queries |\n|---|---|---|\n";
  for (const auto& [split, venues] : facts.queries_by_venue) {
    for (const auto& bar : largest(venues, 20))
      card += fmt::format("| {} | {} | {:.0f} |\n", split, bar.label, bar.value);
  }
  card += "\n";
  add_labels(options, report, facts, card);
  add_coverage(options, facts, card);
  if (facts.changes) add_changes(*facts.changes, card);
  card +=
      "## Leak checks\n\n- A relevant paper is of an earlier year than its query, and in the pool.\n- "
      "Evidence ends with the last pool year; no dev or test query lends its own citations.\n- No title "
      "stands in two splits, and no query is judged on its own title.\n\n`mustcite release verify` finds a "
      "breach of "
      "any of these.\n\n";
  card +=
      "## Licence and limits\n\nTitles and facts of citation are facts; abstracts and citing sentences "
      "belong to their authors. Whoever passes this "
      "folder on has to have the right to. Only citations that were found in the catalog are judged: a paper "
      "that is not "
      "listed may still be a must-cite paper.\n";
  return card;
}

}  // namespace

std::vector<CardFile> make_card(const Options& options, const Report& report, const CardFacts& facts) {
  std::vector<CardFile> files;
  files.push_back({"README.md", card_text(options, report, facts)});
  files.push_back(
      {"figures/venues.svg", text::bar_chart_svg("Papers by venue", largest(facts.corpus_by_venue, 18))});
  std::vector<Bar> years;
  for (const auto& [year, count] : facts.corpus_by_year)
    years.push_back({std::to_string(year), static_cast<double>(count)});
  if (years.size() > 30) years.erase(years.begin(), years.end() - 30);
  files.push_back({"figures/years.svg", text::bar_chart_svg("Papers by year", years)});
  files.push_back({"figures/mentions.svg",
                   text::bar_chart_svg("Evidence citations by mentions (Type III from the dashed line on)",
                                       mention_bars(facts.mentions), options.tiers.type3_threshold - 1)});
  const auto type1 = facts.label_values.find(Tier::type1);
  if (type1 != facts.label_values.end())
    files.push_back(
        {"figures/type1.svg", text::bar_chart_svg("Type I labels", value_bars(type1->second, 0, 1))});
  const auto type2 = facts.label_values.find(Tier::type2);
  if (type2 != facts.label_values.end()) {
    files.push_back(
        {"figures/type2.svg",
         text::bar_chart_svg("Type II labels (must-cite from the dashed line on)",
                             value_bars(type2->second, 1, 5), options.tiers.type2_threshold - 1)});
  }
  return files;
}

}  // namespace mustcite::release
