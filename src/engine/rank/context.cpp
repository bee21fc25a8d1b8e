#include <algorithm>
#include <cmath>

#include "core/text/normalise.hpp"
#include "engine/rank/query_texts.hpp"
#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kNeighbours = 100;

void sort_unique(std::vector<DocId>& docs) {
  std::sort(docs.begin(), docs.end());
  docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
}

/// Documents that are the query's own paper: by id, or by title.
void hide_own_paper(QueryContext& context) {
  const snapshot::Snapshot& snapshot = context.resources->snapshot();
  const Query& query = *context.query;
  std::vector<std::uint32_t> citing;
  if (const auto doc = snapshot.find(query.id.str())) context.excluded.push_back(*doc);
  if (const auto row = snapshot.find_citing(query.id.str())) citing.push_back(*row);
  const std::string key = text::title_key(query.title);
  if (!key.empty()) {
    for (const DocId doc : snapshot.find_title(key)) context.excluded.push_back(doc);
    for (const std::uint32_t row : context.resources->columns().citing_with_title(key)) citing.push_back(row);
  }
  for (const DocId doc : context.excluded) {
    if (const auto row = context.resources->graph().citing_of(doc)) citing.push_back(*row);
  }
  std::sort(citing.begin(), citing.end());
  citing.erase(std::unique(citing.begin(), citing.end()), citing.end());
  const CitanceIndex& citances = context.resources->citances();
  for (const std::uint32_t row : citing) {
    context.hidden_citing.push_back(DocId{row});
    const graph::CitationGraph::Range range =
        context.resources->graph().references(row, context.as_of.evidence);
    if (range.first == range.last) continue;  // beyond the horizon anyway
    context.horizon.hidden.push_back(row);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      context.hidden_cited.push_back(context.resources->graph().edge(e).cited);
    }
    const std::uint32_t end = citances.sentence_prefix(range.last);
    for (std::uint32_t s = citances.sentence_prefix(range.first); s < end; ++s) {
      context.hidden_sentences.push_back(DocId{s});
    }
  }
  sort_unique(context.hidden_cited);
}

/// What citing papers with these weights vote for: (1 + ln mentions + 1/2 when in experiments) each.
std::vector<graph::Weighted> votes_of(const QueryContext& context,
                                      const std::vector<graph::Weighted>& neighbours) {
  const graph::CitationGraph& graph = context.resources->graph();
  std::vector<graph::Weighted> parts;
  for (const graph::Weighted& neighbour : neighbours) {
    const graph::CitationGraph::Range range = graph.references(neighbour.row, context.as_of.evidence);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const graph::Edge& edge = graph.edge(e);
      if (edge.cited.value >= context.as_of.documents || graph.is_self_citation(edge)) continue;
      const float strength = 1.0F + std::log(static_cast<float>(std::max<int>(edge.mentions, 1))) +
                             (edge.exp_mentions > 0 ? 0.5F : 0.0F);
      parts.push_back({edge.cited.value, neighbour.weight * strength});
    }
  }
  std::vector<graph::Weighted> result = added_up(std::move(parts));
  std::erase_if(result,
                [&](const graph::Weighted& item) { return contains(context.excluded, DocId{item.row}); });
  return result;
}

void vote_by_text(QueryContext& context) {
  const index::SparseIndex& citing = context.resources->citing();
  const index::SparseIndex& text = context.resources->text();
  // The few citing papers are compared with the idf of the whole pool.
  std::vector<index::QueryTerm> terms;
  const double documents = context.as_of.documents;
  const double rows = context.as_of.citing;
  for (const index::QueryTerm& term : context.terms) {
    const auto own = citing.term_id(text.term(term.term));
    if (!own) continue;
    const double df = text.document_frequency(term.term, context.as_of.documents);
    const double own_df = citing.document_frequency(*own, context.as_of.citing);
    const double idf = std::log(1 + (documents - df + 0.5) / (df + 0.5));
    const double own_idf = std::log(1 + (rows - own_df + 0.5) / (own_df + 0.5));
    terms.push_back({*own, static_cast<float>(term.weight * idf / own_idf)});
  }
  index::SearchOptions options;
  options.depth = kNeighbours;
  options.prefix = context.as_of.citing;
  options.exclude = context.hidden_citing;
  const std::vector<Scored> found = citing.search(terms, options);
  for (const Scored& item : found) {
    const float share = item.score / std::max(found.front().score, 1e-9F);
    context.by_text.neighbours.push_back({item.doc.value, share * share});
  }
  context.by_text.documents = votes_of(context, context.by_text.neighbours);
}

void vote_by_vector(QueryContext& context) {
  if (context.latent.embedding == nullptr) return;
  const QuantisedVector vector = quantised(context.embedding_vector);
  const auto found = context.latent.embedding->citing().nearest({&vector, 1}, context.as_of.citing,
                                                                kNeighbours, context.hidden_citing);
  for (const Scored& item : found[0]) {
    if (item.score <= 0) break;
    context.by_vector.neighbours.push_back({item.doc.value, item.score * item.score * item.score});
  }
  context.by_vector.documents = votes_of(context, context.by_vector.neighbours);
}

/// The citing papers whose dense vectors are nearest. They are few beside the documents: each is compared.
void vote_by_dense(QueryContext& context) {
  const graph::CitationGraph& graph = context.resources->graph();
  std::vector<std::pair<DocId, std::uint32_t>> citing;
  for (std::uint32_t row = 0; row < context.as_of.citing; ++row) {
    const DocId doc = graph.document_of(row);
    if (doc.value < context.as_of.documents && !contains(context.hidden_citing, DocId{row}))
      citing.emplace_back(doc, row);
  }
  std::vector<DocId> docs;
  for (const auto& [doc, row] : citing) docs.push_back(doc);
  std::vector<float> scores(docs.size());
  context.dense->vectors().score(context.dense_vector, docs, scores);
  TopK best(kNeighbours + 1);
  for (std::size_t i = 0; i < docs.size(); ++i) best.offer(citing[i].second, scores[i]);
  const std::vector<Scored> nearest = best.take();
  if (nearest.empty()) return;
  // Cosines of one encoder lie close together: what counts is the lead over the first that has no vote.
  const float low = nearest.back().score;
  const float lead = std::max(nearest.front().score - low, 1e-6F);
  for (const Scored& item : nearest) {
    const float share = (item.score - low) / lead;
    if (share > 0) context.by_dense.neighbours.push_back({item.doc.value, share * share});
  }
  context.by_dense.documents = votes_of(context, context.by_dense.neighbours);
}

/// Papers that cite what the query already cites are neighbours as well: their weight is added to that of
/// their words.
void vote_by_bibliography(QueryContext& context) {
  const graph::CitationGraph& graph = context.resources->graph();
  std::vector<graph::Weighted> known;
  for (const DocId doc : context.known) known.push_back({doc.value, damped(context, {doc.value, 1.0F})});
  std::vector<graph::Weighted> parts = context.by_text.neighbours;
  TopK best(kNeighbours);
  for (const graph::Weighted& citing : graph::coupled(graph, known, context.horizon)) {
    const graph::CitationGraph::Range range = graph.references(citing.row, context.as_of.evidence);
    best.offer(citing.row, citing.weight / std::sqrt(static_cast<float>(range.last - range.first) + 1.0F));
  }
  const std::vector<Scored> nearest = best.take();
  for (const Scored& item : nearest) {
    const float share = item.score / nearest.front().score;
    parts.push_back({item.doc.value, share * share});
  }
  std::vector<graph::Weighted> neighbours = added_up(std::move(parts));
  std::stable_sort(neighbours.begin(), neighbours.end(),
                   [](const graph::Weighted& a, const graph::Weighted& b) { return a.weight > b.weight; });
  context.by_text.neighbours = std::move(neighbours);
  context.by_text.documents = votes_of(context, context.by_text.neighbours);
}

/// Turns the query's vector towards those of the papers that it already cites.
void turn_to_bibliography(const QueryContext& context, const Lsi& space, std::vector<float>& vector) {
  constexpr float kShare = 0.7F;
  std::vector<float> sum(vector.size(), 0.0F);
  for (const DocId doc : context.known) space.documents().add_to(doc.value, 1.0F, sum);
  normalise(sum);
  for (std::size_t d = 0; d < vector.size(); ++d) vector[d] += kShare * sum[d];
  normalise(vector);
}

/// Title and abstract, and what they say weighs little beside the topic sentence when there is one: it is one
/// paragraph that needs citations, not the whole work. The sentence stands for the title, too.
void read_text(QueryContext& context) {
  constexpr int kTopic = 5;  ///< a word of the topic sentence counts as so many of the abstract
  const Query& query = *context.query;
  const index::SparseIndex& text = context.resources->text();
  const index::SparseIndex& titles = context.resources->titles();
  const std::vector<std::string> topic = text.analyzer().terms(query.topic);
  std::vector<std::string> all = text.analyzer().terms(query.title);
  const std::vector<std::string> title = topic.empty() ? all : topic;
  text.analyzer().analyze(query.abstract, all);
  for (int i = 0; i < kTopic; ++i) all.insert(all.end(), topic.begin(), topic.end());
  context.terms = text.count_terms(all);
  context.title_terms = text.count_terms(title);
  context.titles_terms = titles.count_terms(all);
  for (index::QueryTerm& term : context.titles_terms) term.weight = std::min(term.weight, 2.0F);
  context.titles_title_terms = titles.count_terms(title);
  const index::SparseIndex& sentences = context.resources->sentences();
  for (const index::QueryTerm& term : context.terms) {
    if (const auto own = sentences.term_id(text.term(term.term))) {
      context.sentence_terms.push_back({*own, term.weight});
    }
  }
  for (const std::string& author : query.authors) {
    if (std::string key = text::author_key(author); !key.empty())
      context.author_keys.push_back(std::move(key));
  }
  std::sort(context.author_keys.begin(), context.author_keys.end());
  context.names = context.resources->names().find(query.title + " . " + query.abstract + " . " + query.topic);
}

}  // namespace

CitedCounts QueryContext::cited(DocId doc) const {
  CitedCounts counts = statistics->cited[doc.value];
  if (!contains(hidden_cited, doc)) return counts;
  for (const std::uint32_t e : resources->graph().cited_by(doc, as_of.evidence)) {
    const graph::Edge& edge = resources->graph().edge(e);
    if (!horizon.hides(edge.citing)) continue;
    --counts.citing;
    counts.must -= edge.mentions >= 3 ? 1 : 0;
    counts.experiments -= edge.exp_mentions > 0 ? 1 : 0;
    counts.recent -= edge.year >= statistics->evidence_year - 2 ? 1 : 0;
  }
  return counts;
}

std::vector<std::uint32_t> QueryContext::sentences_about(std::uint32_t row) const {
  const CitanceIndex& citances = resources->citances();
  const graph::CitationGraph& graph = resources->graph();
  const graph::CitationGraph::Range paper = graph.references(graph.edge(row).citing, as_of.evidence);
  std::vector<std::uint32_t> found;
  const std::uint32_t end = citances.sentence_prefix(paper.last);
  for (std::uint32_t s = citances.sentence_prefix(paper.first); s < end; ++s) {
    const auto cited = citances.sentence(s).rows;
    if (std::binary_search(cited.begin(), cited.end(), row)) found.push_back(s);
  }
  return found;
}

QueryContext make_context(const Resources& resources, const Query& query, bool encode) {
  QueryContext context;
  context.query = &query;
  context.resources = &resources;
  const snapshot::Snapshot& snapshot = resources.snapshot();
  AsOf& as_of = context.as_of;
  as_of.cutoff = query.before;
  as_of.documents = snapshot.prefix(query.before);
  as_of.evidence = snapshot.evidence_prefix(query.before);
  as_of.citing = snapshot.citing_prefix(query.before);
  as_of.sentences = resources.citances().sentence_prefix(as_of.evidence);
  context.horizon.edges = as_of.evidence;
  hide_own_paper(context);
  for (const PaperId& id : query.exclude) {
    if (const auto doc = snapshot.find(id.str())) context.excluded.push_back(*doc);
  }
  for (const PaperId& id : query.known) {
    if (const auto doc = snapshot.find(id.str())) context.known.push_back(*doc);
  }
  sort_unique(context.known);
  context.excluded.insert(context.excluded.end(), context.known.begin(), context.known.end());
  sort_unique(context.excluded);
  std::erase_if(context.known, [&](DocId doc) { return doc.value >= as_of.documents; });
  context.statistics = resources.statistics(as_of.documents, as_of.evidence, query.before);
  read_text(context);
  context.latent = resources.latent(as_of.documents, as_of.evidence);
  if (context.latent.lsi != nullptr) {
    context.lsi_vector = context.latent.lsi->fold_in(context.terms);
    context.embedding_vector = context.latent.embedding->fold_in(context.terms);
    if (!context.known.empty()) {
      turn_to_bibliography(context, *context.latent.lsi, context.lsi_vector);
      turn_to_bibliography(context, *context.latent.embedding, context.embedding_vector);
    }
  }
  if (as_of.evidence > 0) {
    vote_by_text(context);
    if (!context.known.empty()) vote_by_bibliography(context);
    vote_by_vector(context);
  }
  if (encode) context.late = resources.late();
  if (encode && resources.dense() != nullptr) {
    context.dense = resources.dense();
    context.dense_vector = context.dense->encode(texts_of(query));
    if (as_of.evidence > 0) vote_by_dense(context);
  }
  return context;
}

}  // namespace mustcite::rank
