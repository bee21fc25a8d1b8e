#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "apps/cli/collect_view.hpp"
#include "apps/cli/context.hpp"
#include "core/base/error.hpp"
#include "core/base/version.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "stages/collect/collect.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> what;  ///< venues and years
  std::string years;
  std::string source;
  std::string from_dir;
  std::string tracks;
  std::string track_judge;
  bool offline = false;
  bool dry_run = false;
  bool refresh = false;
  bool no_details = false;
  bool all_tracks = false;
  bool strict = false;
  bool report = false;
  bool pdfs = false;
  bool json = false;
};

/// "2019" or "2019-2021".
std::optional<std::pair<int, int>> years_in(const std::string& text) {
  int first = 0;
  const char* const end = text.data() + text.size();
  const auto begin = std::from_chars(text.data(), end, first);
  if (begin.ec != std::errc{} || first < 1900 || first > 2100) return std::nullopt;
  if (begin.ptr == end) return std::pair{first, first};
  int last = 0;
  if (*begin.ptr != '-') return std::nullopt;
  const auto rest = std::from_chars(begin.ptr + 1, end, last);
  if (rest.ec != std::errc{} || rest.ptr != end || last < first || last > 2100) return std::nullopt;
  return std::pair{first, last};
}

std::vector<collect::Edition> editions_in(const Flags& flags) {
  std::vector<std::string> venues;
  std::vector<std::pair<int, int>> years;
  for (const std::string& word : flags.what) {
    if (const auto range = years_in(word)) {
      years.push_back(*range);
    } else {
      venues.push_back(word);
    }
  }
  if (!flags.years.empty()) {
    const auto range = years_in(flags.years);
    if (!range) fail(ErrorCode::usage, "--years '{}': write 2019 or 2019-2021", flags.years);
    years.push_back(*range);
  }
  if (venues == std::vector<std::string>{"all"}) {
    venues.clear();
    for (const collect::VenueName& venue : collect::venues()) venues.push_back(venue.name);
  }
  if (venues.empty()) {
    fail(ErrorCode::usage,
         "collect what? Name venues and years, e.g. `mustcite collect icml 2024`; "
         "`mustcite collect table` lists them");
  }
  if (years.empty()) years.emplace_back(0, 9999);
  std::vector<collect::Edition> editions;
  for (const std::string& venue : venues) {
    const std::size_t before = editions.size();
    for (const collect::Edition& edition : collect::editions()) {
      const bool wanted =
          edition.venue == venue && std::any_of(years.begin(), years.end(), [&](const auto& range) {
            return edition.year >= range.first && edition.year <= range.second;
          });
      if (wanted) editions.push_back(edition);
    }
    // Says what there is instead.
    if (editions.size() == before)
      (void)collect::editions_of(venue, years.front().first, years.front().second);
  }
  return editions;
}

net::FetchOptions fetch_options(const Context& context, const Flags& flags,
                                const store::Workspace& workspace) {
  const Config& config = context.config();
  net::FetchOptions fetch;
  fetch.cache = workspace.folder() / "cache" / "pages";
  fetch.from_dir = flags.from_dir;
  fetch.offline = flags.offline;
  fetch.refresh = flags.refresh;
  fetch.version = kVersion;
  fetch.contact = config.text("collect.contact");
  fetch.retries = static_cast<int>(config.integer("collect.retries"));
  fetch.longest_pause = std::chrono::seconds(config.integer("collect.longest_pause_s"));
  fetch.max_bytes = static_cast<std::uint64_t>(config.integer("collect.max_page_bytes"));
  fetch.host_limits = collect::host_limits();
  const std::int64_t interval = config.integer("collect.interval_ms");
  if (interval > 0) {
    fetch.limit.interval = std::chrono::milliseconds(interval);
    for (auto& [host, limit] : fetch.host_limits) limit.interval = fetch.limit.interval;
    fetch.first_pause = std::min(fetch.first_pause, 10 * fetch.limit.interval);
  }
  fetch.guard.gateway = config.text("collect.gateway");
  fetch.guard.public_only = !config.flag("collect.private_addresses");
  return fetch;
}

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
  options.editions = editions_in(flags);
  if (!flags.source.empty()) options.source = collect::parse_source(flags.source);
  options.details = !flags.no_details;
  options.all_tracks = flags.all_tracks;
  options.dry_run = flags.dry_run;
  options.fetch = fetch_options(context, flags, workspace);
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

struct AuditFlags {
  std::string venue;
  int year = 0;
  std::string file;
  std::string name;
  bool json = false;
};

int run_audit(Context& context, const AuditFlags& flags) {
  const store::Workspace workspace = context.workspace();
  const collect::Ledger ledger(workspace.folder() / "collect.sqlite");
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  std::vector<collect::Listed> entries;
  if (flags.file.empty()) {
    net::FetchOptions fetch = fetch_options(context, {}, workspace);
    fetch.allowed_hosts.insert("api.semanticscholar.org");
    net::Fetcher fetcher(std::move(fetch));
    entries =
        collect::ask_semantic_scholar(fetcher, flags.name.empty() ? flags.venue : flags.name, flags.year);
  } else {
    entries = collect::read_aggregator_file(flags.file);
  }
  print_audit(collect::audit_aggregator(ledger, catalog, flags.venue, flags.year, std::move(entries)),
              flags.json);
  return 0;
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
  verb->add_option("--from-dir", flags->from_dir,
                   "Read pages saved by hand in this folder, never the network");
  verb->add_flag("--offline", flags->offline, "Read only pages that an earlier run has kept");
  verb->add_flag("--refresh", flags->refresh, "Ask again for pages that are kept (conditionally)");
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
  auto audit_flags = std::make_shared<AuditFlags>();
  auto* audit = verb->add_subcommand("audit-aggregator",
                                     "Compare another's list of a venue and year with the official one");
  audit->add_option("venue", audit_flags->venue, "Venue, e.g. icml")->required();
  audit->add_option("year", audit_flags->year, "Year")->required();
  audit->add_option("--list", audit_flags->file,
                    "The list: JSON lines, or an answer of Semantic Scholar (default: ask its API)");
  audit->add_option("--name", audit_flags->name, "The venue's name for the API (default: the venue)");
  audit->add_flag("--json", audit_flags->json, "The answer as JSON");
  audit->callback([&context, &action, audit_flags] {
    action = [&context, audit_flags] { return run_audit(context, *audit_flags); };
  });
  auto* table = verb->add_subcommand(
      "table", "Print the table of venues, years, places and expected counts (Markdown)");
  table->callback([&action] { action = [] { return run_table(); }; });
  verb->callback([&context, &action, flags, verb] {
    if (!verb->get_subcommands().empty()) return;
    action = [&context, flags] { return run_collect(context, *flags); };
  });
}

}  // namespace mustcite::cli
