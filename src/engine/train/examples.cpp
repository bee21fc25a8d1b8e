#include "engine/train/examples.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::train {
namespace {

void sort_unique(std::vector<DocId>& docs) {
  std::sort(docs.begin(), docs.end());
  docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
}

bool knows(const Example& example, DocId doc) {
  return std::binary_search(example.known.begin(), example.known.end(), doc);
}

bool counts(const snapshot::EvidenceView& evidence, Tier tier) {
  Citation citation;
  citation.mentions = evidence.mentions;
  citation.exp_mentions = evidence.exp_mentions;
  return counts_for(citation, tier, {});
}

/// Ranks first..last of the papers that may be negatives.
class Ranks {
 public:
  Ranks(const NegativeOptions& options, Example& example) : options_(options), example_(example) {}
  /// False when no more are needed.
  bool offer(DocId doc) {
    if (doc.value >= example_.older || knows(example_, doc)) return true;
    if (++rank_ >= options_.first_rank) example_.negatives.push_back(doc);
    return rank_ < options_.last_rank;
  }

 private:
  const NegativeOptions& options_;
  Example& example_;
  std::size_t rank_ = 0;
};

void from_bm25(const index::SparseIndex& text, const NegativeOptions& options, Example& example) {
  index::SearchOptions search;
  search.depth = static_cast<std::uint32_t>(options.last_rank);
  search.prefix = example.older;
  search.exclude = example.known;
  Ranks ranks(options, example);
  for (const auto& found : text.search(text.parse(example.title + "\n" + example.abstract), search)) {
    if (!ranks.offer(found.doc)) break;
  }
}

/// What the cited papers cite, most often cited first, ties by row.
void from_second_order(const snapshot::Snapshot& snapshot, const NegativeOptions& options, Example& example) {
  std::map<DocId, std::size_t> times;
  for (const DocId cited : example.known) {
    const auto citing = snapshot.find_citing(snapshot.document(cited).id);
    if (!citing || cited == example.paper) continue;
    const auto view = snapshot.citing(*citing);
    for (std::uint32_t e = view.evidence_begin; e < view.evidence_end; ++e)
      ++times[snapshot.evidence(e).cited];
  }
  std::vector<std::pair<DocId, std::size_t>> ordered(times.begin(), times.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  // Few papers are cited so: all of them count, from the first rank on.
  NegativeOptions all = options;
  all.first_rank = 1;
  Ranks ranks(all, example);
  for (const auto& [doc, count] : ordered) {
    if (!ranks.offer(doc)) break;
  }
}

void from_run(const snapshot::Snapshot& snapshot, const NegativeOptions& options, Example& example) {
  const auto list = options.rankings->find(example.id);
  if (list == options.rankings->end()) return;
  Ranks ranks(options, example);
  for (const auto& [id, score] : list->second) {
    const auto doc = snapshot.find(id);
    if (!doc) continue;
    example.scores.emplace_back(*doc, score);
    if (!ranks.offer(*doc)) break;
  }
  std::sort(example.scores.begin(), example.scores.end());
}

/// What the run gives the paper; null when it does not list it.
const float* listed_score(const Example& example, DocId doc) noexcept {
  const auto at = std::lower_bound(example.scores.begin(), example.scores.end(), doc,
                                   [](const auto& entry, DocId wanted) { return entry.first < wanted; });
  return at != example.scores.end() && at->first == doc ? &at->second : nullptr;
}

/// What no score is known of leaves the positives.
void keep_listed(Example& example) {
  std::erase_if(example.positives, [&](DocId doc) { return listed_score(example, doc) == nullptr; });
}

}  // namespace

bool Example::has_negatives() const noexcept {
  return !negatives.empty() ||
         std::any_of(pools.begin(), pools.end(), [](const auto& pool) { return !pool.empty(); });
}

float Example::score_of(DocId doc) const noexcept {
  const float* const score = listed_score(*this, doc);
  return score == nullptr ? 0 : *score;
}

std::vector<Example> make_examples(const snapshot::Snapshot& snapshot, Tier tier, int first_year,
                                   int last_year, ExampleReport& report) {
  std::vector<Example> examples;
  for (std::uint32_t row = 0; row < snapshot.citing_size(); ++row) {
    const auto view = snapshot.citing(row);
    ++report.citing;
    if (view.year == 0 || (first_year != 0 && view.year < first_year) ||
        (last_year != 0 && view.year > last_year)) {
      ++report.of_other_years;
      continue;
    }
    if (view.abstract.empty()) {
      ++report.without_abstract;
      continue;
    }
    Example example;
    example.id = view.id;
    example.paper = view.doc;
    example.title = view.title;
    example.abstract = view.abstract;
    example.older = snapshot.prefix(Date{view.year, 0, 0});
    if (view.doc != snapshot::kNoDoc) example.known.push_back(view.doc);
    for (std::uint32_t e = view.evidence_begin; e < view.evidence_end; ++e) {
      const auto evidence = snapshot.evidence(e);
      example.known.push_back(evidence.cited);
      if (evidence.cited.value < example.older && counts(evidence, tier))
        example.positives.push_back(evidence.cited);
    }
    sort_unique(example.known);
    sort_unique(example.positives);
    if (example.positives.empty()) {
      ++report.without_positive;
      continue;
    }
    ++report.examples;
    report.last_year = std::max(report.last_year, view.year);
    examples.push_back(std::move(example));
  }
  if (report.citing == 0) {
    fail(ErrorCode::invalid_input,
         "there is nothing to train on: the index knows no citations; bring some in with `mustcite import "
         "citations FILE`, then build the index anew");
  }
  if (examples.empty()) {
    fail(ErrorCode::invalid_input,
         "there is nothing to train on: of {} citing papers {} are of other years, {} lack an abstract and "
         "{} cite no older paper of the tier; choose other years or another tier",
         report.citing, report.of_other_years, report.without_abstract, report.without_positive);
  }
  return examples;
}

void mine_negatives(const snapshot::Snapshot& snapshot, const index::SparseIndex& text,
                    const NegativeOptions& options, std::vector<Example>& examples, ExampleReport& report,
                    Progress& progress) {
  if (options.source == NegativeSource::none) return;
  if (options.source == NegativeSource::run && options.rankings == nullptr) {
    fail(ErrorCode::usage, "the recipe takes its negatives from a run: give it with --negatives RUN.trec");
  }
  progress.begin("negatives", examples.size());
  constexpr std::size_t kBlock = 256;
  for (std::size_t begin = 0; begin < examples.size(); begin += kBlock) {
    stop_if_interrupted();
    const std::size_t count = std::min(kBlock, examples.size() - begin);
    parallel_for(count, options.threads, [&](std::size_t i, std::size_t) {
      Example& example = examples[begin + i];
      if (options.source == NegativeSource::bm25) from_bm25(text, options, example);
      if (options.source == NegativeSource::second_order) from_second_order(snapshot, options, example);
      if (options.source == NegativeSource::run) from_run(snapshot, options, example);
      if (options.listed_positives) keep_listed(example);
    });
    progress.advance(count);
  }
  progress.finish();
  for (const auto& example : examples) {
    report.without_negative += example.negatives.empty() ? 1 : 0;
    report.without_listed += example.positives.empty() ? 1 : 0;
  }
}

}  // namespace mustcite::train
