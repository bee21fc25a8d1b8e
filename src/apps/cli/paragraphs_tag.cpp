#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/extracted.hpp"
#include "apps/cli/link_printed.hpp"
#include "apps/cli/paragraph_sources.hpp"
#include "apps/cli/verb_paragraphs.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/store/catalog.hpp"
#include "stages/extract/recipe.hpp"
#include "stages/link/citing_paper.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;
using paragraph::Paragraph;

constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

struct Flags {
  std::vector<std::string> files;
  std::string out;
  std::string model;
  std::string sections = "related";
  std::size_t least_cited = 0;
  int year = 0;
  bool without_links = false;
};

/// read == written + too_few_cited, always. rejected: lines and files that gave no paragraph.
struct Totals {
  std::size_t read = 0, written = 0, too_few_cited = 0, rejected = 0;
  std::size_t sentences = 0, tagged_topics = 0, cited = 0;
  std::array<std::size_t, paragraph::kDiscourses> tags{};
};

fs::path model_folder(const Context& context, const std::string& flag) {
  if (!flag.empty()) return flag;
  if (const auto own = context.workspace_folder() / "models" / "discourse"; fs::exists(own / "labels.crf"))
    return own;
  if (const auto shipped = shipped_model("discourse")) return *shipped;
  fail(ErrorCode::not_found,
       "the discourse tagger is not installed (data/models/discourse): train one with `mustcite train "
       "discourse`, or "
       "name its folder's parent in MUSTCITE_MODELS");
}

bool ends_with_any(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return name.ends_with(ending); });
}

/// Tags paragraphs of every kind of file and writes them.
class TagWork {
 public:
  TagWork(Context& context, const Flags& flags)
      : context_(context),
        flags_(flags),
        tagger_(paragraph::Tagger::load(model_folder(context, flags.model))) {
    if (!flags.without_links && fs::exists(context.workspace_folder() / "catalog.sqlite")) {
      links_.emplace(catalog_links(context));
      catalog_.emplace(context.workspace().catalog(), store::Catalog::Mode::read_write);
    }
  }

  void run() {
    std::vector<fs::path> papers;
    for (const auto& file : flags_.files) {
      if (ends_with_any(file, {".jsonl", ".jsonl.gz", ".jsonl.zst"})) {
        read_lines(file);
      } else if (ends_with_any(file, {".txt", ".md"})) {
        const auto bytes = io::read_file(file, kMostTextBytes);
        take(plain_paragraphs(bytes, fs::path(file).stem().string()), file);
      } else {
        papers.emplace_back(file);
      }
    }
    if (!papers.empty()) read_papers(papers);
    if (totals_.read == 0) fail(ErrorCode::invalid_input, "none of the files holds a paragraph");
    io::write_file_atomically(flags_.out, lines_);
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  void reject(const std::string& source, std::uint64_t line, const std::string& reason) {
    ++totals_.rejected;
    log::warning("{}{}: {}", source, line == 0 ? "" : fmt::format(" line {}", line), reason);
    if (catalog_) catalog_->reject({source, line, {}, "tagging paragraphs: " + reason});
  }

  void read_lines(const std::string& file) {
    paragraph::ReadReport report;
    auto paragraphs = paragraph::read_paragraphs(file, report);
    for (const auto& rejected : report.ledger) reject(file, rejected.line, rejected.reason);
    take(std::move(paragraphs), file);
  }

  void read_papers(const std::vector<fs::path>& files) {
    const auto labeller = reference_labeller(context_);
    extract::RecipeOptions recipe;
    recipe.readers = extract::parse_recipe(context_.config().text("extract.recipe"));
    recipe.reading.labeller = labeller.get();
    recipe.reading.threads = context_.threads;
    recipe.reading.worker = worker_options(context_);
    const auto coverage = extract::read_papers(
        extract::group_files(files), recipe,
        [&](extract::Outcome&& outcome) {
          if (outcome.usable) take_document(*outcome.document, outcome.name);
        },
        context_.progress());
    for (const auto& item : coverage.ledger) reject(item.source, 0, item.reason);
  }

  void take_document(const extract::Document& document, const std::string& name) {
    ParagraphSource source;
    source.document = &document;
    source.name = name;
    source.citing_year = flags_.year != 0 ? flags_.year : newest_reference_year(document);
    source.works.resize(document.references.size());
    if (links_) {
      const auto paper = citing_paper(document);
      std::uint32_t row = links_->find(name);
      if (row == link::kNoRow) row = link::find_citing(*links_, paper.self, {});
      if (row != link::kNoRow) {
        const auto record = links_->record(row);
        source.citing = PaperId(std::string(record.id));
        if (flags_.year == 0 && record.year != 0) source.citing_year = record.year;
      }
      const auto linked = link::link_paper(*links_, paper, source.citing, source.citing_year, {});
      for (const auto& work : linked.works) {
        if (work.self || work.decision.row == link::kNoRow) continue;
        source.works[work.reference].emplace_back(std::string(links_->record(work.decision.row).id));
      }
    }
    const auto sections = flags_.sections == "all"       ? Sections::all
                          : flags_.sections == "leading" ? Sections::leading
                                                         : Sections::related;
    auto paragraphs = paragraphs_of(source, sections);
    if (paragraphs.empty()) {
      reject(document.provenance.source, 0, "it has no paragraph in such sections (see --sections)");
      return;
    }
    take(std::move(paragraphs), name);
  }

  void take(std::vector<Paragraph> paragraphs, const std::string& source) {
    if (paragraphs.empty()) reject(source, 0, "it holds no paragraph");
    for (auto& paragraph : paragraphs) {
      ++totals_.read;
      if (paragraph.cited.size() < flags_.least_cited) {
        ++totals_.too_few_cited;
        continue;
      }
      paragraph.tags.clear();
      for (const auto& tag : tagger_.tag(paragraph.sentences)) paragraph.tags.push_back(tag.tag);
      paragraph::choose_topic(paragraph);
      count(paragraph);
      lines_ += paragraph::to_json_line(paragraph) + "\n";
    }
  }

  void count(const Paragraph& paragraph) {
    ++totals_.written;
    totals_.sentences += paragraph.sentences.size();
    totals_.cited += paragraph.cited.size();
    totals_.tagged_topics += paragraph::topic_of(paragraph.tags).tagged ? 1 : 0;
    for (const auto tag : paragraph.tags) ++totals_.tags[static_cast<std::size_t>(tag)];
  }

  Context& context_;
  const Flags& flags_;
  paragraph::Tagger tagger_;
  std::optional<link::LinkIndex> links_;
  std::optional<store::Catalog> catalog_;
  Totals totals_;
  std::string lines_;
};

void print_totals(const Totals& totals, const std::string& out, bool json) {
  if (json) {
    nlohmann::ordered_json answer{{"paragraphs", totals.read},
                                  {"written", totals.written},
                                  {"too_few_cited", totals.too_few_cited},
                                  {"rejected", totals.rejected},
                                  {"sentences", totals.sentences},
                                  {"cited", totals.cited},
                                  {"topics_by_tag", totals.tagged_topics}};
    for (std::size_t i = 0; i < totals.tags.size(); ++i)
      answer["tags"][std::string(paragraph::name_of(static_cast<paragraph::Discourse>(i)))] = totals.tags[i];
    fmt::print("{}\n", answer.dump());
    return;
  }
  fmt::print("{}: {} paragraphs = {} written + {} that cite too little; {} files or lines gave none\n", out,
             totals.read, totals.written, totals.too_few_cited, totals.rejected);
  fmt::print("{} sentences, {} cited papers; {} topic sentences by a transition, {} by the first sentence\n",
             totals.sentences, totals.cited, totals.tagged_topics, totals.written - totals.tagged_topics);
  std::string counts;
  for (std::size_t i = 0; i < totals.tags.size(); ++i)
    counts += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                          paragraph::name_of(static_cast<paragraph::Discourse>(i)), totals.tags[i]);
  fmt::print("{}\n", counts);
}

}  // namespace

void add_paragraphs_tag(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand(
      "tag", "Paragraphs of papers or of plain text, with tags, topic sentence and cited works");
  auto flags = std::make_shared<Flags>();
  verb->add_option(
          "files", flags->files,
          "Papers (.pdf, .tei.xml, .mmd), plain text (.txt, .md), or paragraphs (.jsonl; CORWA's too)")
      ->required();
  verb->add_option("--out", flags->out, "Paragraphs to write: JSONL")->required();
  verb->add_option("--model", flags->model,
                   "Folder of the tagger (default: the workspace's, else the one that ships)");
  verb->add_option("--sections", flags->sections, "Of papers: related, leading (and introduction) or all")
      ->check(CLI::IsMember({"related", "leading", "all"}));
  verb->add_option("--least-cited", flags->least_cited,
                   "Leave out paragraphs that cite fewer papers of the catalog");
  verb->add_option("--year", flags->year, "Year of the papers, where neither catalog nor references tell")
      ->check(CLI::Range(1800, 2100));
  verb->add_flag("--without-links", flags->without_links, "Do not look up what is cited in the catalog");
  verb->add_flag("--json", context.json, "Print the counts as JSON");
  verb->callback([&context, &action, flags] {
    action = [&context, flags] {
      TagWork work(context, *flags);
      work.run();
      print_totals(work.totals(), flags->out, context.json);
      return 0;
    };
  });
}

void add_paragraphs(CLI::App& app, Context& context, Action& action) {
  auto* verb =
      app.add_subcommand("paragraphs", "Paragraphs with topic sentences: from papers, as queries, ranked");
  verb->require_subcommand(1);
  add_paragraphs_tag(*verb, context, action);
  add_paragraphs_queries(*verb, context, action);
  add_paragraphs_rank(*verb, context, action);
}

}  // namespace mustcite::cli
