#include "engine/rank/explain.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

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

/// Roles from all sections, and the sentence that shares most with the query.
void add_evidence(const QueryContext& context, Explanation& explanation) {
  const snapshot::Snapshot& snapshot = context.resources->snapshot();
  const index::SparseIndex& text = context.resources->text();
  std::unordered_map<std::uint32_t, float> wanted;
  const double documents = context.as_of.documents;
  for (const index::QueryTerm& term : context.terms) {
    const double df = text.document_frequency(term.term, context.as_of.documents);
    wanted[term.term] = static_cast<float>(std::log(1 + (documents - df + 0.5) / (df + 0.5)));
  }
  const auto rows = context.resources->graph().cited_by(explanation.doc, context.as_of.evidence);
  std::uint32_t looked_at = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && looked_at < kSentences; ++row) {  // newest first
    if (context.horizon.hides(context.resources->graph().edge(*row).citing)) continue;
    const std::uint32_t count = snapshot.evidence(*row).context_count;
    for (std::uint32_t c = 0; c < count && looked_at < kSentences; ++c, ++looked_at) {
      const auto view = snapshot.context_view(*row, c);
      count_role(explanation.roles, view.section);
      float score = 0;
      for (const index::QueryTerm& term : text.parse(view.text)) {
        const auto at = wanted.find(term.term);
        if (at != wanted.end()) score += at->second;
      }
      // Long sentences hold many words by chance.
      score /= std::sqrt(static_cast<float>(view.text.size()) + 80.0F);
      if (!explanation.sentence || score > explanation.sentence->score)
        explanation.sentence = CitingEvidence{*row, c, score};
    }
  }
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
