#include "stages/link/citing_paper.hpp"

#include <algorithm>
#include <map>

#include "core/text/normalise.hpp"

namespace mustcite::link {
namespace {

/// Is one of the rows the citing paper, or has the linked work its title?
bool means(const LinkIndex& index, const Decision& decision, std::uint32_t citing_row,
           const std::string& citing_key) {
  if (decision.verdict != Verdict::linked) return false;
  constexpr std::size_t kTelling = 15;  // letters of a title that no other work shares by chance
  return std::any_of(decision.versions.begin(), decision.versions.end(), [&](std::uint32_t row) {
    return row == citing_row ||
           (citing_key.size() >= kTelling && text::title_key(index.record(row).title) == citing_key);
  });
}

void add_mentions(Citation& citation, const CitedReference& cited) {
  if (cited.mentions.empty()) return;
  citation.mentions = citation.mentions.value_or(0) + static_cast<int>(cited.mentions.size());
  int experiments = citation.exp_mentions.value_or(0);
  for (const auto& place : cited.mentions) {
    experiments += place.in_experiments ? 1 : 0;
    if (citation.marker.empty()) citation.marker = place.marker;
    const bool known = std::find(citation.contexts.begin(), citation.contexts.end(), place.context) !=
                       citation.contexts.end();
    if (!known && !place.context.text.empty() && citation.contexts.size() < kMostContexts)
      citation.contexts.push_back(place.context);
  }
  citation.exp_mentions = experiments;
}

void count(PaperReport& report, const LinkedWork& work) {
  ++report.works;
  if (work.self)
    ++report.self;
  else if (work.decision.verdict == Verdict::linked)
    ++report.linked;
  else if (work.decision.verdict == Verdict::ambiguous)
    ++report.ambiguous;
  else
    ++report.unresolved;
}

}  // namespace

void PaperReport::add(const PaperReport& other) noexcept {
  works += other.works;
  linked += other.linked;
  ambiguous += other.ambiguous;
  unresolved += other.unresolved;
  self += other.self;
}

std::uint32_t find_citing(const LinkIndex& index, const Reference& self, const Options& options) {
  const Decision decision = index.link(self, options);
  return decision.verdict == Verdict::linked ? decision.row : kNoRow;
}

LinkedPaper link_paper(const LinkIndex& index, const CitingPaper& paper, const PaperId& citing,
                       int citing_year, const Options& options) {
  const std::uint32_t citing_row = index.find(citing.str());
  const std::string citing_key =
      text::title_key(citing_row == kNoRow ? paper.self.title : std::string(index.record(citing_row).title));
  LinkedPaper result;
  std::map<std::string, Citation> citations;
  for (std::size_t r = 0; r < paper.references.size(); ++r) {
    const CitedReference& cited = paper.references[r];
    for (std::size_t part = 0; part < std::max<std::size_t>(1, cited.parts.size()); ++part) {
      LinkedWork work;
      work.reference = r;
      work.part = part;
      work.decision = index.link(cited.parts.empty() ? cited.reference : cited.parts[part], options);
      work.self = means(index, work.decision, citing_row, citing_key);
      count(result.report, work);
      if (work.decision.verdict == Verdict::linked && !work.self) {
        Citation& citation = citations[std::string(index.record(work.decision.row).id)];
        add_mentions(citation, cited);
      }
      result.works.push_back(std::move(work));
    }
  }
  for (auto& [id, citation] : citations) {
    citation.citing = citing;
    citation.cited = PaperId(id);
    citation.citing_year = citing_year;
    result.citations.push_back(std::move(citation));
  }
  return result;
}

}  // namespace mustcite::link
