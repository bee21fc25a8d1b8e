#include "engine/train/paragraphs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/marks.hpp"

namespace mustcite::train {
namespace {

using paragraph::Kind;
using paragraph::Paragraph;

constexpr std::size_t kLeastPositives = 2;

std::vector<DocId> sorted(std::vector<DocId> docs) {
  std::sort(docs.begin(), docs.end());
  docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
  return docs;
}

std::vector<DocId> joined(const std::vector<DocId>& a, const std::vector<DocId>& b) {
  std::vector<DocId> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

std::vector<DocId> without(const std::vector<DocId>& from, const std::vector<DocId>& gone) {
  std::vector<DocId> rest;
  std::set_difference(from.begin(), from.end(), gone.begin(), gone.end(), std::back_inserter(rest));
  return rest;
}

/// A citing paper with everything that it cites. Lists are sorted.
struct Citing {
  snapshot::Snapshot::CitingView view;
  std::uint32_t older = 0;
  std::vector<DocId> related;  ///< cited in its paragraphs of related work
  std::vector<DocId> cited;    ///< by the evidence or any of its paragraphs
  std::vector<DocId> second;   ///< cited by what it cites, not by it
};

/// Reads a file's paragraphs paper by paper.
class Maker {
 public:
  Maker(const snapshot::Snapshot& snapshot, const Recipe::Examples& options, ParagraphReport& report)
      : snapshot_(snapshot), options_(options), report_(report) {}

  void add_paper(const std::vector<const Paragraph*>& paragraphs, ParagraphQueries& out) {
    const auto row = snapshot_.find_citing(paragraphs.front()->citing.str());
    if (!row) {
      report_.of_unknown_paper += paragraphs.size();
      return;
    }
    const auto view = snapshot_.citing(*row);
    const bool other_year = view.year == 0 || (options_.first_year != 0 && view.year < options_.first_year) ||
                            (options_.last_year != 0 && view.year > options_.last_year);
    if (other_year || view.abstract.empty()) {
      (other_year ? report_.of_other_years : report_.without_abstract) += paragraphs.size();
      return;
    }
    const Citing citing = collect(view, paragraphs);
    for (const auto* paragraph : paragraphs) add_paragraph(*paragraph, citing, out);
  }

 private:
  /// Rows of cited works that are documents strictly older than the citing paper; others are counted.
  std::vector<DocId> rows(const std::vector<PaperId>& papers, std::uint32_t older,
                          std::size_t* unknown) const {
    std::vector<DocId> docs;
    for (const auto& paper : papers) {
      const auto doc = snapshot_.find(paper.str());
      if (doc && doc->value < older) {
        docs.push_back(*doc);
      } else if (unknown != nullptr) {
        ++*unknown;
      }
    }
    return sorted(std::move(docs));
  }

  [[nodiscard]] std::vector<DocId> evidence_of(const snapshot::Snapshot::CitingView& view,
                                               std::uint32_t older) const {
    std::vector<DocId> docs;
    for (std::uint32_t e = view.evidence_begin; e < view.evidence_end; ++e) {
      const DocId cited = snapshot_.evidence(e).cited;
      if (cited.value < older) docs.push_back(cited);
    }
    return sorted(std::move(docs));
  }

  Citing collect(const snapshot::Snapshot::CitingView& view,
                 const std::vector<const Paragraph*>& paragraphs) const {
    Citing citing;
    citing.view = view;
    citing.older = snapshot_.prefix(Date{view.year, 0, 0});
    citing.cited = evidence_of(view, citing.older);
    for (const auto* paragraph : paragraphs) {
      const auto docs = rows(paragraph->cited, citing.older, nullptr);
      citing.cited = joined(citing.cited, docs);
      if (paragraph->kind == Kind::related_work) citing.related = joined(citing.related, docs);
    }
    for (const DocId doc : citing.cited) {
      const auto row = snapshot_.find_citing(snapshot_.document(doc).id);
      if (row) citing.second = joined(citing.second, evidence_of(snapshot_.citing(*row), citing.older));
    }
    citing.second = without(citing.second, citing.cited);
    if (view.doc != snapshot::kNoDoc) citing.second = without(citing.second, {view.doc});
    return citing;
  }

  /// By the citing paper's id, so that all of a paper's paragraphs fall on the same side.
  [[nodiscard]] bool held_out(const PaperId& citing) const {
    const auto hash = checksum64(std::as_bytes(std::span(citing.str().data(), citing.str().size())));
    return static_cast<double>(hash >> 11) * 0x1.0p-53 < options_.held_out;
  }

  void add_paragraph(const Paragraph& paragraph, const Citing& citing, ParagraphQueries& out) {
    if (options_.related_work_only && paragraph.kind != Kind::related_work) {
      ++report_.of_other_sections;
      return;
    }
    const auto own = rows(paragraph.cited, citing.older, &report_.unknown_cited);
    const bool of_section = options_.scope == Recipe::Examples::Scope::section;
    const std::string topic =
        options_.topic ? paragraph::masked(text::clean(paragraph.topic_sentence)) : std::string();
    const auto positives = of_section ? joined(own, citing.related) : own;
    if (positives.size() < kLeastPositives) {
      ++report_.too_few_positives;
      return;
    }
    if (held_out(paragraph.citing)) {
      DevQuery query{std::string(citing.view.title),
                     std::string(citing.view.abstract),
                     Date{citing.view.year, 0, 0},
                     own,
                     {},
                     topic};
      if (citing.view.doc != snapshot::kNoDoc) query.excluded.push_back(citing.view.doc);
      out.held_out.push_back(std::move(query));
      ++report_.held_out;
      return;
    }
    Example example;
    example.id = paragraph.id;
    example.paper = citing.view.doc;
    example.title = citing.view.title;
    example.abstract = citing.view.abstract;
    example.topic = topic;
    example.older = citing.older;
    example.positives = positives;
    example.known = citing.cited;
    if (citing.view.doc != snapshot::kNoDoc) example.known = joined(example.known, {citing.view.doc});
    example.pools = {without(citing.related, positives),
                     without(without(citing.cited, citing.related), positives), citing.second};
    for (std::size_t p = 0; p < kPools; ++p) {
      if (options_.pools[p] == 0) example.pools[p].clear();
    }
    if (!example.has_negatives()) {
      ++report_.without_negative;
      return;
    }
    for (std::size_t p = 0; p < kPools; ++p)
      report_.empty_pools[p] += example.pools[p].empty() && options_.pools[p] > 0 ? 1 : 0;
    ++report_.queries;
    out.examples.push_back(std::move(example));
  }

  const snapshot::Snapshot& snapshot_;
  const Recipe::Examples& options_;
  ParagraphReport& report_;
};

}  // namespace

ParagraphQueries make_paragraph_queries(const snapshot::Snapshot& snapshot,
                                        std::span<const Paragraph> paragraphs,
                                        const Recipe::Examples& options, ParagraphReport& report) {
  std::map<std::string, std::vector<const Paragraph*>> papers;
  for (const auto& paragraph : paragraphs) papers[paragraph.citing.str()].push_back(&paragraph);
  report.paragraphs += paragraphs.size();
  ParagraphQueries queries;
  Maker maker(snapshot, options, report);
  for (const auto& [id, of_paper] : papers) maker.add_paper(of_paper, queries);
  if (queries.examples.empty()) {
    fail(
        ErrorCode::invalid_input,
        "there is no paragraph to train on: of {}, the index lacks the paper of {}, {} are of other years, "
        "{} of other "
        "sections, {} cite fewer than two older papers of the index, {} have no negative and {} are held out",
        report.paragraphs, report.of_unknown_paper, report.of_other_years, report.of_other_sections,
        report.too_few_positives, report.without_negative, report.held_out);
  }
  return queries;
}

}  // namespace mustcite::train
