#include "apps/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "apps/audit/checks.hpp"
#include "core/schema/bibtex.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

/// The narrow tiers first: a baseline is missed more than a paper of any tier.
constexpr std::array kTierOrder{Tier::type1, Tier::type2, Tier::type3, Tier::experiments, Tier::must, Tier::all};

Coverage coverage_of(const link::LinkIndex& catalog) {
  Coverage coverage;
  coverage.papers = catalog.size();
  std::unordered_map<std::string_view, std::size_t> venues;
  for (std::uint32_t row = 0; row < catalog.size(); ++row) {
    const link::Record record = catalog.record(row);
    if (record.year != 0) {
      coverage.first_year = coverage.first_year == 0 ? record.year : std::min(coverage.first_year, record.year);
      coverage.last_year = std::max(coverage.last_year, record.year);
    }
    if (!record.venue.empty()) ++venues[record.venue];
  }
  std::vector<std::pair<std::string_view, std::size_t>> sorted(venues.begin(), venues.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 10); ++i) coverage.venues.emplace_back(sorted[i].first);
  return coverage;
}

/// The tier for which the paper is missing; nothing when it reaches no threshold.
const Tier* missing_tier(const Recommendation& row, const Thresholds& thresholds) {
  for (const Tier& tier : kTierOrder) {
    const auto probability = row.probability.find(tier);
    const auto threshold = thresholds.missing.find(tier);
    if (probability != row.probability.end() && threshold != thresholds.missing.end() && probability->second >= threshold->second) return &tier;
  }
  return nullptr;
}

double largest(const std::map<Tier, double>& probability) {
  double most = 0;
  for (const auto& [tier, value] : probability) most = std::max(most, value);
  return most;
}

void find_missing(const LinkedDraft& linked, const Recommender& recommender, const Options& options, std::vector<Finding>& findings) {
  const Draft& draft = *linked.draft;
  RecommendRequest request;
  request.title = draft.title;
  request.abstract = draft.abstract;
  request.authors = draft.authors;
  request.exclude = options.exclude;
  std::unordered_map<std::string, std::string> unmentioned_entry;
  std::unordered_set<std::string> cited_titles;
  for (std::size_t i = 0; i < linked.decisions.size(); ++i) {
    const BibEntry& entry = draft.bibliography[i];
    if (linked.mentioned[i]) cited_titles.insert(text::title_key(entry.reference.title));
    for (const auto row : linked.decisions[i].versions) {
      const std::string id(linked.catalog->record(row).id);
      if (linked.mentioned[i]) {
        request.known.emplace_back(id);
      } else {
        unmentioned_entry.emplace(id, entry.reference.key);
      }
    }
  }
  for (const auto row : linked.catalog->rows_with_key(text::title_key(draft.title))) {
    request.exclude.emplace_back(std::string(linked.catalog->record(row).id));
  }
  std::set<std::string> never;
  for (const auto& id : request.known) never.insert(id.str());
  for (const auto& id : request.exclude) never.insert(id.str());
  std::size_t missing = 0;
  std::size_t consider = 0;
  for (const Recommendation& row : recommender(request)) {
    if (never.contains(row.paper.id.str()) || cited_titles.contains(text::title_key(row.paper.title))) continue;
    const Tier* tier = missing_tier(row, options.thresholds);
    if (tier == nullptr && largest(row.probability) < options.thresholds.consider) continue;
    if (tier != nullptr ? missing >= options.most_missing : consider >= options.most_consider) continue;
    ++(tier != nullptr ? missing : consider);
    Finding finding;
    finding.kind = tier != nullptr ? FindingKind::missing : FindingKind::consider;
    finding.severity = tier != nullptr ? Severity::warning : Severity::note;
    finding.subject = row.paper.id.str();
    finding.where = {draft.main_file, 0};
    finding.message = row.paper.title;
    finding.reasons = row.reasons;
    if (const auto entry = unmentioned_entry.find(row.paper.id.str()); entry != unmentioned_entry.end()) {
      finding.reasons.insert(finding.reasons.begin(), fmt::format("it is in your bibliography as {}, but never mentioned", entry->second));
    }
    finding.paper = row.paper;
    finding.paper.abstract.clear();
    if (tier != nullptr) finding.tier = *tier;
    finding.probability = row.probability;
    finding.role = row.role;
    finding.evidence = row.evidence;
    finding.bibtex = to_bibtex(row.paper);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

Report audit(const Draft& draft, const link::LinkIndex& catalog, const Recommender& recommender, IgnoreList ignore, const Options& options) {
  const LinkedDraft linked = link_draft(draft, catalog, options.link);
  Report report;
  report.title = draft.title;
  report.main_file = draft.main_file;
  report.files = draft.files.size();
  report.sections = draft.sections.size();
  report.mentions = draft.mentions.size();
  report.entries = draft.bibliography.size();
  report.coverage = coverage_of(catalog);
  for (std::size_t i = 0; i < linked.decisions.size(); ++i) {
    report.cited_entries += linked.mentioned[i] ? 1 : 0;
    report.linked += linked.decisions[i].verdict == link::Verdict::linked ? 1 : 0;
    report.ambiguous += linked.decisions[i].verdict == link::Verdict::ambiguous ? 1 : 0;
    report.unresolved += linked.decisions[i].verdict == link::Verdict::unresolved ? 1 : 0;
  }
  std::vector<Finding> findings;
  if (recommender) {
    report.ranked = true;
    find_missing(linked, recommender, options, findings);
  }
  check_mentions(linked, findings);
  check_duplicates(linked, findings);
  check_records(linked, findings);
  check_reading(draft, findings);
  for (Finding& finding : findings) {
    if (const std::string* reason = ignore.answer(finding)) {
      finding.ignored_because = *reason;
      report.ignored.push_back(std::move(finding));
    } else {
      report.findings.push_back(std::move(finding));
    }
  }
  report.ignore_notes = ignore.notes();
  // Missing papers keep the ranker's order; everything else is sorted by place.
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& f) {
      const bool ranked = f.kind == FindingKind::missing || f.kind == FindingKind::consider;
      return std::tuple(f.kind, ranked ? Severity::error : f.severity, ranked ? std::string() : f.where.file, ranked ? 0U : f.where.line);
    };
    return key(a) < key(b);
  });
  return report;
}

}  // namespace mustcite::audit
