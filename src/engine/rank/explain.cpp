#include "engine/rank/explain.hpp"

#include <algorithm>
#include <cmath>

#include "core/text/normalise.hpp"
#include "engine/rank/top.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kTerms = 6;
constexpr std::size_t kAsked = 20;
constexpr std::uint32_t kSentences = 200;  ///< evidence looked at for the best sentence

std::vector<std::string> shared_terms(const QueryContext& context, DocId doc) {
  const index::SparseIndex& text = context.resources->text();
  index::SearchOptions options;
  options.prefix = context.as_of.documents;
  std::vector<std::string> terms;
  for (const auto& share : text.explain(context.terms, doc, options)) {
    if (terms.size() == kTerms || !(share.score > 0)) break;
    terms.emplace_back(text.term(share.term));
  }
  return terms;
}

std::vector<std::string> shared_names(const QueryContext& context, DocId doc) {
  const NameIndex& index = context.resources->names();
  std::vector<std::string> names;
  for (const NameIndex::Owned& owned : index.owned(doc)) {
    if (std::binary_search(context.names.begin(), context.names.end(), owned.name))
      names.emplace_back(index.name(owned.name));
  }
  return names;
}

/// Both kinds of neighbours take turns, so that neither fills the places alone.
std::vector<graph::Weighted> nearest_papers(const QueryContext& context) {
  std::vector<graph::Weighted> nearest;
  const auto add = [&](const Votes& votes, std::size_t i) {
    if (i >= votes.neighbours.size() || nearest.size() == kAsked) return;
    const graph::Weighted& neighbour = votes.neighbours[i];
    const auto same = [&](const graph::Weighted& known) { return known.row == neighbour.row; };
    if (std::any_of(nearest.begin(), nearest.end(), same)) return;
    nearest.push_back({neighbour.row, neighbour.weight / votes.neighbours.front().weight});
  };
  for (std::size_t i = 0;
       i < std::max(context.by_text.neighbours.size(), context.by_vector.neighbours.size()); ++i) {
    add(context.by_text, i);
    add(context.by_vector, i);
  }
  return nearest;
}

std::optional<int> known_count(std::int16_t count) {
  return count < 0 ? std::nullopt : std::optional<int>(count);
}

void add_supporters(const QueryContext& context, Explanation& explanation) {
  const graph::CitationGraph& graph = context.resources->graph();
  const std::vector<graph::Weighted> nearest = nearest_papers(context);
  explanation.asked = static_cast<std::uint32_t>(nearest.size());
  for (const graph::Weighted& neighbour : nearest) {
    const graph::CitationGraph::Range range = graph.references(neighbour.row, context.as_of.evidence);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const graph::Edge& edge = graph.edge(e);
      if (edge.cited != explanation.doc) continue;
      explanation.supporters.push_back(
          {neighbour.row, neighbour.weight, known_count(edge.mentions), known_count(edge.exp_mentions)});
    }
  }
}

void count_roles(const QueryContext& context, std::span<const std::uint32_t> rows, Roles& roles) {
  const snapshot::Snapshot& snapshot = context.resources->snapshot();
  std::uint32_t looked_at = 0;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // newest first
    if (context.horizon.hides(context.resources->graph().edge(*row).citing)) continue;
    const std::uint32_t count = snapshot.evidence(*row).context_count;
    for (std::uint32_t c = 0; c < count; ++c) {
      if (++looked_at > kSentences) return;
      count_role(roles, snapshot.context_view(*row, c).section);
    }
  }
}

/// The sentence about the document that shares most with the query.
std::optional<CitingEvidence> best_sentence(const QueryContext& context,
                                            std::span<const std::uint32_t> rows) {
  const Resources& resources = *context.resources;
  const CitanceIndex& citances = resources.citances();
  std::vector<DocId> numbers;
  std::vector<std::uint32_t> rows_of;
  for (auto row = rows.rbegin(); row != rows.rend() && numbers.size() < kSentences; ++row) {  // newest first
    if (context.horizon.hides(resources.graph().edge(*row).citing)) continue;
    for (const std::uint32_t sentence : context.sentences_about(*row)) {
      numbers.push_back(DocId{sentence});
      rows_of.push_back(*row);
    }
  }
  std::vector<float> scores(numbers.size());
  index::SearchOptions options;
  options.prefix = context.as_of.sentences;
  resources.sentences().score(context.sentence_terms, numbers, options, scores);
  const auto best = std::max_element(scores.begin(), scores.end());
  if (best == scores.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(best - scores.begin());
  // The sentence may be kept under another paper that it cites: its text is the same there.
  const CitanceIndex::Sentence kept = citances.sentence(numbers[at].value);
  const std::string_view text = resources.snapshot().context_view(kept.evidence, kept.context).text;
  const std::uint32_t count = resources.snapshot().evidence(rows_of[at]).context_count;
  for (std::uint32_t c = 0; c < count; ++c) {
    if (resources.snapshot().context_view(rows_of[at], c).text == text)
      return CitingEvidence{rows_of[at], c, *best};
  }
  return std::nullopt;
}

/// Roles from all sections, and the sentence most like the query.
void add_evidence(const QueryContext& context, Explanation& explanation) {
  const auto rows = context.resources->graph().cited_by(explanation.doc, context.as_of.evidence);
  count_roles(context, rows, explanation.roles);
  explanation.sentence = best_sentence(context, rows);
}

}  // namespace

std::vector<ViewShare> view_shares(const Ranking& ranking, std::size_t row) {
  std::vector<ViewShare> shares;
  for (std::size_t v = 0; v < view_names().size(); ++v) {
    const std::vector<float>& scores = ranking.candidates.scores[v];
    if (!(scores[row] > 0)) continue;
    const auto better_ones =
        std::count_if(scores.begin(), scores.end(), [&](float score) { return score > scores[row]; });
    shares.push_back({view_names()[v], scores[row], static_cast<std::uint32_t>(better_ones + 1)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ViewShare& a, const ViewShare& b) { return a.place < b.place; });
  return shares;
}

void count_role(Roles& roles, std::string_view section) {
  const std::string name = text::to_lower(section);
  const auto has = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return name.find(word) != std::string::npos; });
  };
  if (has({"experiment", "result", "evaluation", "empirical", "simulation", "ablation", "benchmark"})) {
    ++roles.experiments;
  } else if (has({"related", "background", "prior work", "previous work", "literature"})) {
    ++roles.related;
  } else if (has({"introduction"})) {
    ++roles.introduction;
  } else if (has({"method", "approach", "model", "algorithm", "architecture", "training", "implementation",
                  "preliminar"})) {
    ++roles.method;
  } else {
    ++roles.other;
  }
}

Explanation explain(const Ranker& ranker, const Ranking& ranking, std::size_t i) {
  Explanation explanation;
  explanation.doc = ranking.ranked[i].doc;
  explanation.views = view_shares(ranking, ranking.shortlist.rows[ranking.positions[i]]);
  explanation.terms = shared_terms(ranking.context, explanation.doc);
  explanation.names = shared_names(ranking.context, explanation.doc);
  explanation.cited = ranking.context.cited(explanation.doc);
  add_supporters(ranking.context, explanation);
  add_evidence(ranking.context, explanation);
  explanation.probabilities = ranker.probabilities(ranking, i);
  return explanation;
}

std::vector<FeatureShare> explain_features(const Ranker& ranker, const Ranking& ranking, std::size_t i,
                                           Tier tier) {
  const Model& model = ranker.model();
  const auto part = model.tiers.find(tier);
  if (part == model.tiers.end()) return {};
  const std::vector<std::string> names = model.column_names();
  const std::span<const float> row = ranking.shortlist.row(ranking.positions[i]);
  std::vector<float> contributions(names.size(), 0.0F);
  static_cast<void>(
      part->second.trees.contributions(row, std::span(contributions).first(part->second.trees.features())));
  std::vector<FeatureShare> shares;
  for (std::size_t k = 0; k < names.size(); ++k) shares.push_back({names[k], row[k], contributions[k]});
  std::stable_sort(shares.begin(), shares.end(), [](const FeatureShare& a, const FeatureShare& b) {
    return std::abs(a.contribution) > std::abs(b.contribution);
  });
  return shares;
}

}  // namespace mustcite::rank
