#include "apps/cli/verb_link.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/extracted.hpp"
#include "apps/cli/link_printed.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/store/catalog.hpp"
#include "stages/extract/recipe.hpp"
#include "stages/link/citing_paper.hpp"

namespace mustcite::cli {
namespace {

struct Flags {
  std::vector<std::string> files;
  std::string references;
  std::string text;
  std::string paper;
  int year = 0;
  bool into_catalog = false;
  bool add_papers = false;
  bool explain = false;
  std::string link_annotations = "on";
  link::Options options;
  extract::Options reading;
};

/// papers == identified + added + unidentified, always.
struct Totals {
  std::size_t papers = 0, identified = 0, added = 0, unidentified = 0;
  std::size_t citations = 0, new_citations = 0, mentions = 0, type3 = 0;
  link::PaperReport works;
};

/// Which paper of the catalog a document is.
struct Identity {
  PaperId id;
  int year = 0;
  bool fresh = false;  ///< not in the catalog
};

class PaperLinker {
 public:
  PaperLinker(const link::LinkIndex& index, const Flags& flags, store::Catalog* catalog)
      : index_(index), flags_(flags), catalog_(catalog) {
    table_.add_column("file");
    table_.add_column("paper");
    for (const char* title : {"works", "linked", "ambiguous", "unresolved", "self", "citations", "mentions"})
      table_.add_column(title, Table::Align::right);
  }

  /// `name` is that of the files, without folders and endings.
  void take(const extract::Document& document, const std::string& name) {
    ++totals_.papers;
    const auto paper = citing_paper(document);
    const Identity identity = identify(document, name, paper);
    if (identity.id.empty())
      ++totals_.unidentified;
    else
      ++(identity.fresh ? totals_.added : totals_.identified);
    const auto linked = link::link_paper(index_, paper, identity.id, identity.year, flags_.options);
    count(document, identity, linked);
    if (flags_.explain) explain(paper, linked);
    if (catalog_ == nullptr) return;
    if (identity.id.empty()) {
      catalog_->reject(
          {document.provenance.source, 0, document.title,
           "linking: the catalog does not hold this paper; name it with --paper, or use --add-papers"});
      return;
    }
    store::Catalog::Batch batch(*catalog_);
    if (identity.fresh) add_paper(document, identity);
    for (const auto& citation : linked.citations)
      totals_.new_citations += catalog_->put(citation) == store::Outcome::added ? 1 : 0;
    if (!linked.citations.empty())
      catalog_->set_fact(store::kReaderFact + identity.id.str(), extract::reader_name(document.provenance.reader));
    batch.commit();
  }

  void reject(const extract::Rejected& item) {
    if (catalog_ != nullptr) catalog_->reject({item.source, 0, {}, item.reason});
  }

  void print(bool json) const {
    const auto& w = totals_.works;
    if (json) {
      nlohmann::ordered_json out{{"papers", totals_.papers},
                                 {"identified", totals_.identified},
                                 {"added", totals_.added},
                                 {"unidentified", totals_.unidentified},
                                 {"works", w.works},
                                 {"linked", w.linked},
                                 {"ambiguous", w.ambiguous},
                                 {"unresolved", w.unresolved},
                                 {"self", w.self},
                                 {"citations", totals_.citations},
                                 {"mentions", totals_.mentions},
                                 {"type3", totals_.type3}};
      fmt::print("{}\n", out.dump());
      return;
    }
    if (!flags_.explain) fmt::print("{}", table_.render());
    fmt::print("{} papers = {} identified + {} added + {} unidentified\n", totals_.papers, totals_.identified,
               totals_.added, totals_.unidentified);
    fmt::print("{} works = {} linked + {} ambiguous + {} unresolved + {} to the paper itself\n", w.works,
               w.linked, w.ambiguous, w.unresolved, w.self);
    fmt::print("{} citations, {} located mentions; {} papers are mentioned three times or more (Type III)\n",
               totals_.citations, totals_.mentions, totals_.type3);
    if (catalog_ != nullptr) fmt::print("{} citations are new in the catalog\n", totals_.new_citations);
  }

 private:
  [[nodiscard]] Identity identify(const extract::Document& document, const std::string& name,
                                  const link::CitingPaper& paper) const {
    std::uint32_t row = link::kNoRow;
    if (!flags_.paper.empty()) {
      row = index_.find(flags_.paper);
      if (row == link::kNoRow && !flags_.add_papers)
        fail(ErrorCode::not_found,
             "linking {}: the catalog holds no paper '{}'; import it first, or use --add-papers",
             document.provenance.source, flags_.paper);
    } else {
      row = index_.find(name);
      if (row == link::kNoRow) row = link::find_citing(index_, paper.self, flags_.options);
    }
    if (row != link::kNoRow) {
      const auto record = index_.record(row);
      return {PaperId(std::string(record.id)), flags_.year != 0 ? flags_.year : record.year, false};
    }
    if (!flags_.add_papers || document.title.empty()) return {};
    Identity added;
    added.id =
        PaperId(!flags_.paper.empty() ? flags_.paper : "pdf-" + document.provenance.sha256.substr(0, 16));
    added.year = flags_.year != 0 ? flags_.year : newest_reference_year(document);
    added.fresh = true;
    return added;
  }

  void add_paper(const extract::Document& document, const Identity& identity) {
    Paper paper;
    paper.id = identity.id;
    paper.title = document.title;
    paper.authors = document.authors;
    paper.abstract = document.abstract;
    paper.date.year = identity.year;
    catalog_->put(paper);
  }

  void count(const extract::Document& document, const Identity& identity, const link::LinkedPaper& linked) {
    totals_.works.add(linked.report);
    std::size_t mentions = 0;
    for (const auto& citation : linked.citations) {
      mentions += static_cast<std::size_t>(citation.mentions.value_or(0));
      totals_.type3 += counts_for(citation, Tier::type3, {}) ? 1 : 0;
    }
    totals_.citations += linked.citations.size();
    totals_.mentions += mentions;
    const auto& r = linked.report;
    table_.add_row({cut_to(document.provenance.source, 40), identity.id.empty() ? "-" : identity.id.str(),
                    std::to_string(r.works), std::to_string(r.linked), std::to_string(r.ambiguous),
                    std::to_string(r.unresolved), std::to_string(r.self),
                    std::to_string(linked.citations.size()), std::to_string(mentions)});
  }

  void explain(const link::CitingPaper& paper, const link::LinkedPaper& linked) const {
    for (const auto& work : linked.works) {
      const auto& cited = paper.references[work.reference];
      const Reference& reference = cited.parts.empty() ? cited.reference : cited.parts[work.part];
      const auto& decision = work.decision;
      fmt::print("[{}] {} ({})\n    {}{} {:.3f}: {}\n", work.reference + 1, reference.title, reference.year,
                 link::verdict_name(decision.verdict), work.self ? ", refused: the paper itself" : "",
                 decision.probability, decision.why);
      for (const auto& candidate : decision.candidates) {
        const auto record = index_.record(candidate.row);
        fmt::print(
            "    {} {:.3f} {} ({}) {}\n",
            record.id == (decision.row == link::kNoRow ? "" : index_.record(decision.row).id) ? "*" : " ",
            candidate.probability, record.title, record.year, record.id);
      }
    }
  }

  const link::LinkIndex& index_;
  const Flags& flags_;
  store::Catalog* catalog_;
  Totals totals_;
  Table table_;
};

int run_link(Context& context, Flags flags) {
  const int sources =
      (flags.files.empty() ? 0 : 1) + (flags.references.empty() ? 0 : 1) + (flags.text.empty() ? 0 : 1);
  if (sources != 1) fail(ErrorCode::usage, "give either papers, or --references FILE, or --text REFERENCE");
  if (!flags.paper.empty() && flags.files.size() != 1)
    fail(ErrorCode::usage, "--paper names one paper: give one file");
  if (!flags.references.empty()) return link_printed_references(context, flags.references, flags.options);
  if (!flags.text.empty()) return link_one_reference(context, flags.text, flags.options);
  const auto labeller = reference_labeller(context);
  flags.reading.labeller = labeller.get();
  flags.reading.threads = context.threads;
  flags.reading.worker = worker_options(context);
  flags.reading.link_annotations = flags.link_annotations == "on";
  const link::LinkIndex index = catalog_links(context);
  std::optional<store::Catalog> catalog;
  if (flags.into_catalog) catalog.emplace(context.workspace().catalog(), store::Catalog::Mode::read_write);
  PaperLinker linker(index, flags, catalog ? &*catalog : nullptr);
  extract::RecipeOptions recipe;
  recipe.readers = extract::parse_recipe(context.config().text("extract.recipe"));
  recipe.reading = flags.reading;
  const auto coverage = extract::read_papers(
      extract::group_files({flags.files.begin(), flags.files.end()}), recipe,
      [&](extract::Outcome&& outcome) {
        if (outcome.usable) linker.take(*outcome.document, outcome.name);
      },
      context.progress());
  for (const auto& item : coverage.ledger) {
    log::warning("{}: {}", item.source, item.reason);
    linker.reject(item);
  }
  if (coverage.unusable == coverage.papers) fail(ErrorCode::invalid_input, "none of the files could be read");
  linker.print(context.json);
  return 0;
}

}  // namespace

void add_link(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("link", "Which papers of the catalog do these papers cite?");
  auto flags = std::make_shared<Flags>();
  verb->add_option(
      "files", flags->files,
      "Papers: PDFs, TEI by GROBID (.tei.xml), Nougat markup (.mmd); files of one stem are one paper");
  verb->add_option("--references", flags->references,
                   "Printed references instead, one a line; - is standard input");
  verb->add_option("--text", flags->text, "One printed reference, explained");
  verb->add_flag("--into-catalog", flags->into_catalog,
                 "Store the citations with their mentions and contexts");
  verb->add_option("--paper", flags->paper,
                   "Id of the citing paper (default: the file's name, else found by title)");
  verb->add_option("--year", flags->year, "Year of the citing papers, where the catalog's is not meant")
      ->check(CLI::Range(1800, 2100));
  verb->add_flag("--add-papers", flags->add_papers, "Add citing papers that the catalog does not hold");
  verb->add_option("--min-probability", flags->options.link_at, "Link at or above this")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--link-annotations", flags->link_annotations,
                   "Use the links and destinations of the file: on or off")
      ->check(CLI::IsMember({"on", "off"}));
  verb->add_flag("--explain", flags->explain, "Print every work with its candidates");
  verb->add_flag("--json", context.json, "Print JSON");
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_link(context, *flags); }; });
}

}  // namespace mustcite::cli
