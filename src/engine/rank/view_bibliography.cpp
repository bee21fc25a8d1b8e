#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/graph/pagerank.hpp"
#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank::detail {
namespace {

/// What may come back of what a walk over the citations found.
std::vector<graph::Weighted> allowed(const QueryContext& context, std::vector<graph::Weighted> found) {
  std::erase_if(found, [&](const graph::Weighted& item) {
    return item.row >= context.as_of.documents || contains(context.excluded, DocId{item.row});
  });
  return found;
}

std::vector<graph::Weighted> seeds_of(const QueryContext& context) {
  std::vector<graph::Weighted> seeds;
  for (const DocId doc : context.known) seeds.push_back({doc.value, damped(context, {doc.value, 1.0F})});
  return seeds;
}

/// Documents cited together with what the query already cites.
class BibliographyCocitation final : public View {
 public:
  std::string name() const override { return "bib-cocitation"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    std::vector<graph::Weighted> found =
        allowed(context, graph::cocited(context.resources->graph(), seeds_of(context), context.horizon));
    for (graph::Weighted& item : found) item.weight = damped(context, item);
    return std::make_unique<FoundList>(std::move(found));
  }
};

/// Documents that walks over the citations reach from what the query already cites.
class BibliographyWalk final : public View {
 public:
  std::string name() const override { return "bib-walk"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    graph::PushOptions options;
    options.damping = 0.7;
    options.epsilon = 3e-6;
    options.max_edges = 200'000;
    return std::make_unique<FoundList>(allowed(
        context,
        graph::pushed_pagerank(context.resources->graph(), seeds_of(context), context.horizon, options)));
  }
};

/// Documents that cite, or are cited by, what the query already cites.
class BibliographyLinks final : public View {
 public:
  std::string name() const override { return "bib-links"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const graph::CitationGraph& graph = context.resources->graph();
    std::vector<graph::Weighted> parts;
    for (const DocId doc : context.known) {
      if (const auto citing = graph.citing_of(doc)) {
        const graph::CitationGraph::Range range = graph.references(*citing, context.as_of.evidence);
        for (std::uint32_t e = range.first; e < range.last; ++e) {
          if (!graph.is_self_citation(graph.edge(e))) parts.push_back({graph.edge(e).cited.value, 1.0F});
        }
      }
      const float share = damped(context, {doc.value, 1.0F});  // whoever cites a landmark says little by it
      for (const std::uint32_t e : graph.cited_by(doc, context.as_of.evidence)) {
        if (context.horizon.hides(graph.edge(e).citing)) continue;
        const DocId citing = graph.document_of(graph.edge(e).citing);
        if (citing.value < context.as_of.documents) parts.push_back({citing.value, share});
      }
    }
    return std::make_unique<FoundList>(allowed(context, added_up(std::move(parts))));
  }
};

/// The words of the titles that the query already cites, looked for in title and abstract.
class BibliographyText final : public View {
 public:
  std::string name() const override { return "bib-text"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return make_prepared_text(context, context.resources->text(), terms_of(context));
  }

 private:
  static constexpr std::size_t kTerms = 40;

  static std::vector<index::QueryTerm> terms_of(const QueryContext& context) {
    const index::SparseIndex& text = context.resources->text();
    std::unordered_map<std::uint32_t, float> counts;
    for (const DocId doc : context.known) {
      for (const index::QueryTerm& term : text.parse(context.resources->snapshot().document(doc).title))
        counts[term.term] += 1.0F;
    }
    for (auto& [term, count] : counts) count = std::sqrt(count);
    return strongest_terms(context, counts, kTerms);
  }
};

/// Nearness of embeddings to the nearest few of what the query already cites.
class PreparedNearness final : public PreparedQuery {
 public:
  explicit PreparedNearness(const QueryContext& context) : context_(context) {
    if (context.latent.embedding == nullptr || context.known.empty()) return;
    const Lsi& space = *context.latent.embedding;
    std::vector<float> sum(space.dims(), 0.0F);
    const std::size_t step = (context.known.size() + kMost - 1) / kMost;
    for (std::size_t i = 0; i < context.known.size(); i += step) {
      std::vector<float> vector(space.dims(), 0.0F);
      space.documents().add_to(context.known[i].value, 1.0F, vector);
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += vector[d];
      vectors_.push_back(quantised(vector));
    }
    normalise(sum);
    mean_ = quantised(sum);
  }

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (vectors_.empty() || mean_.scale == 0) return {};
    return context_.latent.embedding->nearest(mean_, context_.as_of.documents, depth, context_.excluded);
  }

  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    for (std::size_t i = 0; i < docs.size(); ++i) {
      float best[kNearest] = {};
      for (const QuantisedVector& vector : vectors_) {
        float near = context_.latent.embedding->documents().dot(docs[i].value, vector);
        for (float& place : best) {
          if (near > place) std::swap(near, place);
        }
      }
      out[i] = 0;
      for (const float near : best) out[i] += near / kNearest;
    }
  }

 private:
  static constexpr std::size_t kMost = 64;  ///< works compared; longer bibliographies are thinned evenly
  static constexpr std::size_t kNearest = 3;

  const QueryContext& context_;
  std::vector<QuantisedVector> vectors_;
  QuantisedVector mean_;
};

class BibliographyEmbedding final : public View {
 public:
  std::string name() const override { return "bib-embedding"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return std::make_unique<PreparedNearness>(context);
  }
};

}  // namespace

std::unique_ptr<View> make_bibliography_view(const std::string& name) {
  if (name == "bib-cocitation") return std::make_unique<BibliographyCocitation>();
  if (name == "bib-walk") return std::make_unique<BibliographyWalk>();
  if (name == "bib-links") return std::make_unique<BibliographyLinks>();
  if (name == "bib-text") return std::make_unique<BibliographyText>();
  if (name == "bib-embedding") return std::make_unique<BibliographyEmbedding>();
  return nullptr;
}

}  // namespace mustcite::rank::detail
