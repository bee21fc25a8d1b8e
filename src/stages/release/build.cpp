#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/schema/jsonl.hpp"
#include "stages/release/card.hpp"
#include "stages/release/core_citation.hpp"
#include "stages/release/core_set.hpp"
#include "stages/release/labels.hpp"
#include "stages/release/layout.hpp"
#include "stages/release/options.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {
namespace {

namespace fs = std::filesystem;

/// A file of the release that counts and digests what is written to it.
class ReleaseFile {
 public:
  ReleaseFile(const fs::path& folder, std::string name)
      : name_(std::move(name)), writer_(prepare(folder / name_)) {}
  void write(const std::string& text) {
    sha_.update(text);
    writer_.write(std::string_view(text));
  }
  FileEntry close() {
    writer_.close();
    return {name_, sha_.hex(), writer_.size()};
  }

 private:
  static fs::path prepare(const fs::path& path) {
    fs::create_directories(path.parent_path());
    return path;
  }

  std::string name_;
  Sha256 sha_;
  io::FileWriter writer_;
};

struct PaperFacts {
  int year = 0;
  bool has_abstract = false;
  bool in_pool = false;
  bool venue_asked = false;
  std::string venue;
};

struct Judged {
  std::string cited;
  std::vector<Tier> tiers;
  bool type4 = false;
};

struct SplitQuery {
  std::string id;
  int year = 0;
  std::vector<Judged> judged;
  bool type4_known = false;  ///< cited by enough later papers to tell
};

/// One build: the passes over the catalog share what the earlier ones learnt.
class Builder {
 public:
  Builder(const store::Catalog& catalog, const Options& options, const fs::path& folder)
      : catalog_(catalog),
        options_(options),
        folder_(folder),
        labels_(catalog, options),
        core_(catalog, options) {
    catalog.each_fact(store::kReaderFact, [&](std::string_view paper, std::string_view reader) {
      readers_.emplace(paper, reader);
    });
  }

  Report run(Progress& progress) {
    for (const auto& [split, years] : options_.splits) report_.splits[split];
    progress.begin("release", 0);
    write_corpus(progress);
    read_citations(progress);
    write_evidence_papers();
    write_queries();
    if (options_.type4) find_type4();
    for (const auto& [split, queries] : queries_) {
      write_qrels(split, queries);
      write_graded(split, queries);
      if (labels_.has(Tier::type1) || labels_.has(Tier::type2) || options_.type4) write_mask(split, queries);
    }
    if (!options_.previous.empty()) find_changes();
    write_card();
    std::sort(files_.begin(), files_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    io::write_file_atomically(folder_ / kManifest, manifest_text(options_, report_, files_));
    progress.finish();
    return report_;
  }

 private:
  void write_corpus(Progress& progress) {
    ReleaseFile corpus(folder_, kCorpus);
    catalog_.each_paper([&](const Paper& paper) {
      PaperFacts facts;
      facts.year = paper.date.year;
      facts.has_abstract = !paper.abstract.empty();
      facts.in_pool = facts.has_abstract && options_.pool.contains(paper.date.year) && core_.contains(paper);
      facts.venue = paper.venue;
      const auto& venues = options_.query_venues;
      facts.venue_asked =
          venues.empty() || std::find(venues.begin(), venues.end(), paper.venue) != venues.end();
      papers_.emplace(paper.id.str(), facts);
      if (facts.in_pool) {
        corpus.write(corpus_line(paper));
        ++report_.corpus;
        ++facts_.corpus_by_venue[paper.venue];
        ++facts_.corpus_by_year[paper.date.year];
        ++facts_.corpus_by_venue_and_year[paper.venue][paper.date.year];
      }
      progress.advance(1);
    });
    files_.push_back(corpus.close());
  }

  /// Streams the citations once: they come grouped by citing paper.
  void read_citations(Progress& progress) {
    ReleaseFile evidence(folder_, kEvidenceCitations);
    std::vector<Citation> group;
    const auto flush = [&] {
      if (!group.empty()) add_citing_paper(group, evidence);
      group.clear();
    };
    catalog_.each_citation([&](const Citation& citation) {
      if (!group.empty() && group.front().citing != citation.citing) flush();
      group.push_back(citation);
      progress.advance(1);
    });
    flush();
    files_.push_back(evidence.close());
  }

  void add_citing_paper(std::vector<Citation>& group, ReleaseFile& evidence) {
    const std::string& citing = group.front().citing.str();
    const auto found = papers_.find(citing);
    int year = 0;
    for (const auto& citation : group) year = std::max(year, citation.citing_year);
    if (year == 0 && found != papers_.end()) year = found->second.year;
    if (year == 0) return;  // an undated citing paper can neither be a query nor be evidence of a date
    const std::string reader = reader_of(citing);
    const auto& asked = options_.readers;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), reader) == asked.end()) return;
    bool used = year <= options_.pool.last && add_evidence(group, year, evidence);
    if (found != papers_.end() && found->second.venue_asked) {
      for (const auto& [split, years] : options_.splits)
        used = (years.contains(year) && add_query(split, citing, year, found->second, group)) || used;
    }
    if (used) count_coverage(reader, group);
  }

  std::string reader_of(const std::string& paper) const {
    const auto found = readers_.find(paper);
    return found == readers_.end() ? "imported" : found->second;
  }

  void count_coverage(const std::string& reader, const std::vector<Citation>& group) {
    auto& coverage = facts_.by_reader[reader];
    ++coverage.papers;
    for (const auto& citation : group) {
      const auto cited = papers_.find(citation.cited.str());
      if (cited == papers_.end() || !cited->second.in_pool) continue;
      ++coverage.citations;
      coverage.located += citation.mentions ? 1 : 0;
      coverage.with_sentences += citation.contexts.empty() ? 0 : 1;
    }
  }

  /// Whether any of its citations is evidence.
  bool add_evidence(std::vector<Citation>& group, int year, ReleaseFile& evidence) {
    bool any = false;
    for (auto& citation : group) {
      const auto cited = papers_.find(citation.cited.str());
      if (cited == papers_.end() || !cited->second.in_pool || citation.cited == citation.citing) continue;
      citation.citing_year = year;
      if (options_.with_contexts) {
        evidence.write(to_json_line(citation) + "\n");
      } else {
        Citation bare = citation;
        bare.contexts.clear();
        evidence.write(to_json_line(bare) + "\n");
      }
      ++report_.evidence;
      if (citation.mentions) {
        ++facts_.mentions[std::clamp(*citation.mentions, 1, kMostMentions)];
      } else {
        ++facts_.mentions_unknown;
      }
      any = true;
    }
    const auto citing = papers_.find(group.front().citing.str());
    if (any && citing != papers_.end() && !citing->second.in_pool) evidence_papers_.push_back(citing->first);
    return any;
  }

  /// Whether it became a query.
  bool add_query(const std::string& split, const std::string& citing, int year, const PaperFacts& facts,
                 const std::vector<Citation>& group) {
    auto& numbers = report_.splits[split];
    ++numbers.candidates;
    if (!facts.has_abstract) {
      ++numbers.without_abstract;
      return false;
    }
    SplitQuery query{citing, year, {}, false};
    for (const auto& citation : group) {
      const auto cited = papers_.find(citation.cited.str());
      if (cited == papers_.end() || !cited->second.in_pool || cited->second.year >= year) continue;
      if (citation.cited == citation.citing) continue;
      query.judged.push_back({citation.cited.str(), tiers_of(citation), false});
    }
    const bool has_must = std::any_of(query.judged.begin(), query.judged.end(),
                                      [](const Judged& judged) { return judged.tiers.back() == Tier::must; });
    if (query.judged.empty() || (options_.must_queries_only && !has_must)) {
      ++numbers.without_relevant;
      return false;
    }
    ++numbers.queries;
    ++facts_.queries_by_venue[split][facts.venue];
    for (const auto& judged : query.judged) {
      auto& labelled = facts_.labelled_pairs[split];
      labelled[Tier::type1] += labels_.type1(citing, judged.cited) >= 0 ? 1 : 0;
      labelled[Tier::type2] += labels_.type2(citing, judged.cited) >= 0 ? 1 : 0;
    }
    queries_[split].push_back(std::move(query));
    return true;
  }

  std::vector<Tier> tiers_of(const Citation& citation) const {
    std::vector<Tier> tiers{Tier::all};
    for (const Tier tier : {Tier::type3, Tier::experiments}) {
      if (counts_for(citation, tier, options_.tiers)) tiers.push_back(tier);
    }
    if (labels_.type1(citation.citing.str(), citation.cited.str()) > 0) tiers.push_back(Tier::type1);
    if (labels_.type2(citation.citing.str(), citation.cited.str()) >= options_.tiers.type2_threshold)
      tiers.push_back(Tier::type2);
    // The stand-in for Type I counts only where there are no Type I labels.
    const bool is_must = std::any_of(tiers.begin(), tiers.end(), [&](Tier tier) {
      return tier == Tier::type1 || tier == Tier::type2 || tier == Tier::type3 ||
             (tier == Tier::experiments && !labels_.has(Tier::type1));
    });
    if (is_must) tiers.push_back(Tier::must);
    return tiers;
  }

  void write_evidence_papers() {
    ReleaseFile file(folder_, kEvidencePapers);
    for (const auto& id : evidence_papers_) {
      const auto paper = catalog_.paper(PaperId(id));
      if (!paper) fail(ErrorCode::internal, "paper {} left the catalog while the release was built", id);
      file.write(to_json_line(*paper) + "\n");
      ++report_.evidence_papers;
    }
    files_.push_back(file.close());
  }

  void write_queries() {
    ReleaseFile file(folder_, kQueries);
    for (const auto& [split, queries] : queries_) {
      for (const auto& query : queries) {
        const auto paper = catalog_.paper(PaperId(query.id));
        if (!paper)
          fail(ErrorCode::internal, "paper {} left the catalog while the release was built", query.id);
        file.write(query_line(*paper, split, query.year));
      }
    }
    files_.push_back(file.close());
  }

  void write_qrels(const std::string& split, const std::vector<SplitQuery>& queries) {
    std::vector<Tier> tiers{Tier::all, Tier::experiments, Tier::must, Tier::type3};
    if (labels_.has(Tier::type1)) tiers.push_back(Tier::type1);
    if (labels_.has(Tier::type2)) tiers.push_back(Tier::type2);
    auto& numbers = report_.splits[split];
    for (const Tier tier : tiers) {
      const std::string name = tier_name(tier);
      auto& queries_of_tier = numbers.queries_by_tier[name];
      auto& pairs_of_tier = numbers.pairs_by_tier[name];
      ReleaseFile file(folder_, qrels_path(split, name));
      file.write("query-id\tcorpus-id\tscore\n");
      for (const auto& query : queries) {
        std::uint64_t pairs = 0;
        for (const auto& judged : query.judged) {
          if (std::find(judged.tiers.begin(), judged.tiers.end(), tier) == judged.tiers.end()) continue;
          file.write(fmt::format("{}\t{}\t1\n", query.id, judged.cited));
          ++pairs;
        }
        pairs_of_tier += pairs;
        queries_of_tier += pairs > 0 ? 1 : 0;
      }
      files_.push_back(file.close());
    }
  }

  /// 1 for a citation, one more for each of Type I, II and III.
  void write_graded(const std::string& split, const std::vector<SplitQuery>& queries) {
    ReleaseFile file(folder_, "graded/" + split + ".tsv");
    file.write("query-id\tcorpus-id\tscore\n");
    for (const auto& query : queries) {
      for (const auto& judged : query.judged) {
        const auto grade = 1 + std::count_if(judged.tiers.begin(), judged.tiers.end(), [](Tier tier) {
                             return tier == Tier::type1 || tier == Tier::type2 || tier == Tier::type3;
                           });
        file.write(fmt::format("{}\t{}\t{}\n", query.id, judged.cited, grade));
      }
    }
    files_.push_back(file.close());
  }

  /// The pairs that nobody has labelled, tier by tier: unknown, not negative.
  void write_mask(const std::string& split, const std::vector<SplitQuery>& queries) {
    ReleaseFile file(folder_, "mask/" + split + ".tsv");
    file.write("query-id\tcorpus-id\ttier\n");
    for (const auto& query : queries) {
      for (const auto& judged : query.judged) {
        if (labels_.has(Tier::type1) && labels_.type1(query.id, judged.cited) < 0)
          file.write(fmt::format("{}\t{}\ttype1\n", query.id, judged.cited));
        if (labels_.has(Tier::type2) && labels_.type2(query.id, judged.cited) < 0)
          file.write(fmt::format("{}\t{}\ttype2\n", query.id, judged.cited));
        if (options_.type4 && !query.type4_known)
          file.write(fmt::format("{}\t{}\ttype4\n", query.id, judged.cited));
      }
    }
    files_.push_back(file.close());
  }

  /// Type IV: enough later papers cite both the query and the paper. Labels of training queries are drawn from
  /// the evidence alone: what evaluation queries cite must not reach a model.
  void find_type4() {
    std::vector<CoreQuery> asked;
    for (const auto& [split, queries] : queries_) {
      for (const auto& query : queries) {
        CoreQuery& one = asked.emplace_back(CoreQuery{query.id, query.year, split == "train" ? options_.pool.last : 0, {}});
        for (const auto& judged : query.judged) one.cited.push_back(judged.cited);
      }
    }
    const CoreCitations core(catalog_, asked, [&](const std::string& id) {
      const auto found = papers_.find(id);
      return found == papers_.end() ? 0 : found->second.year;
    });
    const auto threshold = static_cast<std::uint64_t>(options_.type4_threshold);
    for (auto& [split, queries] : queries_) {
      auto& facts = facts_.core_citations[split];
      for (auto& query : queries) {
        query.type4_known = core.later(query.id) >= threshold;
        facts.later_papers += core.later(query.id);
        facts.known_queries += query.type4_known ? 1 : 0;
        for (auto& judged : query.judged) judged.type4 = core.together(query.id, judged.cited) >= threshold;
      }
      write_type4(split, queries);
    }
  }

  void write_type4(const std::string& split, const std::vector<SplitQuery>& queries) {
    auto& numbers = report_.splits[split];
    auto& pairs = numbers.pairs_by_tier["type4"];
    auto& with_pairs = numbers.queries_by_tier["type4"];
    ReleaseFile file(folder_, qrels_path(split, "type4"));
    file.write("query-id\tcorpus-id\tscore\n");
    for (const auto& query : queries) {
      bool any = false;
      for (const auto& judged : query.judged) {
        if (!judged.type4) continue;
        file.write(fmt::format("{}\t{}\t1\n", query.id, judged.cited));
        any = true;
        ++pairs;
      }
      with_pairs += any ? 1 : 0;
    }
    files_.push_back(file.close());
  }

  /// Compared with the release before, by what is written so far. The manifest of that state gives way to the
  /// final one.
  void find_changes() {
    io::write_file_atomically(folder_ / kManifest, manifest_text(options_, report_, files_));
    facts_.changes = diff(options_.previous, folder_);
  }

  void write_card() {
    facts_.core_by_all = core_.size_by_all();
    facts_.core_without_queries = core_.size_without_queries();
    facts_.label_values = labels_.counts();
    facts_.label_sources = labels_.sources();
    facts_.labels_unsure = labels_.unsure();
    for (const auto& source : facts_.label_sources) facts_.label_values[source.first];
    for (const auto& card : make_card(options_, report_, facts_)) {
      ReleaseFile file(folder_, card.path);
      file.write(card.bytes);
      files_.push_back(file.close());
    }
  }

  const store::Catalog& catalog_;
  const Options& options_;
  fs::path folder_;
  Report report_;
  std::vector<FileEntry> files_;
  std::unordered_map<std::string, PaperFacts> papers_;
  std::unordered_map<std::string, std::string> readers_;
  Labels labels_;
  CardFacts facts_;
  CoreSet core_;
  std::vector<std::string> evidence_papers_;
  std::map<std::string, std::vector<SplitQuery>> queries_;
};

}  // namespace

Report build(const store::Catalog& catalog, const Options& options, const fs::path& folder,
             Progress& progress) {
  check_options(options);
  const store::Catalog::Reading one_state(catalog);
  io::StagedDirectory staged(folder);
  Report report = Builder(catalog, options, staged.path()).run(progress);
  staged.publish();
  return report;
}

}  // namespace mustcite::release
