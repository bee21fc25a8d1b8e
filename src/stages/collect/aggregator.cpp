#include "stages/collect/aggregator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/net/url.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::collect {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kMostPages = 100;
constexpr const char* kBulk = "https://api.semanticscholar.org/graph/v1/paper/search/bulk";

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Listed read_entry(const json& object) {
  Listed entry;
  entry.id = text_of(object, "paperId");
  if (entry.id.empty()) entry.id = text_of(object, "id");
  entry.title = text_of(object, "title");
  entry.venue = text_of(object, "venue");
  entry.doi = text_of(object, "doi");
  entry.arxiv_id = text_of(object, "arxiv_id");
  if (const auto year = object.find("year"); year != object.end() && year->is_number_integer())
    entry.year = year->get<int>();
  if (const auto ids = object.find("externalIds"); ids != object.end() && ids->is_object()) {
    if (entry.doi.empty()) entry.doi = text_of(*ids, "DOI");
    if (entry.arxiv_id.empty()) entry.arxiv_id = text_of(*ids, "ArXiv");
  }
  entry.doi = text::to_lower(entry.doi);
  if (const auto authors = object.find("authors"); authors != object.end() && authors->is_array()) {
    for (const json& author : *authors) {
      if (author.is_string()) entry.authors.push_back(author.get<std::string>());
      if (author.is_object()) entry.authors.push_back(text_of(author, "name"));
    }
  }
  if (const auto types = object.find("publicationTypes"); types != object.end() && types->is_array()) {
    for (const json& type : *types) {
      if (type.is_string()) entry.types.push_back(type.get<std::string>());
    }
  }
  return entry;
}

void add_entries(const json& value, std::vector<Listed>& entries) {
  const json* list = &value;
  if (value.is_object() && value.contains("data")) list = &value["data"];
  if (list->is_array()) {
    for (const json& entry : *list) {
      if (entry.is_object()) entries.push_back(read_entry(entry));
    }
  } else if (list->is_object()) {
    entries.push_back(read_entry(*list));
  }
}

/// Where spellings of a title meet; aggregators write "and" for "&".
std::string key_of(std::string title) {
  for (std::size_t at = title.find('&'); at != std::string::npos; at = title.find('&', at + 4))
    title.replace(at, 1, " and");
  return text::title_key(title);
}

struct Official {
  std::string id;
  int year = 0;
  bool main = true;
  std::string title_key;
  std::string first_author;  ///< family name; empty when unknown
};

/// Every collected paper of the venue, found by its identifiers and by its title.
class OfficialList {
 public:
  OfficialList(const Ledger& ledger, const store::Catalog& catalog, const std::string& venue) {
    ledger.each(venue, 0, [&](const Provenance& paper) {
      Official official{paper.id, paper.year, paper.main, key_of(paper.printed_title), {}};
      if (const auto known = catalog.paper(PaperId(paper.id))) {
        official.title_key = key_of(known->title);
        if (!known->authors.empty()) official.first_author = text::family_name(known->authors.front());
        if (!known->doi.empty()) by_identifier_["doi:" + known->doi] = papers_.size();
        if (!known->arxiv_id.empty()) by_identifier_["arxiv:" + known->arxiv_id] = papers_.size();
      }
      by_title_.emplace(official.title_key, papers_.size());
      papers_.push_back(std::move(official));
    });
  }

  [[nodiscard]] const std::vector<Official>& papers() const { return papers_; }

  /// The paper an entry means, preferring the wanted year and the main conference.
  const Official* find(const Listed& entry, int year, std::string& evidence) const {
    for (const auto& [kind, value] : {std::pair{"doi", entry.doi}, std::pair{"arxiv", entry.arxiv_id}}) {
      const auto found =
          value.empty() ? by_identifier_.end() : by_identifier_.find(std::string(kind) + ":" + value);
      if (found == by_identifier_.end()) continue;
      evidence = std::string(kind) == "doi" ? "doi" : "arxiv id";
      return &papers_[found->second];
    }
    const std::string family = entry.authors.empty() ? "" : text::family_name(entry.authors.front());
    const Official* best = nullptr;
    int best_score = -1;
    const auto [begin, end] = by_title_.equal_range(key_of(entry.title));
    for (auto it = begin; it != end; ++it) {
      const Official& paper = papers_[it->second];
      const bool same_author = !family.empty() && family == paper.first_author;
      const bool other_author = !family.empty() && !paper.first_author.empty() && !same_author;
      const int score = (other_author ? 0 : 4) + (paper.year == year ? 2 : 0) + (paper.main ? 1 : 0);
      if (score <= best_score) continue;
      best_score = score;
      best = &paper;
      evidence = same_author    ? "title and first author"
                 : other_author ? "title alone: the first author differs"
                                : "title";
    }
    return best;
  }

 private:
  std::vector<Official> papers_;
  std::unordered_map<std::string, std::size_t> by_identifier_;
  std::unordered_multimap<std::string, std::size_t> by_title_;
};

bool contains_one_of(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// What an entry without an official paper is, by its own words.
Match kind_of_stranger(const Listed& entry, std::string& evidence) {
  const std::string title = text::to_lower(entry.title);
  const std::string venue = text::to_lower(entry.venue);
  const bool volume = title.starts_with("proceedings of") ||
                      title.starts_with("advances in neural information processing systems") ||
                      (contains_one_of(title, {"conference", "symposium", "meeting"}) &&
                       contains_one_of(title, {"proceedings", "20", "annual"}) && entry.authors.size() <= 1);
  if (volume) {
    evidence = "the title names a volume";
    return Match::proceedings;
  }
  if (contains_one_of(title, {"workshop"}) || contains_one_of(venue, {"workshop", "@"})) {
    evidence = "a workshop by title or venue";
    return Match::workshop;
  }
  evidence = "no official paper of the venue has this title";
  return Match::spurious;
}

}  // namespace

const char* match_name(Match match) noexcept {
  switch (match) {
    case Match::matched:
      return "matched";
    case Match::duplicate:
      return "duplicate";
    case Match::proceedings:
      return "proceedings record";
    case Match::workshop:
      return "workshop paper";
    case Match::other_track:
      return "other track";
    case Match::other_year:
      return "other year";
    case Match::spurious:
      break;
  }
  return "spurious";
}

std::size_t AggregatorReport::count(Match match) const {
  return static_cast<std::size_t>(
      std::count_if(judged.begin(), judged.end(), [match](const Judged& one) { return one.match == match; }));
}

std::vector<Listed> read_aggregator_file(const std::filesystem::path& file) {
  std::vector<Listed> entries;
  std::string whole;
  io::LineReader lines(file, kMostBytes);
  for (std::string_view line; lines.next(line);) {
    const json value = json::parse(line, nullptr, false);
    if (value.is_object() || value.is_array()) add_entries(value, entries);
    whole.append(line).push_back('\n');
  }
  // One value over many lines.
  if (entries.empty()) add_entries(json::parse(whole, nullptr, false), entries);
  if (entries.empty()) {
    fail(ErrorCode::invalid_input,
         "reading the aggregator's list {}: it holds no JSON object with a title; write one a line",
         file.string());
  }
  return entries;
}

std::vector<Discrepancy> discrepancies(const std::vector<AggregatorReport>& reports, int lag_from) {
  std::vector<Discrepancy> rows;
  for (const AggregatorReport& report : reports) {
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const Discrepancy& known) { return known.venue == report.venue; });
    if (row == rows.end()) {
      rows.push_back({report.venue, report.year, report.year});
      row = rows.end() - 1;
    }
    const std::size_t spurious = report.listed - report.count(Match::matched);
    row->first_year = std::min(row->first_year, report.year);
    row->last_year = std::max(row->last_year, report.year);
    row->spurious += spurious;
    row->missing += report.missing.size();
    if (report.year >= lag_from) continue;
    if (spurious > row->worst_spurious) {
      row->worst_spurious = spurious;
      row->worst_spurious_year = report.year;
    }
    if (report.missing.size() > row->worst_missing) {
      row->worst_missing = report.missing.size();
      row->worst_missing_year = report.year;
    }
  }
  return rows;
}

std::vector<Listed> ask_semantic_scholar(net::Fetcher& fetcher, const std::string& venue, int year) {
  std::vector<Listed> entries;
  std::string token;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    net::PageRequest request;
    request.url =
        fmt::format("{}?venue={}&year={}&fields=title,authors,year,venue,externalIds,publicationTypes{}",
                    kBulk, net::escaped(venue), year, token.empty() ? "" : "&token=" + net::escaped(token));
    request.expect = net::Expect::json;
    request.may_change = true;
    if (const char* key = std::getenv("S2_API_KEY"); key != nullptr && *key != '\0')
      request.headers.push_back(std::string("x-api-key: ") + key);
    const net::Page answer = fetcher.get(request);
    if (!answer.ok())
      fail(ErrorCode::unavailable, "asking Semantic Scholar for {} {}: {}", venue, year, answer.problem);
    const json value = json::parse(answer.body, nullptr, false);
    if (!value.is_object() || !value.contains("data"))
      fail(ErrorCode::unavailable, "asking Semantic Scholar for {} {}: the answer holds no data", venue,
           year);
    add_entries(value, entries);
    const std::string next = text_of(value, "token");
    if (next.empty() || next == token) break;
    token = next;
  }
  return entries;
}

void require_collected(const Ledger& ledger, const std::string& venue, int year) {
  for (const Coverage& row : ledger.coverage()) {
    if (row.venue == venue && row.year == year && row.papers > 0) return;
  }
  fail(ErrorCode::not_found,
       "auditing a list of {} {}: nothing of it was collected; run `mustcite collect {} {}` first", venue,
       year, venue, year);
}

AggregatorReport audit_aggregator(const Ledger& ledger, const store::Catalog& catalog,
                                  const std::string& venue, int year, std::vector<Listed> entries) {
  const OfficialList official(ledger, catalog, venue);
  AggregatorReport report;
  report.venue = venue;
  report.year = year;
  std::unordered_map<std::string, bool> found;
  for (const Official& paper : official.papers()) {
    if (paper.year == year && paper.main) found[paper.id] = false;
  }
  report.official = found.size();
  require_collected(ledger, venue, year);
  // Entries with an identifier of the proceedings come first, so that preprints count as the duplicates.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Listed& a, const Listed& b) { return a.doi.empty() < b.doi.empty(); });
  for (Listed& entry : entries) {
    if (entry.year != 0 && entry.year != year) continue;
    Judged judged;
    const Official* paper = official.find(entry, year, judged.evidence);
    if (paper == nullptr) {
      judged.match = kind_of_stranger(entry, judged.evidence);
    } else {
      judged.official_id = paper->id;
      if (paper->year != year) {
        judged.match = Match::other_year;
        judged.evidence += fmt::format("; published in {}", paper->year);
      } else if (!paper->main) {
        judged.match = Match::other_track;
      } else {
        bool& seen = found[paper->id];
        judged.match = seen ? Match::duplicate : Match::matched;
        seen = true;
      }
    }
    judged.entry = std::move(entry);
    report.judged.push_back(std::move(judged));
  }
  report.listed = report.judged.size();
  for (const auto& [id, seen] : found) {
    if (!seen) report.missing.push_back(id);
  }
  std::sort(report.missing.begin(), report.missing.end());
  return report;
}

}  // namespace mustcite::collect
