#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/cli/context.hpp"
#include "apps/cli/extracted.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "stages/extract/published_json.hpp"
#include "stages/extract/recipe.hpp"
#include "stages/extract/view.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> files;
  std::string link_annotations = "on";
  std::string recipe, reader;
  std::string grobid, nougat, cache;
  std::size_t grobid_concurrency = 4;
  std::size_t nougat_batch = 16;
  int timeout_s = 0;
  std::string html, out;
  bool explain = false;
  bool coverage = false;
  bool json = false;
  extract::Options options;
};

/// The folder where markup is kept between calls when none is given.
fs::path default_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "mustcite" / "nougat";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0')
    fail(ErrorCode::usage, "keeping Nougat's markup: there is no HOME; give a folder with --cache");
  return fs::path(home) / ".cache" / "mustcite" / "nougat";
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

extract::RecipeOptions recipe_of(const Context& context, const Flags& flags) {
  extract::RecipeOptions recipe;
  const std::string name = !flags.reader.empty()   ? flags.reader
                           : !flags.recipe.empty() ? flags.recipe
                                                   : context.config().text("extract.recipe");
  recipe.readers = extract::parse_recipe(name);
  recipe.reading = flags.options;
  recipe.reading.link_annotations = flags.link_annotations == "on";
  recipe.reading.threads = context.threads;
  recipe.reading.worker = worker_options(context);
  const std::string grobid = flags.grobid.empty() ? context.config().text("extract.grobid") : flags.grobid;
  if (!grobid.empty()) {
    recipe.grobid.emplace();
    recipe.grobid->url = grobid;
    recipe.grobid->concurrency = flags.grobid_concurrency;
    if (flags.timeout_s > 0) recipe.grobid->timeout = std::chrono::seconds(flags.timeout_s);
  }
  const std::string nougat = flags.nougat.empty() ? context.config().text("extract.nougat") : flags.nougat;
  if (!nougat.empty()) {
    recipe.nougat.emplace();
    recipe.nougat->command = words_of(nougat);
    recipe.nougat->batch = flags.nougat_batch;
    recipe.nougat->cache = flags.cache.empty() ? default_cache() : fs::path(flags.cache);
    if (flags.timeout_s > 0) recipe.nougat->timeout = std::chrono::seconds(flags.timeout_s);
  }
  return recipe;
}

std::string problems_text(const extract::Outcome& outcome) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  for (const auto& attempt : outcome.attempts) {
    if (attempt.verdict == extract::Verdict::failed || attempt.verdict == extract::Verdict::faulty)
      add(fmt::format("{}: {}", extract::reader_name(attempt.reader), attempt.message));
  }
  if (!outcome.document) return text;
  for (const auto& problem : outcome.document->problems) {
    if (text.find(problem.message) == std::string::npos) add(problem.message);
  }
  return text;
}

/// Why this reader, and what the others lacked: the head of --explain.
std::string route_text(const extract::Outcome& outcome) {
  std::string text;
  for (const auto& attempt : outcome.attempts)
    text += fmt::format("{:8} {:10} {}{}{}\n", extract::reader_name(attempt.reader),
                        extract::verdict_name(attempt.verdict), attempt.reason,
                        attempt.reason.empty() ? "" : ": ", attempt.message);
  if (!outcome.document) return text;
  const auto& from = outcome.document->provenance;
  text += fmt::format("read by {} ({}), entries parted by {}{}\n\n", extract::reader_name(from.reader),
                      from.tool, from.segmentation.empty() ? "nothing" : from.segmentation,
                      outcome.usable ? "" : "; not usable");
  return text;
}

nlohmann::ordered_json row_json(const extract::Outcome& outcome) {
  nlohmann::ordered_json row{{"paper", outcome.name}, {"usable", outcome.usable}};
  if (outcome.document) {
    row["reader"] = extract::reader_name(outcome.document->provenance.reader);
    row["pages"] = outcome.document->provenance.pages;
    row["references"] = outcome.document->references.size();
    row["mentions"] = outcome.document->mentions.size();
  }
  row["problems"] = problems_text(outcome);
  return row;
}

/// Writes NAME.json and NAME.provenance.json. A paper that no reader can use has the second one only.
void write_paper(const fs::path& folder, const extract::Outcome& outcome) {
  extract::Kept kept;
  if (outcome.usable) {
    const std::string json = extract::published_json(*outcome.document, &kept);
    io::write_file_atomically(folder / (outcome.name + ".json"), json);
  }
  io::write_file_atomically(folder / (outcome.name + ".provenance.json"),
                            extract::provenance_json(outcome, kept));
}

/// Shows and writes what is read, paper by paper.
class Printer {
 public:
  explicit Printer(const Flags& flags) : flags_(flags) {
    table_.add_column("paper");
    table_.add_column("reader");
    for (const char* title : {"pages", "references", "mentions"})
      table_.add_column(title, Table::Align::right);
    table_.add_column("problems");
  }

  void take(const extract::Outcome& outcome) {
    if (!flags_.out.empty()) write_paper(flags_.out, outcome);
    if (flags_.explain) {
      shown_ = route_text(outcome);
      if (outcome.document) shown_ += extract::text_view(*outcome.document);
    }
    if (outcome.document && !flags_.html.empty())
      io::write_file_atomically(flags_.html, extract::html_view(*outcome.document));
    if (flags_.json) rows_.push_back(row_json(outcome));
    const bool read = outcome.document.has_value();
    const auto number = [&](std::size_t count) { return read ? std::to_string(count) : std::string("-"); };
    table_.add_row({cut_to(outcome.name, 44),
                    outcome.usable ? extract::reader_name(outcome.document->provenance.reader) : "none",
                    number(read ? outcome.document->provenance.pages : 0),
                    number(read ? outcome.document->references.size() : 0),
                    number(read ? outcome.document->mentions.size() : 0),
                    cut_to(problems_text(outcome), 60)});
  }

  [[nodiscard]] std::string answer() const {
    if (flags_.explain) return shown_;
    return flags_.json ? rows_.dump(1) + "\n" : table_.render();
  }

 private:
  const Flags& flags_;
  Table table_;
  std::string shown_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

int run_extract(Context& context, Flags flags) {
  flags.json = context.json;
  const auto papers = extract::group_files({flags.files.begin(), flags.files.end()});
  if ((flags.explain || !flags.html.empty()) && papers.size() != 1)
    fail(ErrorCode::usage, "--explain and --html show one paper: give its files only");
  if (!flags.out.empty()) fs::create_directories(flags.out);
  const auto labeller = reference_labeller(context);
  flags.options.labeller = labeller.get();
  Printer printer(flags);
  const auto coverage = extract::read_papers(
      papers, recipe_of(context, flags), [&](extract::Outcome&& outcome) { printer.take(outcome); },
      context.progress());
  fmt::print("{}", printer.answer());
  if (!flags.explain && !flags.json && (flags.coverage || coverage.papers > 1))
    fmt::print("\n{}", extract::coverage_table(coverage));
  for (const auto& item : coverage.ledger) log::warning("{}: {}", item.source, item.reason);
  if (coverage.unusable == coverage.papers)
    fail(ErrorCode::invalid_input, "none of the papers could be read; the lines above say why");
  return 0;
}

}  // namespace

void add_extract(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("extract", "Read papers: what each cites, where and how often");
  auto flags = std::make_shared<Flags>();
  verb->add_option("files", flags->files, "PDF, .tei.xml and .mmd files; those with one stem are one paper")
      ->required();
  auto* recipe =
      verb->add_option("--recipe", flags->recipe,
                       "Order of the readers: default (native, grobid, nougat) or published (nougat, grobid)")
          ->check(CLI::IsMember({"default", "published"}));
  verb->add_option("--reader", flags->reader, "One reader only: native, grobid or nougat")
      ->check(CLI::IsMember({"native", "grobid", "nougat"}))
      ->excludes(recipe);
  verb->add_option("--grobid", flags->grobid, "Address of a GROBID service for PDFs without a .tei.xml");
  verb->add_option("--grobid-concurrency", flags->grobid_concurrency,
                   "Requests at once (fewer while it is busy)")
      ->check(CLI::Range(1, 256));
  verb->add_option("--nougat", flags->nougat, "Command that makes markup of PDFs without an .mmd");
  verb->add_option("--nougat-batch", flags->nougat_batch, "Files of one call of the command")
      ->check(CLI::Range(1, 10'000));
  verb->add_option("--cache", flags->cache, "Folder that keeps Nougat's markup (~/.cache/mustcite/nougat)");
  verb->add_option("--timeout", flags->timeout_s,
                   "Seconds that GROBID (180) or Nougat (900) may take for a file")
      ->check(CLI::Range(1, 86'400));
  verb->add_option("--link-annotations", flags->link_annotations,
                   "Use the links and destinations of PDFs: on or off")
      ->check(CLI::IsMember({"on", "off"}));
  verb->add_option("--min-confidence", flags->options.min_confidence, "Drop mentions below this")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--out", flags->out,
                   "Folder for one JSON a paper in the published schema, and its provenance");
  verb->add_flag("--coverage", flags->coverage,
                 "Papers by reader, failures by reason (always shown for several)");
  verb->add_flag("--json", context.json, "The table as JSON");
  verb->add_flag("--explain", flags->explain,
                 "Print the text of one paper with every mention marked, and why this reader");
  verb->add_option("--html", flags->html, "Write one paper as a page, mentions coloured by confidence");
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_extract(context, *flags); }; });
}

}  // namespace mustcite::cli
