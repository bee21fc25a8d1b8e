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
  std::vector<float> hidden_length;  ///< what hidden papers say about a document
  std::vector<std::uint32_t> of_term;
  std::vector<std::uint32_t> touched;

  void fit(std::size_t documents) {
    if (frequency.size() < documents) {
      frequency.resize(documents, 0.0F);
      score.resize(documents, 0.0F);
      hidden_length.resize(documents, 0.0F);
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
      : context_(context),
        graph_(context.resources->graph()),
        citances_(context.resources->citances()),
        sums_(scratch()) {
    sums_.fit(context.as_of.documents);
    for (const std::uint32_t citing : context.horizon.hidden) {
      hidden_.push_back(graph_.references(citing, context.as_of.evidence));
    }
    std::sort(hidden_.begin(), hidden_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  std::vector<graph::Weighted> run() {
    count_hidden(1);
    for (const index::QueryTerm& term : context_.terms) add(term);
    count_hidden(0);
    std::sort(sums_.touched.begin(), sums_.touched.end());
    std::vector<graph::Weighted> found;
    for (const std::uint32_t doc : sums_.touched) {
      if (sums_.score[doc] > 0 && !contains(context_.excluded, DocId{doc}))
        found.push_back({doc, sums_.score[doc]});
      sums_.score[doc] = 0;
    }
    sums_.touched.clear();
    return found;
  }

 private:
  static constexpr float kK1 = 1.5F;
  static constexpr float kB = 0.4F;

  /// Adds up the lengths of hidden rows, times `factor`; 0 clears them.
  void count_hidden(float factor) {
    for (const graph::CitationGraph::Range& range : hidden_) {
      for (std::uint32_t row = range.first; row < range.last; ++row) {
        const std::uint32_t doc = graph_.edge(row).cited.value;
        if (doc >= context_.as_of.documents || graph_.is_self_citation(graph_.edge(row))) continue;
        float& length = sums_.hidden_length[doc];
        length = factor * (length + citances_.lengths()[row]);
      }
    }
  }

  void count(std::span<const CitanceIndex::Posting> postings) {
    for (const CitanceIndex::Posting& posting : postings) {
      const std::uint32_t doc = graph_.edge(posting.row).cited.value;
      if (doc >= context_.as_of.documents) continue;
      if (sums_.frequency[doc] == 0) sums_.of_term.push_back(doc);
      sums_.frequency[doc] += posting.weight;
    }
  }

  void add(const index::QueryTerm& term) {
    sums_.of_term.clear();
    auto rest = citances_.postings(term.term, context_.as_of.evidence);
    for (const graph::CitationGraph::Range& range : hidden_) {
      const auto from = [&](std::uint32_t row) {
        return std::partition_point(rest.begin(), rest.end(), [row](const auto& p) { return p.row < row; });
      };
      const auto first = from(range.first);
      count({rest.begin(), first});
      rest = {from(range.last), rest.end()};
    }
    count(rest);
    const double documents = context_.as_of.documents;
    const double df = static_cast<double>(sums_.of_term.size());
    const auto idf = static_cast<float>(std::log(1 + (documents - df + 0.5) / (df + 0.5)));
    const float factor = term.weight * idf * (kK1 + 1);
    const float slope = kK1 * kB / context_.statistics->mean_citance_length;
    const std::vector<float>& lengths = context_.statistics->citance_length;
    for (const std::uint32_t doc : sums_.of_term) {
      const float tf = sums_.frequency[doc];
      sums_.frequency[doc] = 0;
      if (sums_.score[doc] == 0) sums_.touched.push_back(doc);
      const float length = lengths[doc] - sums_.hidden_length[doc];
      sums_.score[doc] += factor * tf / (tf + kK1 * (1 - kB) + slope * length);
    }
  }

  const QueryContext& context_;
  const graph::CitationGraph& graph_;
  const CitanceIndex& citances_;
  Scratch& sums_;
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
    index::SearchOptions options;
    options.depth = kSentences;
    options.prefix = context.as_of.sentences;
    options.exclude = context.hidden_sentences;
    options.bm25.b = 0.3;
    std::vector<graph::Weighted> parts;
    const std::vector<Scored> found = sentences.search(context.sentence_terms, options);
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
