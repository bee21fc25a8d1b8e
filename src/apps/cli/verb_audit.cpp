#include <fmt/format.h>

#include "apps/audit/audit.hpp"
#include "apps/audit/ignore.hpp"
#include "apps/audit/read_draft.hpp"
#include "apps/audit/report.hpp"
#include "apps/cli/context.hpp"
#include "apps/cli/late_models.hpp"
#include "apps/cli/pdf_draft.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "engine/recommend/recommend.hpp"
#include "stages/link/link.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIgnoreBytes = std::size_t{1} << 20;

struct Flags {
  std::string draft;
  audit::ReadOptions read;
  std::vector<std::string> bibliographies;
  std::string format = "terminal";
  std::string out;
  std::string fail_on;
  std::string ignore;
  std::string model;
  std::string before;
  std::vector<std::string> exclude;
  std::size_t most = 20;
  bool bibliography_only = false;
};

link::LinkIndex link_index(const Context& context) {
  const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
  link::LinkIndexBuilder builder;
  catalog.each_paper([&](const Paper& paper) { builder.add(paper); });
  return builder.build();
}

/// The ignore list given, else `.mustcite-ignore` beside the draft, else in the working folder.
audit::IgnoreList ignore_list(const Flags& flags) {
  const fs::path draft(flags.draft);
  const fs::path beside = (fs::is_directory(draft) ? draft : draft.parent_path()) / ".mustcite-ignore";
  const fs::path file = !flags.ignore.empty() ? fs::path(flags.ignore) : fs::exists(beside) ? beside : ".mustcite-ignore";
  if (flags.ignore.empty() && !fs::exists(file)) return {};
  return audit::IgnoreList::parse(io::read_file(file, kMaxIgnoreBytes), file.string());
}

/// Connects the ranker: what the draft cites already is evidence and never comes back.
audit::Recommender ranker_of(const recommend::Recommender& recommender, const std::optional<Date>& before) {
  return [&recommender, before](const audit::RecommendRequest& request) {
    recommend::Query query;
    query.title = request.title;
    query.abstract = request.abstract;
    query.authors = request.authors;
    query.known = request.known;
    query.exclude = request.exclude;
    query.before = before;
    recommend::Options options;
    options.depth = request.depth;
    const auto answer = recommender.answer(query, options);
    for (const auto& note : answer.notes) log::warning("{}", note);
    std::vector<audit::Recommendation> found;
    for (const auto& row : answer.rows) {
      audit::Recommendation item{row.paper, {}, row.reasons, row.role, row.evidence};
      for (const auto& [tier, probability] : row.probability) item.probability[tier] = probability;
      found.push_back(std::move(item));
    }
    return found;
  };
}

int run_audit(const Context& context, Flags flags) {
  const auto format = audit::parse_report_format(flags.format);
  const auto gates = flags.fail_on.empty() ? std::vector<audit::Gate>{} : audit::parse_gates(flags.fail_on);
  for (const auto& file : flags.bibliographies) flags.read.bibliographies.emplace_back(file);
  flags.read.pdf_reader = pdf_draft_reader(context);
  const auto draft = audit::read_draft(flags.draft, flags.read);
  const auto catalog = link_index(context);

  audit::Options options;
  options.most_missing = flags.most;
  for (const auto& id : flags.exclude) options.exclude.emplace_back(id);
  const auto before = before_date(flags.before);
  std::optional<recommend::Recommender> recommender;
  audit::Recommender ranker;
  if (!flags.bibliography_only) {
    recommender = recommend::Recommender::open(context.workspace().index(), ranker_model(context, flags.model),
                                               readers(context));
    ranker = ranker_of(*recommender, before);
    options.thresholds.missing = recommender->missing_thresholds();
  }
  const auto report = audit::audit(draft, catalog, ranker, ignore_list(flags), options);
  const auto text = audit::render(report, format);
  if (flags.out.empty()) {
    fmt::print("{}", text);
  } else {
    io::write_file_atomically(flags.out, text);
    fmt::print("{}\n", flags.out);
  }
  const auto failed = audit::failed_gates(report, gates);
  for (const auto& line : failed) log::warning("{}", line);
  return failed.empty() ? 0 : exit_code(ErrorCode::gate);
}

}  // namespace

void add_audit(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("audit", "What a draft lacks, and what is wrong in its bibliography");
  auto flags = std::make_shared<Flags>();
  verb->add_option("draft", flags->draft, "A .tex, .pdf, .md or .txt file, or a folder or .zip of LaTeX sources")->required();
  verb->add_option("--bib", flags->bibliographies, "Further .bib or .bbl files");
  verb->add_option("--main", flags->read.main_file, "Main file of a folder or archive (default: found)");
  verb->add_flag("--allow-outside", flags->read.allow_outside, "Let the draft read files outside its folder");
  verb->add_option("--format", flags->format, "terminal, markdown, html, json or github");
  verb->add_option("--out", flags->out, "Write the report to this file");
  verb->add_option("--fail-on", flags->fail_on, "Exit with 4 on findings, e.g. missing:1,undefined:1");
  verb->add_option("--ignore", flags->ignore, "Ignore list (default: .mustcite-ignore beside the draft)");
  verb->add_option("--model", flags->model, "Model of the learned ranker: a name in models/, or a folder");
  verb->add_option("--before", flags->before, "As of a date: only strictly older papers are offered");
  verb->add_option("--exclude", flags->exclude, "Ids that must not be offered")->delimiter(',');
  verb->add_option("--most", flags->most, "Missing papers listed");
  verb->add_flag("--bibliography-only", flags->bibliography_only, "Check the bibliography, look for no missing papers");
  verb->callback([&context, &action, flags] { action = [&context, flags] { return run_audit(context, *flags); }; });
}

}  // namespace mustcite::cli
