#include <algorithm>
#include <cmath>

#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank::detail {
namespace {

/// Sums per document, reused from query to query: zeros between uses, so that only what was touched is
/// cleared.
struct Scratch {
  std::vector<float> frequency;
  std::vector<float> score;
  std::vector<std::uint32_t> of_term;
  std::vector<std::uint32_t> touched;

  void fit(std::size_t documents) {
    if (frequency.size() < documents) {
      frequency.resize(documents, 0.0F);
      score.resize(documents, 0.0F);
    }
  }
};

Scratch& scratch() {
  thread_local Scratch scratch;
  return scratch;
}

/// BM25 over everything said about a document before the query's date.
class CitanceScorer {
 public:
  explicit CitanceScorer(const QueryContext& context)
      : context_(context), graph_(context.resources->graph()), citances_(context.resources->citances()) {
    for (const std::uint32_t citing : context.horizon.hidden) {
      hidden_.push_back(graph_.references(citing, context.as_of.evidence));
    }
  }

  std::vector<graph::Weighted> run() {
    Scratch& sums = scratch();
    sums.fit(context_.as_of.documents);
    for (const index::QueryTerm& term : context_.terms) add(term, sums);
    std::sort(sums.touched.begin(), sums.touched.end());
    std::vector<graph::Weighted> found;
    for (const std::uint32_t doc : sums.touched) {
      if (sums.score[doc] > 0 && !contains(context_.excluded, DocId{doc}))
        found.push_back({doc, sums.score[doc]});
      sums.score[doc] = 0;
    }
    sums.touched.clear();
    return found;
  }

 private:
  static constexpr float kK1 = 1.5F;
  static constexpr float kB = 0.4F;

  bool hides(std::uint32_t row) const {
    return std::any_of(hidden_.begin(), hidden_.end(), [&](const graph::CitationGraph::Range& range) {
      return row >= range.first && row < range.last;
    });
  }

  float length(std::uint32_t doc) const {
    float length = context_.statistics->citance_length[doc];
    if (!hidden_.empty()) {
      for (const std::uint32_t e : graph_.cited_by(DocId{doc}, context_.as_of.evidence)) {
        if (hides(e)) length -= citances_.lengths()[e];
      }
    }
    return length;
  }

  void add(const index::QueryTerm& term, Scratch& sums) {
    sums.of_term.clear();
    for (const CitanceIndex::Posting& posting : citances_.postings(term.term, context_.as_of.evidence)) {
      const std::uint32_t doc = graph_.edge(posting.row).cited.value;
      if (doc >= context_.as_of.documents || (!hidden_.empty() && hides(posting.row))) continue;
      if (sums.frequency[doc] == 0) sums.of_term.push_back(doc);
      sums.frequency[doc] += posting.weight;
    }
    const double documents = context_.as_of.documents;
    const double df = static_cast<double>(sums.of_term.size());
    const auto idf = static_cast<float>(std::log(1 + (documents - df + 0.5) / (df + 0.5)));
    const float mean = context_.statistics->mean_citance_length;
    for (const std::uint32_t doc : sums.of_term) {
      const float tf = sums.frequency[doc];
      sums.frequency[doc] = 0;
      if (sums.score[doc] == 0) sums.touched.push_back(doc);
      sums.score[doc] += term.weight * idf * tf * (kK1 + 1) / (tf + kK1 * (1 - kB + kB * length(doc) / mean));
    }
  }

  const QueryContext& context_;
  const graph::CitationGraph& graph_;
  const CitanceIndex& citances_;
  std::vector<graph::CitationGraph::Range> hidden_;
};

class CitanceView final : public View {
 public:
  std::string name() const override { return "citance"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return std::make_unique<FoundList>(CitanceScorer(context).run());
  }
};

/// The 200 citing sentences most like the query; each shares its weight, (score / best)^3, among what it
/// cites.
class SentenceView final : public View {
 public:
  std::string name() const override { return "sentences"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const index::SparseIndex& sentences = context.resources->sentences();
    const index::SparseIndex& text = context.resources->text();
    std::vector<index::QueryTerm> terms;
    for (const index::QueryTerm& term : context.terms) {
      if (const auto own = sentences.term_id(text.term(term.term))) terms.push_back({*own, term.weight});
    }
    index::SearchOptions options;
    options.depth = kSentences;
    options.prefix = context.as_of.sentences;
    options.exclude = context.hidden_sentences;
    options.bm25.b = 0.3;
    std::vector<graph::Weighted> parts;
    const std::vector<Scored> found = sentences.search(terms, options);
    for (const Scored& item : found) {
      const float share = item.score / found.front().score;
      const auto rows = context.resources->citances().sentence(item.doc.value).rows;
      for (const std::uint32_t row : rows) {
        const DocId cited = context.resources->graph().edge(row).cited;
        if (cited.value >= context.as_of.documents || contains(context.excluded, cited)) continue;
        parts.push_back({cited.value, share * share * share / static_cast<float>(rows.size())});
      }
    }
    return std::make_unique<FoundList>(added_up(std::move(parts)));
  }

 private:
  static constexpr std::uint32_t kSentences = 200;
};

}  // namespace

std::unique_ptr<View> make_citance_view(const std::string& name) {
  if (name == "citance") return std::make_unique<CitanceView>();
  if (name == "sentences") return std::make_unique<SentenceView>();
  return nullptr;
}

}  // namespace mustcite::rank::detail
