#include <fmt/format.h>

#include "apps/cli/context.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "stages/import/import.hpp"

namespace mustcite::cli {
namespace {

struct Flags {
  std::vector<std::string> inputs;
  importing::Options options;
  std::string kind = "detect";
};

void print_counts(const char* what, const importing::Counts& counts) {
  if (counts.read == 0) return;
  fmt::print("  {}: {} read = {} added + {} updated + {} unchanged + {} rejected\n", what, counts.read, counts.added,
             counts.updated, counts.unchanged, counts.rejected);
}

void print_report(const std::string& input, const importing::Report& report) {
  fmt::print("{} ({})\n", input, importing::kind_name(report.kind));
  print_counts("papers", report.papers);
  print_counts("citations", report.citations);
  if (report.repaired_utf8 > 0) fmt::print("  {} with malformed bytes, repaired\n", report.repaired_utf8);
  if (report.cut > 0) fmt::print("  {} with a part that was too long, cut\n", report.cut);
  if (report.citing_before_cited > 0) {
    fmt::print("  {} citations of a newer paper by an older one, kept\n", report.citing_before_cited);
  }
  if (report.dangling > 0) {
    fmt::print("  {} citations of the catalog name a paper that is not in it (yet)\n", report.dangling);
  }
  for (const auto& file : report.ignored) fmt::print("  left out: {}\n", file.string());
  if (report.papers.rejected + report.citations.rejected > 0) fmt::print("  why: mustcite catalog rejects\n");
}

int run_import(Context& context, Flags flags) {
  flags.options.kind = importing::parse_kind(flags.kind);
  store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_write);
  for (const auto& input : flags.inputs) {
    print_report(input, importing::run(catalog, input, flags.options, context.progress()));
  }
  return 0;
}

void add_kind(CLI::App& verb, Context& context, Action& action, const char* name, const char* help,
              const std::string& kind) {
  auto* sub = verb.add_subcommand(name, help);
  auto flags = std::make_shared<Flags>();
  flags->kind = kind;
  sub->add_option("inputs", flags->inputs, "Files or folders (.gz and .zst too); - is standard input")->required();
  sub->add_option("--latest-year", flags->options.latest_year, "Papers of later years are rejected (default: the year after next)");
  if (kind == "detect") {
    sub->add_option("--format", flags->kind,
                    "detect, papers, citations, beir, release, bibtex, acl-xml, openalex or semantic-scholar");
  }
  sub->callback([&context, &action, flags] { action = [&context, flags] { return run_import(context, *flags); }; });
}

}  // namespace

void add_import(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("import", "Bring papers and citations of files into the catalog");
  verb->require_subcommand(1);
  add_kind(*verb, context, action, "papers",
           "Papers: JSONL, BEIR, BibTeX, ACL Anthology XML, OpenAlex, Semantic Scholar; the format is detected", "detect");
  add_kind(*verb, context, action, "citations", "Citations: JSONL {citing_id, cited_id, mentions, contexts, …}, or a detected format",
           "detect");
  add_kind(*verb, context, action, "release", "A release folder: its corpus and its evidence", "release");
}

}  // namespace mustcite::cli
