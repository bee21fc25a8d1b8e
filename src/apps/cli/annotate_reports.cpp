#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/text/bar_chart.hpp"
#include "stages/annotate/annotate.hpp"
#include "stages/annotate/comparison.hpp"
#include "stages/annotate/consistency.hpp"
#include "stages/annotate/mention_counts.hpp"

namespace mustcite::cli {
namespace {

struct Flags {
  std::string figure;
  std::string set = "local";
  std::string a;
  std::string b;
  std::string tier = "type1";
  std::size_t show = 10;
};

store::Catalog open(const Context& context) {
  return {context.workspace().catalog(), store::Catalog::Mode::read_only};
}

int run_type3(const Context& context, const Flags& flags) {
  const auto catalog = open(context);
  const auto counts = annotate::count_mentions(catalog);
  fmt::print("{} citations with located mentions, {} without (nothing is known of these)\n\n", counts.known,
             counts.unknown);
  Table table;
  for (const char* title :
       {"mentions", "citations", "share", "cumulative", "admitted as threshold", "in several sections"})
    table.add_column(title, Table::Align::right);
  std::vector<text::Bar> bars;
  for (int count = 1; count <= 15; ++count) {
    const auto found = counts.by_count.find(count);
    const double citations = found == counts.by_count.end() ? 0 : static_cast<double>(found->second);
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    table.add_row({std::to_string(count), fmt::format("{:.0f}", citations),
                   percent(citations / std::max(1.0, static_cast<double>(counts.known))),
                   percent(counts.cumulative(count)), percent(counts.admitted(count)),
                   percent(counts.several_sections(count))});
    bars.push_back({std::to_string(count), citations});
  }
  fmt::print("{}", table.render());
  const int threshold = annotate::suggested_threshold(counts);
  if (threshold > 0) {
    fmt::print(
        "\nA threshold of {} admits {:.1f} %: the smallest one at which most works are mentioned in a second "
        "section and at most a quarter of all is admitted.\n",
        threshold, 100 * counts.admitted(threshold));
  } else {
    fmt::print(
        "\nNo threshold up to 10 admits at most a quarter of the citations and reaches into a second section "
        "mostly.\n");
  }
  if (!flags.figure.empty()) {
    io::write_file_atomically(flags.figure,
                              text::bar_chart_svg("Citations by mentions", bars, threshold - 1));
    fmt::print("{}\n", flags.figure);
  }
  return 0;
}

int run_check(const Context& context, const Flags& flags) {
  const auto report = annotate::check_labels(open(context), flags.set);
  fmt::print("{} labelled citations by {}\n", report.pairs, flags.set);
  for (const auto& [rule, count] : report.by_rule) fmt::print("  {:<24} {:>7}\n", rule, count);
  for (std::size_t i = 0; i < std::min(flags.show, report.oddities.size()); ++i) {
    const auto& oddity = report.oddities[i];
    fmt::print("{} > {}: {}\n", oddity.citing.str(), oddity.cited.str(), oddity.detail);
  }
  return 0;
}

template <typename Key>
void print_shares(const char* title, Tier tier, const std::map<Key, annotate::Comparison::Share>& shares) {
  Table table;
  table.add_column(title);
  const bool two = tier == Tier::type1;
  for (const char* name :
       {"common", "differ", "share", two ? "0 -> 0" : "a higher", two ? "0 -> 1" : "b higher",
        two ? "1 -> 0" : "by 1", two ? "1 -> 1" : "by 2 or more"})
    table.add_column(name, Table::Align::right);
  for (const auto& [key, share] : shares) {
    const auto count = [&confusion = share.confusion](const auto& counts) {
      std::uint64_t sum = 0;
      for (const auto& [values, citations] : confusion)
        sum += counts(values.first, values.second) ? citations : 0;
      return std::to_string(sum);
    };
    const auto cell = [&](int which) {
      return count([&](int a, int b) {
        if (two) return a * 2 + b == which;
        return which == 0   ? a > b
               : which == 1 ? a < b
               : which == 2 ? std::abs(a - b) == 1
                            : std::abs(a - b) >= 2;
      });
    };
    table.add_row({fmt::format("{}", key), std::to_string(share.common), std::to_string(share.differ),
                   fmt::format("{:.1f} %",
                               100.0 * static_cast<double>(share.differ) / static_cast<double>(share.common)),
                   cell(0), cell(1), cell(2), cell(3)});
  }
  fmt::print("\n{}", table.render());
}

int run_compare(const Context& context, const Flags& flags) {
  const Tier tier = parse_tier(flags.tier);
  if (tier != Tier::type1 && tier != Tier::type2)
    fail(ErrorCode::usage, "labels of {} are not a judge's: compare --tier type1 or type2", flags.tier);
  print_comparison(annotate::compare_labels(open(context), tier, flags.a, flags.b), tier, flags.a, flags.b,
                   flags.show);
  return 0;
}

int run_sets(const Context& context, const Flags&) {
  Table table;
  for (const char* title : {"judge", "model", "definition", "tier"}) table.add_column(title);
  table.add_column("labels", Table::Align::right);
  for (const auto& set : annotate::label_sets(open(context)))
    table.add_row({set.judge, set.model, set.definition, tier_name(set.tier), std::to_string(set.labels)});
  fmt::print("{}", table.render());
  return 0;
}

}  // namespace

void print_comparison(const annotate::Comparison& result, Tier tier, const std::string& a,
                      const std::string& b, std::size_t show) {
  fmt::print("{}: {} citations labelled by both, {} only by {}, {} only by {}\n", tier_name(tier),
             result.common, result.only_a, a, result.only_b, b);
  if (result.common == 0) return;
  // Kappa is not defined where both gave one and the same answer throughout.
  fmt::print("agreement {:.3f}, {} {}\n\n", result.agreement,
             tier == Tier::type1 ? "kappa" : "quadratic kappa",
             std::isnan(result.kappa) ? "-" : fmt::format("{:.3f}", result.kappa));
  for (const auto& [values, count] : result.confusion)
    fmt::print("  {} -> {}: {}\n", values.first, values.second, count);
  print_shares("section", tier, result.by_section);
  print_shares("venue", tier, result.by_venue);
  print_shares("year", tier, result.by_year);
  fmt::print("\nwhat changed ({} citations), furthest apart first:\n", result.changed.size());
  for (std::size_t i = 0; i < std::min(show, result.changed.size()); ++i) {
    const auto& changed = result.changed[i];
    fmt::print("  {} -> {}  {}\n          {} cites {}\n", changed.a, changed.b, changed.id,
               cut_to(changed.citing_title, 60), cut_to(changed.cited_title, 60));
  }
}

void add_annotate_reports(CLI::App& verb, Context& context, Action& action) {
  auto flags = std::make_shared<Flags>();
  const auto on = [&context, &action, flags](CLI::App* part, int (*run)(const Context&, const Flags&)) {
    part->callback([&context, &action, flags, run] {
      action = [&context, flags, run] { return run(context, *flags); };
    });
  };
  auto* type3 = verb.add_subcommand(
      "type3", "Mention counts, their cumulative shares, and what a threshold would admit");
  type3->add_option("--figure", flags->figure, "Write the distribution as SVG");
  on(type3, run_type3);
  auto* check = verb.add_subcommand("check", "Labels that simple rules find odd");
  check->add_option("set", flags->set, "JUDGE[:MODEL[:DEFINITION]] (default: local)");
  check->add_option("--show", flags->show, "How many to list");
  on(check, run_check);
  auto* compare =
      verb.add_subcommand("compare", "Two judges, prompts or runs on the same citations: what changed");
  compare->add_option("a", flags->a, "JUDGE[:MODEL[:DEFINITION]]")->required();
  compare->add_option("b", flags->b, "JUDGE[:MODEL[:DEFINITION]]")->required();
  compare->add_option("--tier", flags->tier, "type1 or type2");
  compare->add_option("--show", flags->show, "How many changes to list");
  on(compare, run_compare);
  on(verb.add_subcommand("sets", "Whose labels the catalog has"), run_sets);
}

}  // namespace mustcite::cli
