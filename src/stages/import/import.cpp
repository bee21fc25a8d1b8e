#include "stages/import/import.hpp"

#include <chrono>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "core/base/date.hpp"
#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/text/normalise.hpp"
#include "stages/import/checks.hpp"
#include "stages/import/formats.hpp"
#include "stages/import/producer.hpp"

namespace mustcite::importing {
namespace {

namespace fs = std::filesystem;

struct Source {
  fs::path file;
  Kind kind = Kind::papers;
};

int year_after_next() {
  const std::chrono::year_month_day today{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return static_cast<int>(today.year()) + 2;
}

std::uint64_t hash_of(std::string_view text) {
  return checksum64({reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

/// Puts checked items into the catalog and counts what became of them.
class Importer {
 public:
  Importer(store::Catalog& catalog, const Options& options, Report& report)
      : catalog_(catalog), options_(options), report_(report) {}

  void import_file(const Source& source, Progress& progress) {
    source_ = source.file.string();
    titles_.clear();
    std::error_code unknown;
    const auto size = fs::file_size(source.file, unknown);
    progress.begin("import " + source.file.filename().string(), unknown ? 0 : size);
    const int latest_year = options_.latest_year != 0 ? options_.latest_year : year_after_next();
    Producer producer([&source](Output& output) { read_source(source, output); },
                      [latest_year](Item& item) { check(item, latest_year); });
    std::uint64_t told = 0;
    Producer::Block block;
    std::optional<store::Catalog::Batch> batch;
    std::size_t in_batch = 0;
    while (producer.next(block)) {
      for (Item& item : block.items) {
        if (!batch) batch.emplace(catalog_);
        take(item);
        if (++in_batch < options_.batch) continue;
        batch->commit();
        batch.reset();
        in_batch = 0;
        stop_if_interrupted();
      }
      progress.advance(block.consumed - told);
      told = block.consumed;
    }
    if (batch) batch->commit();
    progress.finish();
  }

 private:
  static void read_source(const Source& source, Output& output) {
    switch (source.kind) {
      case Kind::bibtex:
        return read_bibtex(source.file, output);
      case Kind::acl_xml:
        return read_acl_xml(source.file, output);
      default:
        return read_lines(source.file, source.kind, output);
    }
  }

  void take(Item& item) {
    if (item.repaired_utf8) ++report_.repaired_utf8;
    if (auto* paper = std::get_if<Paper>(&item.content)) {
      take_paper(*paper, item);
    } else if (auto* citation = std::get_if<Citation>(&item.content)) {
      take_citation(*citation, item);
    } else if (auto* abstract = std::get_if<AbstractOnly>(&item.content)) {
      take_abstract(*abstract, item);
    } else {
      const auto& refused = std::get<Refused>(item.content);
      refuse(refused.is_citation ? report_.citations : report_.papers, item, refused.item, refused.reason);
    }
  }

  void refuse(Counts& counts, const Item& item, const std::string& name, const std::string& reason) {
    ++counts.read;
    ++counts.rejected;
    catalog_.reject({source_, item.line, name, reason});
  }

  void count(Counts& counts, const Item& item, const std::string& name, store::Outcome outcome) {
    ++counts.read;
    switch (outcome) {
      case store::Outcome::added:
        ++counts.added;
        break;
      case store::Outcome::updated:
        ++counts.updated;
        break;
      case store::Outcome::unchanged:
        ++counts.unchanged;
        break;
    }
    if (item.notes.empty()) return;
    ++report_.cut;
    for (const std::string& note : item.notes)
      catalog_.reject({source_, item.line, name, "kept, but: " + note});
  }

  void take_paper(const Paper& paper, const Item& item) {
    const std::string& id = paper.id.str();
    const std::string key = text::title_key(paper.title);
    const std::uint64_t title = hash_of(key);
    const auto [known, is_new] = titles_.try_emplace(hash_of(id), title);
    if (!is_new && known->second != title) {
      return refuse(report_.papers, item, id, "the id stands in this file before, with another title");
    }
    if (item.yields_to_known_title) {
      if (const std::optional<Paper> holder = catalog_.paper(paper.id);
          holder && text::title_key(holder->title) != key) {
        return refuse(report_.papers, item, id,
                      "the catalog holds another paper under this key: rename the entry");
      }
      for (const Paper& same : catalog_.papers_by_title(key)) {
        if (same.id != paper.id) return count(report_.papers, item, id, store::Outcome::unchanged);
      }
    }
    count(report_.papers, item, id, catalog_.put(paper));
  }

  void take_abstract(const AbstractOnly& abstract, const Item& item) {
    std::optional<Paper> paper = catalog_.paper(abstract.id);
    if (!paper) {
      return refuse(report_.papers, item, abstract.id.str(),
                    "an abstract of a paper that is not in the catalog: import the papers first");
    }
    paper->abstract = abstract.text;
    count(report_.papers, item, abstract.id.str(), catalog_.put(*paper));
  }

  void take_citation(Citation& citation, const Item& item) {
    if (citation.citing_year == 0) citation.citing_year = year_of(citation.citing);
    const int cited_year = year_of(citation.cited);
    if (citation.citing_year != 0 && cited_year > citation.citing_year) ++report_.citing_before_cited;
    count(report_.citations, item, citation.citing.str() + " -> " + citation.cited.str(),
          catalog_.put(citation));
  }

  /// The catalog's year of a paper, remembered: a citing paper comes with many citations. 0: unknown.
  int year_of(const PaperId& id) {
    constexpr std::size_t kMostRemembered = 500'000;
    if (const auto known = years_.find(id); known != years_.end()) return known->second;
    if (years_.size() >= kMostRemembered) years_.clear();
    const std::optional<Paper> paper = catalog_.paper(id);
    return years_[id] = paper ? paper->date.year : 0;
  }

  store::Catalog& catalog_;
  const Options& options_;
  Report& report_;
  std::string source_;
  /// Ids of this file with their titles, both hashed: 64 bits make a mix-up less likely than a damaged disk.
  std::unordered_map<std::uint64_t, std::uint64_t> titles_;
  std::unordered_map<PaperId, int> years_;
};

/// `name` plain or compressed; empty when there is none.
fs::path compressed_or_not(const fs::path& folder, const std::string& name) {
  for (const char* ending : {"", ".zst", ".gz"}) {
    std::error_code ignored;
    if (fs::path file = folder / (name + ending); fs::exists(file, ignored)) return file;
  }
  return {};
}

std::vector<Source> sources_of(const fs::path& input, Kind kind, Report& report) {
  std::error_code ignored;
  const bool folder = fs::is_directory(input, ignored);
  if (kind != Kind::beir && kind != Kind::release) {
    if (folder)
      fail(ErrorCode::invalid_input, "importing {}: a folder cannot hold {}; name its file", input.string(),
           kind_name(kind));
    return {{input, kind}};
  }
  if (!folder)
    fail(ErrorCode::invalid_input, "importing {}: {} is a folder with corpus.jsonl", input.string(),
         kind_name(kind));
  const fs::path corpus = compressed_or_not(input, "corpus.jsonl");
  if (corpus.empty()) fail(ErrorCode::not_found, "importing {}: corpus.jsonl is missing", input.string());
  std::vector<Source> sources{{corpus, Kind::papers}};
  if (kind == Kind::release) {
    if (const fs::path papers = compressed_or_not(input / "evidence", "papers.jsonl"); !papers.empty())
      sources.push_back({papers, Kind::papers});
    if (const fs::path pairs = compressed_or_not(input / "evidence", "citations.jsonl"); !pairs.empty())
      sources.push_back({pairs, Kind::citations});
  }
  // Queries and judgements are there to test with: taken in, they would answer themselves.
  for (const char* name : {"queries.jsonl", "qrels"}) {
    if (const fs::path file = compressed_or_not(input, name); !file.empty()) report.ignored.push_back(file);
  }
  return sources;
}

}  // namespace

Report run(store::Catalog& catalog, const fs::path& input, const Options& options, Progress& progress) {
  if (options.batch == 0) fail(ErrorCode::usage, "import: a batch holds at least one item");
  Report report;
  report.kind = options.kind == Kind::detect ? detect(input) : options.kind;
  std::error_code ignored;
  if (input != "-" && !fs::exists(input, ignored))
    fail(ErrorCode::not_found, "importing {}: no such file or folder", input.string());
  Importer importer(catalog, options, report);
  for (const Source& source : sources_of(input, report.kind, report)) importer.import_file(source, progress);
  report.dangling = catalog.counts().dangling_citations;
  return report;
}

}  // namespace mustcite::importing
