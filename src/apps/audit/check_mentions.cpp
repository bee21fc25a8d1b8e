#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "apps/audit/checks.hpp"
#include "apps/audit/render.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

/// More unmentioned entries of a .bib database than this are told in one line: such files are shared between drafts.
constexpr std::size_t kFewUnmentioned = 10;

struct Use {
  const DraftMention* first = nullptr;
  std::size_t times = 0;
};

void unmentioned(const LinkedDraft& linked, std::vector<Finding>& findings) {
  const Draft& draft = *linked.draft;
  if (draft.cites_everything) return;
  std::unordered_map<std::string, const SetAside*> aside;
  for (const SetAside& item : draft.set_aside) aside.emplace(item.key, &item);
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < draft.bibliography.size(); ++i) {
    if (!linked.mentioned[i]) entries.push_back(i);
  }
  const auto hint = [&](const std::string& key) -> std::string {
    const auto found = aside.find(key);
    if (found == aside.end()) return {};
    return fmt::format("; it stands only {} ({})", found->second->reason, place_text(found->second->where));
  };
  if (!draft.printed_bibliography && entries.size() > kFewUnmentioned) {
    Finding finding;
    finding.kind = FindingKind::unmentioned;
    finding.subject = "*";
    finding.where = {draft.bibliography[entries.front()].where.file, 0};
    finding.message = fmt::format("{} of {} entries are never mentioned; LaTeX does not print them", entries.size(), draft.bibliography.size());
    for (const std::size_t i : entries) {
      const std::string& key = draft.bibliography[i].reference.key;
      if (const std::string more = hint(key); !more.empty() && finding.reasons.size() < 10) finding.reasons.push_back(key + more);
    }
    findings.push_back(std::move(finding));
    return;
  }
  for (const std::size_t i : entries) {
    const BibEntry& entry = draft.bibliography[i];
    Finding finding;
    finding.kind = FindingKind::unmentioned;
    finding.severity = draft.printed_bibliography ? Severity::warning : Severity::note;
    finding.subject = entry.reference.key;
    finding.where = entry.where;
    finding.message = fmt::format("{} is in the list of references and never mentioned in the text{}", entry.reference.key, hint(entry.reference.key));
    findings.push_back(std::move(finding));
  }
}

}  // namespace

LinkedDraft link_draft(const Draft& draft, const link::LinkIndex& catalog, const link::Options& options) {
  LinkedDraft linked;
  linked.draft = &draft;
  linked.catalog = &catalog;
  linked.mentioned.resize(draft.bibliography.size(), draft.cites_everything);
  for (std::size_t i = 0; i < draft.bibliography.size(); ++i) {
    const Reference& reference = draft.bibliography[i].reference;
    linked.decisions.push_back(catalog.link(reference, options));
    linked.entry_of_key.emplace(reference.key, i);
    linked.entry_of_folded_key.emplace(text::to_lower(reference.key), i);
  }
  for (const DraftMention& mention : draft.mentions) {
    const auto exact = linked.entry_of_key.find(mention.key);
    if (exact != linked.entry_of_key.end()) {
      linked.mentioned[exact->second] = true;
    } else if (const auto folded = linked.entry_of_folded_key.find(text::to_lower(mention.key)); folded != linked.entry_of_folded_key.end()) {
      linked.mentioned[folded->second] = true;
    }
  }
  return linked;
}

void check_mentions(const LinkedDraft& linked, std::vector<Finding>& findings) {
  const Draft& draft = *linked.draft;
  std::map<std::string, Use> unknown;
  for (const DraftMention& mention : draft.mentions) {
    if (draft.bibliography.empty() || linked.entry_of_key.contains(mention.key)) continue;
    Use& use = unknown[mention.key];
    if (use.first == nullptr) use.first = &mention;
    ++use.times;
  }
  for (const auto& [key, use] : unknown) {
    Finding finding;
    finding.subject = key;
    finding.where = use.first->where;
    const auto folded = linked.entry_of_folded_key.find(text::to_lower(key));
    if (folded != linked.entry_of_folded_key.end()) {
      finding.kind = FindingKind::key_case;
      finding.severity = Severity::warning;
      finding.message = fmt::format("{} is written {} in the bibliography; LaTeX takes them for different keys", key,
                                    draft.bibliography[folded->second].reference.key);
    } else {
      finding.kind = FindingKind::undefined;
      finding.severity = Severity::error;
      finding.message = fmt::format("{} is mentioned {} and missing in the bibliography", key, use.times == 1 ? "once" : fmt::format("{} times", use.times));
    }
    findings.push_back(std::move(finding));
  }
  unmentioned(linked, findings);
}

void check_duplicates(const LinkedDraft& linked, std::vector<Finding>& findings) {
  const Draft& draft = *linked.draft;
  std::unordered_map<std::string, std::size_t> by_key;
  std::unordered_map<std::string, std::size_t> by_work;
  for (std::size_t i = 0; i < draft.bibliography.size(); ++i) {
    const BibEntry& entry = draft.bibliography[i];
    std::size_t other = i;
    const auto twin = by_key.emplace(entry.reference.key, i);
    if (!twin.second) {
      other = twin.first->second;
    } else {
      const link::Decision& decision = linked.decisions[i];
      std::string work = decision.verdict == link::Verdict::linked ? fmt::format("row {}", decision.row) : text::title_key(entry.reference.title);
      // A short title ("Deep learning") may well be two works.
      if (work.size() < 20 && decision.verdict != link::Verdict::linked) work.clear();
      if (!work.empty()) other = by_work.emplace(std::move(work), i).first->second;
    }
    if (other == i || (!linked.mentioned[i] && !linked.mentioned[other])) continue;
    const BibEntry& first = draft.bibliography[other];
    Finding finding;
    finding.kind = FindingKind::duplicate;
    finding.subject = entry.reference.key;
    finding.where = entry.where;
    if (entry.reference.key == first.reference.key) {
      finding.severity = Severity::warning;
      finding.message = fmt::format("the key {} is used twice; the first entry is at {}", entry.reference.key, place_text(first.where));
    } else {
      const bool both = linked.mentioned[i] && linked.mentioned[other];
      finding.severity = both ? Severity::warning : Severity::note;
      finding.message = fmt::format("{} and {} are the same work{}", entry.reference.key, first.reference.key,
                                    both ? "; both are mentioned, so it is printed twice" : "");
    }
    findings.push_back(std::move(finding));
  }
}

void check_reading(const Draft& draft, std::vector<Finding>& findings) {
  for (const Problem& problem : draft.problems) {
    Finding finding;
    finding.kind = FindingKind::problem;
    finding.severity = Severity::note;
    finding.subject = problem.where.file.empty() ? draft.main_file : problem.where.file;
    finding.where = problem.where;
    finding.message = problem.what;
    findings.push_back(std::move(finding));
  }
}

}  // namespace mustcite::audit
