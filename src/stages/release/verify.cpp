#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/text/normalise.hpp"
#include "stages/release/layout.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostProblems = 50;

struct DocumentFacts {
  std::string title_key;
  int year = 0;
};

struct QueryFacts {
  std::string split;
  std::string title_key;
  int year = 0;
};

class Verifier {
 public:
  explicit Verifier(fs::path folder) : folder_(std::move(folder)) {
    try {
      manifest_ = Json::parse(io::read_file(folder_ / kManifest, std::size_t{64} << 20));
    } catch (const Json::exception&) {
      fail(ErrorCode::corrupt, "{} is no JSON: fetch the release again", (folder_ / kManifest).string());
    }
    if (manifest_.value("format", "") != "mustcite-release" || !manifest_.contains("files") ||
        !manifest_["files"].is_object()) {
      fail(ErrorCode::corrupt, "{} is not the manifest of a release", (folder_ / kManifest).string());
    }
    if (manifest_.value("format_version", 0) != kFormatVersion) {
      fail(ErrorCode::corrupt, "{} has release format {}, this program reads {}", folder_.string(),
           manifest_.value("format_version", 0), kFormatVersion);
    }
  }

  Verdict run() {
    check_files();
    if (!verdict_.problems.empty()) return verdict_;  // content checks need sound files
    read_corpus();
    read_queries();
    check_qrels();
    check_evidence();
    return verdict_;
  }

 private:
  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    if (verdict_.problems.size() < kMostProblems) {
      verdict_.problems.push_back(fmt::format(format, std::forward<Args>(args)...));
    }
  }

  void check_files() {
    std::set<std::string> present;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) present.insert(fs::relative(entry.path(), folder_).string());
    }
    present.erase(kManifest);
    for (const auto& [path, facts] : manifest_["files"].items()) {
      ++verdict_.files;
      if (present.erase(path) == 0) {
        problem("{} is missing", path);
        continue;
      }
      if (fs::file_size(folder_ / path) != facts.value("bytes", std::uint64_t{0})) {
        problem("{} has another size than the manifest says", path);
      } else if (sha256_file(folder_ / path) != facts.value("sha256", "")) {
        problem("{} has another sha256 than the manifest says", path);
      }
    }
    for (const auto& path : present) problem("{} is not in the manifest", path);
    for (const char* needed : {kCorpus, kQueries, kEvidencePapers, kEvidenceCitations}) {
      if (!manifest_["files"].contains(needed)) problem("the manifest does not name {}", needed);
    }
  }

  template <typename Visit>
  void each_line(const std::string& name, const Visit& visit) {
    io::LineReader lines(folder_ / name);
    std::string_view line;
    while (lines.next(line)) {
      const Json json = Json::parse(line, nullptr, false);
      if (!json.is_object()) {
        problem("{} line {} is no JSON object", name, lines.line_number());
      } else {
        visit(json);
      }
    }
  }

  void read_corpus() {
    const std::string pool = manifest_.value(Json::json_pointer("/config/pool_years"), std::string{});
    const Years years = parse_years(pool);
    each_line(kCorpus, [&](const Json& json) {
      const std::string id = json.value("_id", "");
      const int year = json.value("year", 0);
      if (!corpus_.emplace(id, DocumentFacts{text::title_key(json.value("title", "")), year}).second)
        problem("document {} stands twice", id);
      if (!years.contains(year)) problem("document {} of {} is outside the pool years {}", id, year, pool);
    });
    expect_count("corpus", corpus_.size());
  }

  void read_queries() {
    each_line(kQueries, [&](const Json& json) {
      QueryFacts facts{json.value("split", ""), text::title_key(json.value("title", "")),
                       json.value("year", 0)};
      const std::string id = json.value("_id", "");
      if (!queries_.emplace(id, facts).second) problem("query {} stands twice", id);
      // Another split may reuse a title only when it is the same paper.
      const auto [other, is_new] = split_of_title_.emplace(facts.title_key, facts.split);
      if (!is_new && other->second != facts.split) problem("the title of query {} stands in two splits", id);
    });
  }

  /// Judgements, grades and masks: `<folder>/<split>.tsv` or `qrels/<split>/<tier>.tsv`.
  void check_qrels() {
    for (const auto& [path, facts] : manifest_["files"].items()) {
      const bool is_qrels = path.starts_with("qrels/");
      if (!is_qrels && !path.starts_with("graded/") && !path.starts_with("mask/")) continue;
      const std::string rest = path.substr(path.find('/') + 1);
      const std::string split = rest.substr(0, rest.find(is_qrels ? '/' : '.'));
      std::uint64_t pairs = 0;
      std::unordered_set<std::string> queries;
      io::LineReader lines(folder_ / path);
      std::string_view line;
      lines.next(line);  // header
      while (lines.next(line)) {
        ++pairs;
        queries.emplace(line.substr(0, line.find('\t')));
        check_qrel(path, split, lines.line_number(), std::string(line));
      }
      if (is_qrels) check_tier_counts(split, fs::path(path).stem().string(), queries.size(), pairs);
    }
  }

  static std::string pair_of(std::string_view line) {
    return std::string(line.substr(0, line.find('\t', line.find('\t') + 1)));
  }

  /// The citations of a split's queries: every tier is a part of them. Empty when the release does not list
  /// them.
  const std::unordered_set<std::string>& cited_pairs(const std::string& split) {
    const auto [known, is_new] = cited_pairs_.try_emplace(split);
    const std::string path = qrels_path(split, tier_name(Tier::all));
    if (!is_new || !manifest_["files"].contains(path)) return known->second;
    io::LineReader lines(folder_ / path);
    std::string_view line;
    lines.next(line);  // header
    while (lines.next(line)) known->second.insert(pair_of(line));
    return known->second;
  }

  void check_tier_counts(const std::string& split, const std::string& tier, std::uint64_t queries,
                         std::uint64_t pairs) {
    const auto stated = [&](const char* what) {
      return manifest_.value(Json::json_pointer(fmt::format("/counts/splits/{}/{}/{}", split, what, tier)),
                             std::uint64_t{0});
    };
    if (stated("queries_by_tier") != queries || stated("pairs_by_tier") != pairs) {
      problem("the manifest counts {} queries and {} pairs of {} {}, the file holds {} and {}",
              stated("queries_by_tier"), stated("pairs_by_tier"), split, tier, queries, pairs);
    }
  }

  void check_qrel(const std::string& path, const std::string& split, std::uint64_t number,
                  const std::string& line) {
    const auto first = line.find('\t');
    const auto second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      problem("{} line {} has not three columns", path, number);
      return;
    }
    const auto query = queries_.find(line.substr(0, first));
    const auto document = corpus_.find(line.substr(first + 1, second - first - 1));
    if (query == queries_.end() || query->second.split != split) {
      problem("{} line {} names a query that is not in split {}", path, number, split);
    } else if (document == corpus_.end()) {
      problem("{} line {} names a document that is not in the corpus", path, number);
    } else if (document->second.title_key == query->second.title_key) {
      problem("{} line {}: the query is judged on a document of its own title", path, number);
    } else if (document->second.year >= query->second.year) {
      problem("{} line {}: the query of {} is judged on a document of {}", path, number, query->second.year,
              document->second.year);
    } else if (const auto& cited = cited_pairs(split); !cited.empty() && !cited.contains(pair_of(line))) {
      problem("{} line {} is no citation of the query", path, number);
    }
  }

  /// Evidence must be of the cut or older, and no dev or test query may lend its own citations.
  void check_evidence() {
    const int cut = parse_years(manifest_["config"].value("pool_years", "")).last;
    std::uint64_t rows = 0;
    each_line(kEvidenceCitations, [&](const Json& json) {
      ++rows;
      const std::string citing = json.value("citing_id", "");
      const int year = json.value("citing_year", 0);
      if (year > cut || year == 0) problem("evidence of {} is of {}, after the cut {}", citing, year, cut);
      const auto query = queries_.find(citing);
      if (query != queries_.end() && query->second.split != "train") {
        problem("{} is a {} query and its own citations are in the evidence", citing, query->second.split);
      }
      if (!corpus_.contains(json.value("cited_id", "")))
        problem("evidence of {} cites outside the corpus", citing);
    });
    expect_count("evidence", rows);
  }

  void expect_count(const char* name, std::uint64_t found) {
    const std::uint64_t stated = manifest_["counts"].value(name, std::uint64_t{0});
    if (stated != found) problem("the manifest counts {} {}, the file holds {}", stated, name, found);
  }

  fs::path folder_;
  Json manifest_;
  Verdict verdict_;
  std::unordered_map<std::string, DocumentFacts> corpus_;
  std::unordered_map<std::string, QueryFacts> queries_;
  std::unordered_map<std::string, std::string> split_of_title_;
  std::unordered_map<std::string, std::unordered_set<std::string>> cited_pairs_;
};

}  // namespace

Verdict verify(const fs::path& folder) {
  if (!fs::exists(folder / kManifest)) {
    fail(ErrorCode::not_found, "{} is no release: it has no {}", folder.string(), kManifest);
  }
  try {
    return Verifier(folder).run();
  } catch (const Json::exception& error) {
    fail(ErrorCode::corrupt, "{} has a field of the wrong type ({}): fetch the release again",
         folder.string(), error.what());
  }
}

}  // namespace mustcite::release
