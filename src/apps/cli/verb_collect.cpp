#include <fmt/format.h>

#include "apps/cli/collect_audit.hpp"
#include "apps/cli/collect_options.hpp"
#include "apps/cli/collect_view.hpp"
#include "apps/cli/context.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "stages/collect/collect.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> what;  ///< venues and years
  std::string years;
  std::string source;
  PageFlags pages;
  std::string tracks;
  std::string track_judge;
  bool dry_run = false;
  bool no_details = false;
  bool all_tracks = false;
  bool strict = false;
  bool report = false;
  bool pdfs = false;
  bool json = false;
};

int code_of(const collect::Report& report, bool strict) {
  std::size_t unavailable = 0;
  bool whole = true;
  for (const collect::EditionReport& edition : report.editions) {
    using collect::Status;
    const bool failed = edition.status == Status::needs_login || edition.status == Status::unavailable ||
                        edition.status == Status::layout_changed;
    unavailable += failed ? 1 : 0;
    whole = whole && edition.is_whole();
  }
  if (unavailable > 0) return exit_code(ErrorCode::unavailable);
  return strict && !whole ? exit_code(ErrorCode::gate) : 0;
}

int run_collect(Context& context, const Flags& flags) {
  const store::Workspace workspace = context.workspace();
  collect::Ledger ledger(workspace.folder() / "collect.sqlite");
  if (flags.report) {
    print_coverage(ledger, flags.json);
    return 0;
  }
  collect::Options options;
  options.editions = editions_named(flags.what, flags.years);
  if (!flags.source.empty()) options.source = collect::parse_source(flags.source);
  options.details = !flags.no_details;
  options.all_tracks = flags.all_tracks;
  options.dry_run = flags.dry_run;
  options.fetch = fetch_options(context, flags.pages, workspace);
  const fs::path tracks_file =
      flags.tracks.empty() ? workspace.folder() / "tracks.tsv" : fs::path(flags.tracks);
  collect::TrackFilter tracks(tracks_file, flags.track_judge);
  store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_write);
  const collect::Report report = collect::run(catalog, ledger, tracks, options, context.progress());
  print_report(report, flags.json);
  if (flags.pdfs && !flags.dry_run) {
    collect::PdfOptions pdf_options;
    pdf_options.folder = workspace.folder() / "pdf";
    print_pdfs(collect::download_pdfs(ledger, options, pdf_options, context.progress()));
  }
  return flags.dry_run ? 0 : code_of(report, flags.strict);
}

int run_table() {
  fmt::print("{}", collect::table_as_markdown());
  return 0;
}

}  // namespace

void add_collect(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("collect", "Collect the papers of venues from their official sites");
  auto flags = std::make_shared<Flags>();
  verb->add_option("what", flags->what, "Venues and years: icml acl 2019-2021 2024; `all` for every venue");
  verb->add_option("--years", flags->years, "Years, e.g. 2019-2021");
  verb->add_option("--source", flags->source, "Read this layout; see `mustcite collect table`");
  verb->add_option("--from-dir", flags->pages.from_dir,
                   "Read pages saved by hand in this folder, never the network");
  verb->add_flag("--offline", flags->pages.offline, "Read only pages that an earlier run has kept");
  verb->add_flag("--refresh", flags->pages.refresh, "Ask again for pages that are kept (conditionally)");
  verb->add_flag("--dry-run", flags->dry_run, "Print what would be fetched, send nothing");
  verb->add_flag("--no-details", flags->no_details, "Lists only: no page of a single paper is fetched");
  verb->add_flag("--all-tracks", flags->all_tracks, "Take papers beside the main conference as well");
  verb->add_option("--tracks", flags->tracks, "The table of tracks (default: tracks.tsv of the workspace)");
  verb->add_option("--track-judge", flags->track_judge,
                   "Program that decides new tracks in the rules' place: reads 'venue<TAB>track', answers "
                   "'main|excluded<TAB>reason'");
  verb->add_flag("--strict", flags->strict, "Exit with 4 when a count differs or something was not read");
  verb->add_flag("--report", flags->report, "Print what has been collected so far, by venue and year");
  verb->add_flag("--pdfs", flags->pdfs, "Download the PDFs of the main papers as well");
  verb->add_flag("--json", flags->json, "The answer as JSON");
  add_collect_audit(*verb, context, action);
  auto* table = verb->add_subcommand(
      "table", "Print the table of venues, years, places and expected counts (Markdown)");
  table->callback([&action] { action = [] { return run_table(); }; });
  verb->callback([&context, &action, flags, verb] {
    if (!verb->get_subcommands().empty()) return;
    action = [&context, flags] { return run_collect(context, *flags); };
  });
}

}  // namespace mustcite::cli
