#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "apps/audit/checks.hpp"
#include "apps/audit/render.hpp"
#include "core/schema/bibtex.hpp"
#include "core/text/normalise.hpp"
#include "stages/link/similarity.hpp"
#include "stages/link/venue.hpp"

namespace mustcite::audit {
namespace {

/// The record as a BibTeX entry under the draft's key; authors that the record does not know stay the draft's.
std::string corrected(const Paper& record, const BibEntry& entry) {
  Paper paper = record;
  if (paper.authors.empty()) paper.authors = entry.reference.authors;
  if (paper.doi.empty()) paper.doi = entry.reference.doi;
  std::string text = to_bibtex(paper);
  const std::size_t open = text.find('{');
  const std::size_t comma = text.find(',', open);
  if (open != std::string::npos && comma != std::string::npos) text.replace(open + 1, comma - open - 1, entry.reference.key);
  return text;
}

/// Lists of submissions (ICLR) hold papers that were not accepted: those have neither track nor address.
bool surely_published(const Paper& record) {
  if (record.venue.empty() || link::is_preprint_venue(record.venue)) return false;
  return record.venue != "iclr" || !record.track.empty() || !record.url.empty();
}

/// Family names of the entry that no name of the record resembles.
std::vector<std::string> strangers(const BibEntry& entry, const Paper& record) {
  std::vector<std::string> known;
  for (const auto& author : record.authors) {
    auto words = link::title_words(author);
    // "LeCun" is "Le Cun" elsewhere, and "L. Cun" where a site took the "Le" for a middle name.
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i - 1].size() <= 3) known.push_back(words[i - 1] + words[i]);
    }
    for (auto& word : words) known.push_back(std::move(word));
  }
  std::vector<std::string> result;
  for (const auto& author : entry.reference.authors) {
    const auto words = link::title_words(author);
    const bool found = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.size() > 1 && std::any_of(known.begin(), known.end(), [&](const std::string& other) {
               return word == other || (std::min(word.size(), other.size()) > 3 && link::edit_similarity(word, other) >= 0.75);
             });
    });
    if (!found && !words.empty()) result.push_back(author);
  }
  return result;
}

class RecordCheck {
 public:
  RecordCheck(const LinkedDraft& linked, std::size_t index, std::vector<Finding>& findings)
      : entry_(linked.draft->bibliography[index]), decision_(linked.decisions[index]), catalog_(*linked.catalog), findings_(findings) {}

  void run() {
    if (decision_.identifier_row != link::kNoRow) identifier();
    switch (decision_.verdict) {
      case link::Verdict::unresolved:
        unresolved();
        return;
      case link::Verdict::ambiguous:
        ambiguous();
        return;
      case link::Verdict::linked:
        break;
    }
    record_ = paper_of(catalog_, decision_.row);
    if (!preprint()) {
      year();
      venue();
    }
    title();
    authors();
  }

 private:
  Finding& add(FindingKind kind, Severity severity, std::string message) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.subject = entry_.reference.key;
    finding.where = entry_.where;
    finding.message = std::move(message);
    findings_.push_back(std::move(finding));
    return findings_.back();
  }

  Finding& disagreement(Severity severity, const char* field, std::string message) {
    Finding& finding = add(FindingKind::disagrees, severity, std::move(message));
    finding.field = field;
    finding.paper = record_;
    finding.bibtex = corrected(record_, entry_);
    return finding;
  }

  void identifier() {
    const Paper owner = paper_of(catalog_, decision_.identifier_row);
    Finding& finding = add(FindingKind::identifier, Severity::error,
                           fmt::format("{} has the {} of another paper: {}", entry_.reference.key,
                                       entry_.reference.doi.empty() ? "arXiv id" : "DOI or arXiv id", paper_line(owner)));
    finding.paper = owner;
    if (decision_.verdict == link::Verdict::linked) finding.bibtex = corrected(paper_of(catalog_, decision_.row), entry_);
  }

  void unresolved() {
    const std::string& title = entry_.reference.title;
    add(FindingKind::unresolved, Severity::note,
        title.empty() ? fmt::format("{} has no title to look for", entry_.reference.key)
                      : fmt::format("{} is not in my catalog: \"{}\"; nothing is known about it", entry_.reference.key, title));
  }

  void ambiguous() {
    Finding& finding = add(FindingKind::ambiguous, Severity::note,
                           fmt::format("{} may be {}", entry_.reference.key, decision_.candidates.size() == 1 ? "this paper" : "one of these papers"));
    for (const auto& candidate : decision_.candidates) {
      finding.reasons.push_back(fmt::format("{} ({}, probability {:.2f})", paper_line(paper_of(catalog_, candidate.row)), link::rule_name(candidate.rule), candidate.probability));
    }
  }

  /// True when the entry is a preprint of a paper that the record knows as published.
  bool preprint() {
    const bool is_preprint = link::is_preprint_venue(entry_.note) && (!entry_.note.empty() || !entry_.reference.arxiv_id.empty());
    if (!is_preprint) return false;
    if (!surely_published(record_)) return true;
    Finding& finding = add(FindingKind::preprint, Severity::warning,
                           fmt::format("{} is cited as a preprint; it was published: {} {}", entry_.reference.key, record_.venue, record_.date.year));
    finding.paper = record_;
    finding.bibtex = corrected(record_, entry_);
    return true;
  }

  void year() {
    const int ours = entry_.reference.year;
    const int theirs = record_.date.year;
    if (ours == 0 || theirs == 0 || ours == theirs) return;
    // Another version of the work (a journal after a conference) has its own year: venues decide.
    const std::string entry_venue = link::venue_name(entry_.note);
    if (entry_venue != link::venue_name(record_.venue) || entry_venue.empty()) return;
    disagreement(std::abs(ours - theirs) > 1 ? Severity::warning : Severity::note, "year",
                 fmt::format("{} says {}, the record {} {}", entry_.reference.key, ours, record_.venue, theirs));
  }

  void venue() {
    const std::string ours = link::venue_name(entry_.note);
    const std::string theirs = link::venue_name(record_.venue);
    if (ours.empty() || theirs.empty() || ours == theirs || !surely_published(record_)) return;
    // "Findings" volumes are filed under their conference in some catalogs.
    if (ours == "findings" || theirs == "findings") return;
    disagreement(Severity::warning, "venue", fmt::format("{} says {}, the record {} {}", entry_.reference.key, ours, theirs, record_.date.year));
  }

  void title() {
    const std::string bare = link::bare_title(entry_.reference.title);
    if (entry_.reference.title.empty() || text::title_key(bare) == text::title_key(record_.title)) return;
    disagreement(Severity::warning, "title", fmt::format("{} is titled \"{}\", the record \"{}\"", entry_.reference.key, bare, record_.title));
  }

  void authors() {
    if (record_.authors.empty() || entry_.reference.authors.empty()) return;
    const auto unknown = strangers(entry_, record_);
    if (!unknown.empty()) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(unknown.size(), 4); ++i) names += (i > 0 ? ", " : "") + unknown[i];
      disagreement(Severity::warning, "authors", fmt::format("{} names {}, whom the record does not have: {}", entry_.reference.key, names, paper_line(record_)));
    } else if (entry_.reference.authors.size() > record_.authors.size()) {
      disagreement(Severity::note, "authors", fmt::format("{} names {} authors, the record {}", entry_.reference.key, entry_.reference.authors.size(), record_.authors.size()));
    }
  }

  const BibEntry& entry_;
  const link::Decision& decision_;
  const link::LinkIndex& catalog_;
  std::vector<Finding>& findings_;
  Paper record_;
};

}  // namespace

Paper paper_of(const link::LinkIndex& catalog, std::uint32_t row) {
  const link::Record record = catalog.record(row);
  Paper paper;
  paper.id = PaperId(std::string(record.id));
  paper.title = std::string(record.title);
  paper.venue = std::string(record.venue);
  paper.date.year = record.year;
  paper.doi = std::string(record.doi);
  paper.arxiv_id = std::string(record.arxiv_id);
  paper.url = std::string(record.url);
  paper.track = std::string(record.track);
  std::string_view rest = record.authors;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    paper.authors.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return paper;
}

void check_records(const LinkedDraft& linked, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < linked.decisions.size(); ++i) {
    if (linked.mentioned[i]) RecordCheck(linked, i, findings).run();
  }
}

}  // namespace mustcite::audit
