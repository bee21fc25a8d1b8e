#include "stages/extract/recipe.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/pdf/protocol.hpp"
#include "stages/extract/mentions.hpp"
#include "stages/extract/nougat/read_nougat.hpp"
#include "stages/extract/tei/read_tei.hpp"

namespace mustcite::extract {
namespace {

namespace fs = std::filesystem;

/// A list that is cited less than this was not read together with its text.
constexpr double kLeastCoverage = 0.3;

/// A paper on its way through the recipe.
struct Paper {
  const PaperFiles* files = nullptr;
  Outcome outcome;
  std::optional<Document> faulty;  ///< the first one of that verdict
  std::optional<Document> failed;  ///< the first one that could be read at all
  std::optional<Document> native;  ///< kept for comparison with Nougat's
  NougatResult nougat;
  bool done = false;
};

std::string error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "not-found";
    case ErrorCode::exhausted:
      return "exhausted";
    case ErrorCode::unavailable:
      return "unavailable";
    default:
      return "unreadable";
  }
}

/// Everything the readers share.
class Readers {
 public:
  explicit Readers(const RecipeOptions& options) : options_(options) {
    if (uses(Reader::grobid) && options.grobid) {
      grobid_ = std::make_unique<GrobidClient>(*options.grobid);
      grobid_->connect();
    }
  }

  [[nodiscard]] bool uses(Reader reader) const {
    return std::find(options_.readers.begin(), options_.readers.end(), reader) != options_.readers.end();
  }
  [[nodiscard]] bool has_source(const Paper& paper, Reader reader) const {
    const PaperFiles& files = *paper.files;
    switch (reader) {
      case Reader::native:
        return !files.pdf.empty();
      case Reader::grobid:
        return !files.tei.empty() || (grobid_ != nullptr && !files.pdf.empty());
      case Reader::nougat:
        return !files.nougat.empty() || (options_.nougat && !files.pdf.empty());
    }
    return false;
  }

  /// Throws what the reader throws.
  Document read(Paper& paper, Reader reader) {
    const PaperFiles& files = *paper.files;
    switch (reader) {
      case Reader::native:
        return native(files);
      case Reader::grobid: {
        if (!files.tei.empty())
          return read_tei(io::read_file(files.tei, kMostTeiBytes), files.tei.filename().string(),
                          options_.reading);
        const std::string name = files.pdf.filename().string();
        return read_tei(grobid_->process(io::read_file(files.pdf, pdf::kMaxFileBytes), name), name,
                        options_.reading);
      }
      case Reader::nougat:
        break;
    }
    const fs::path markup = files.nougat.empty() ? paper.nougat.markup : files.nougat;
    if (markup.empty())
      fail(ErrorCode::invalid_input, "reading {} by Nougat: {}", files.name, paper.nougat.reason);
    if (!paper.native && !files.pdf.empty()) paper.native = native_or_nothing(files);
    const fs::path name = files.nougat.empty() ? files.pdf : files.nougat;
    return read_nougat(io::read_file(markup, kMostNougatBytes), name.filename().string(),
                       paper.native ? &*paper.native : nullptr, options_.reading);
  }

  /// Runs the command for the papers of a block that have no markup yet.
  void make_markup(std::vector<Paper>& papers) {
    if (!options_.nougat) return;
    std::vector<fs::path> files;
    std::vector<Paper*> waiting;
    for (auto& paper : papers) {
      if (paper.done || !paper.files->nougat.empty() || !fs::exists(paper.files->pdf)) continue;
      files.push_back(paper.files->pdf);
      waiting.push_back(&paper);
    }
    if (files.empty()) return;
    auto results = run_nougat(files, *options_.nougat);
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i]->nougat = std::move(results[i]);
  }

  [[nodiscard]] WorkerCounts workers() const { return pool_ ? pool_->counts() : WorkerCounts{}; }
  void start_pool() {
    if (!pool_) pool_ = std::make_unique<WorkerPool>(options_.reading.worker);
  }

 private:
  Document native(const PaperFiles& files) { return read_pdf(files.pdf, options_.reading, *pool_); }
  /// For comparison only: a PDF that cannot be read has nothing to compare.
  std::optional<Document> native_or_nothing(const PaperFiles& files) {
    try {
      return native(files);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::internal) throw;
      return std::nullopt;
    }
  }

  const RecipeOptions& options_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<GrobidClient> grobid_;
};

/// One reader's try at one paper. Never throws for the paper's own faults.
void try_reader(Readers& readers, Reader reader, Paper& paper) {
  if (!readers.has_source(paper, reader)) {
    paper.outcome.attempts.push_back(
        {reader, Verdict::no_source, {}, "no file of this kind, and no way to make one"});
    return;
  }
  try {
    Document document = readers.read(paper, reader);
    Attempt attempt = judge(document);
    const Verdict verdict = attempt.verdict;
    paper.outcome.attempts.push_back(std::move(attempt));
    if (verdict == Verdict::good) {
      paper.outcome.document = std::move(document);
      paper.outcome.usable = paper.done = true;
      return;
    }
    if (reader == Reader::native) paper.native = document;
    auto& place = verdict == Verdict::faulty ? paper.faulty : paper.failed;
    if (!place) place = std::move(document);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::internal) throw;
    paper.outcome.attempts.push_back({reader, Verdict::failed, error_name(error.code()), error.what()});
  }
}

void settle(Paper& paper) {
  paper.outcome.name = paper.files->name;
  if (paper.done) return;
  paper.outcome.usable = paper.faulty.has_value();
  paper.outcome.document = paper.faulty ? std::move(paper.faulty) : std::move(paper.failed);
}

std::string reasons_of(const Outcome& outcome) {
  std::string reasons;
  for (const auto& attempt : outcome.attempts) {
    if (attempt.verdict == Verdict::no_source) continue;
    if (!reasons.empty()) reasons += "; ";
    reasons += fmt::format("{}: {}", reader_name(attempt.reader), attempt.message);
  }
  return reasons.empty() ? "no reader of the recipe has a file to read, or a way to make one" : reasons;
}

/// Problems that leave nothing to use; the others that count leave a part.
bool is_fatal(ProblemKind kind) {
  constexpr std::array kFatal{ProblemKind::needs_nougat, ProblemKind::no_references,
                              ProblemKind::renumbered_references, ProblemKind::alpha_tag_mismatch,
                              ProblemKind::invented_citations};
  return std::find(kFatal.begin(), kFatal.end(), kind) != kFatal.end();
}
bool is_fault(ProblemKind kind) {
  return kind == ProblemKind::missing_pages || kind == ProblemKind::repetition ||
         kind == ProblemKind::digit_confusion;
}

}  // namespace

const char* verdict_name(Verdict verdict) noexcept {
  constexpr std::array kNames{"good", "faulty", "failed", "no source"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<Reader> parse_recipe(const std::string& name) {
  if (name == "default") return {Reader::native, Reader::grobid, Reader::nougat};
  if (name == "published") return {Reader::nougat, Reader::grobid};
  for (const Reader reader : {Reader::native, Reader::grobid, Reader::nougat}) {
    if (name == reader_name(reader)) return {reader};
  }
  fail(ErrorCode::usage, "'{}' is no recipe; give default, published, native, grobid or nougat", name);
}

std::vector<PaperFiles> group_files(const std::vector<fs::path>& files) {
  std::vector<PaperFiles> papers;
  std::map<std::string, std::size_t> known;
  for (const auto& file : files) {
    std::string stem = file.filename().string();
    fs::path PaperFiles::*kind = &PaperFiles::pdf;
    for (const auto& [ending, member] : {std::pair{".grobid.tei.xml", &PaperFiles::tei},
                                         {".tei.xml", &PaperFiles::tei},
                                         {".mmd", &PaperFiles::nougat},
                                         {".pdf", &PaperFiles::pdf}}) {
      if (!stem.ends_with(ending) || stem.size() == std::string_view(ending).size()) continue;
      stem.resize(stem.size() - std::string_view(ending).size());
      kind = member;
      break;
    }
    const auto [at, added] = known.emplace(stem, papers.size());
    if (added) {
      papers.push_back({});
      papers.back().name = stem;
    }
    fs::path& place = papers[at->second].*kind;
    if (!place.empty())
      fail(ErrorCode::invalid_input,
           "reading {} and {}: two files of one kind for the paper '{}'; rename one", place.string(),
           file.string(), stem);
    place = file;
  }
  return papers;
}

Attempt judge(const Document& document) {
  Attempt attempt{document.provenance.reader, Verdict::good, {}, {}};
  const auto set = [&](Verdict verdict, const char* reason, const std::string& message) {
    if (verdict <= attempt.verdict) return;
    attempt.verdict = verdict;
    attempt.reason = reason;
    attempt.message = message;
  };
  for (const auto& problem : document.problems) {
    if (problem.mended) continue;
    if (is_fatal(problem.kind)) set(Verdict::failed, problem_name(problem.kind), problem.message);
    if (is_fault(problem.kind)) set(Verdict::faulty, problem_name(problem.kind), problem.message);
  }
  if (document.references.empty()) {
    set(Verdict::failed, problem_name(ProblemKind::no_references), "no reference list was found");
  } else if (document.mentions.empty()) {
    set(Verdict::failed, "no-mentions", fmt::format("no entry of {} is cited", document.references.size()));
  } else if (const double share = coverage(document, document.mentions); share < kLeastCoverage) {
    set(Verdict::faulty, problem_name(ProblemKind::uncited_references),
        fmt::format("{:.0f} % of {} entries are cited", share * 100, document.references.size()));
  }
  return attempt;
}

void Coverage::add(const Outcome& outcome) {
  ++papers;
  for (const auto& attempt : outcome.attempts) {
    if (attempt.verdict == Verdict::good || attempt.verdict == Verdict::no_source) continue;
    ++failures[{attempt.reader, attempt.reason}];
  }
  if (!outcome.usable) {
    ++unusable;
    ledger.push_back({outcome.name, reasons_of(outcome)});
    return;
  }
  const Document& document = *outcome.document;
  ++by_reader[document.provenance.reader];
  faulty += judge(document).verdict == Verdict::good ? 0 : 1;
  pages += document.provenance.pages;
  references += document.references.size();
  mentions += document.mentions.size();
}

Coverage read_papers(const std::vector<PaperFiles>& papers, const RecipeOptions& options,
                     const std::function<void(Outcome&&)>& visit, Progress& progress) {
  Coverage coverage;
  Readers readers(options);
  const bool pdfs = std::any_of(papers.begin(), papers.end(), [&](const PaperFiles& files) {
    return !files.pdf.empty() && (readers.uses(Reader::native) || readers.uses(Reader::nougat));
  });
  if (pdfs) readers.start_pool();
  std::size_t threads = options.reading.threads == 0 ? available_cores() : options.reading.threads;
  // GROBID works, we wait.
  const std::size_t waiting = options.grobid ? std::max(threads, options.grobid->concurrency) : threads;
  progress.begin("extract", papers.size());
  for (std::size_t from = 0; from < papers.size(); from += std::max<std::size_t>(1, options.block)) {
    const std::size_t count = std::min(std::max<std::size_t>(1, options.block), papers.size() - from);
    std::vector<Paper> block(count);
    for (std::size_t i = 0; i < count; ++i) block[i].files = &papers[from + i];
    for (const Reader reader : options.readers) {
      stop_if_interrupted();
      if (reader == Reader::nougat) readers.make_markup(block);
      parallel_for(count, reader == Reader::grobid ? waiting : threads, [&](std::size_t item, std::size_t) {
        stop_if_interrupted();
        if (!block[item].done) try_reader(readers, reader, block[item]);
      });
    }
    for (auto& paper : block) {
      settle(paper);
      coverage.add(paper.outcome);
      visit(std::move(paper.outcome));
    }
    progress.advance(count);
  }
  progress.finish();
  coverage.workers = readers.workers();
  return coverage;
}

std::string coverage_table(const Coverage& coverage) {
  const auto share = [&](std::size_t count) {
    return coverage.papers == 0 ? 0.0
                                : 100.0 * static_cast<double>(count) / static_cast<double>(coverage.papers);
  };
  std::string out = fmt::format("{:12} {:>8} {:>8}\n", "reader", "papers", "share");
  for (const auto& [reader, count] : coverage.by_reader)
    out += fmt::format("{:12} {:8} {:7.2f}%\n", reader_name(reader), count, share(count));
  out += fmt::format("{:12} {:8} {:7.2f}%\n", "unusable", coverage.unusable, share(coverage.unusable));
  out += fmt::format("{:12} {:8} {:7.2f}%\n", "all", coverage.papers, coverage.papers == 0 ? 0.0 : 100.0);
  if (coverage.faulty > 0) out += fmt::format("{} of the read papers have faults\n", coverage.faulty);
  if (coverage.failures.empty()) return out;
  out += fmt::format("\n{:12} {:24} {:>8}\n", "reader", "not good because", "papers");
  for (const auto& [key, count] : coverage.failures)
    out += fmt::format("{:12} {:24} {:8}\n", reader_name(key.first), key.second, count);
  return out;
}

}  // namespace mustcite::extract
