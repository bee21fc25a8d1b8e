#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/rank/views.hpp"

namespace mustcite::rank::detail {
namespace {

class PreparedText final : public PreparedQuery {
 public:
  PreparedText(const QueryContext& context, const index::SparseIndex& index,
               std::vector<index::QueryTerm> terms, index::Bm25 bm25)
      : index_(index), terms_(std::move(terms)) {
    options_.prefix = context.as_of.documents;
    options_.exclude = context.excluded;
    options_.bm25 = bm25;
  }

  std::vector<Scored> candidates(std::size_t depth) const override {
    index::SearchOptions options = options_;
    options.depth = static_cast<std::uint32_t>(depth);
    std::vector<Scored> found = index_.search(terms_, options);
    found_ = found;
    std::sort(found_.begin(), found_.end(), [](const Scored& a, const Scored& b) { return a.doc < b.doc; });
    return found;
  }

  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    // What the search scored is known: score and search give the same numbers.
    std::vector<DocId> unknown;
    std::vector<std::size_t> places;
    auto known = found_.begin();
    for (std::size_t i = 0; i < docs.size(); ++i) {
      while (known != found_.end() && known->doc < docs[i]) ++known;
      if (known != found_.end() && known->doc == docs[i]) {
        out[i] = known->score;
      } else {
        unknown.push_back(docs[i]);
        places.push_back(i);
      }
    }
    std::vector<float> scores(unknown.size());
    index_.score(terms_, unknown, options_, scores);
    for (std::size_t i = 0; i < unknown.size(); ++i) out[places[i]] = scores[i];
  }

 private:
  const index::SparseIndex& index_;
  std::vector<index::QueryTerm> terms_;
  index::SearchOptions options_;
  mutable std::vector<Scored> found_;  ///< of the last search, by document
};

constexpr index::Bm25 kText{1.5, 0.75};
constexpr index::Bm25 kTitle{1.5, 0.5};

class TextView final : public View {
 public:
  explicit TextView(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }

  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const Resources& from = *context.resources;
    if (name_ == "bm25") return std::make_unique<PreparedText>(context, from.text(), context.terms, kText);
    if (name_ == "title-query")
      return std::make_unique<PreparedText>(context, from.text(), context.title_terms, kText);
    if (name_ == "title")
      return std::make_unique<PreparedText>(context, from.titles(), context.titles_terms, kTitle);
    return std::make_unique<PreparedText>(context, from.titles(), context.titles_title_terms, kTitle);
  }

 private:
  std::string name_;
};

/// Pseudo-relevance feedback: the terms that mark the first results are the query.
class FeedbackView final : public View {
 public:
  std::string name() const override { return "feedback"; }
  Order order() const override { return Order::second; }

  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return std::make_unique<PreparedText>(context, context.resources->text(), terms_of(context), kText);
  }

 private:
  static constexpr std::size_t kDocuments = 10;
  static constexpr std::size_t kTerms = 40;

  static std::vector<index::QueryTerm> terms_of(const QueryContext& context) {
    const index::SparseIndex& text = context.resources->text();
    std::unordered_map<std::uint32_t, float> centroid;
    const std::size_t count = std::min(kDocuments, context.first.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Scored& item = context.first[i];
      const float weight =
          item.score / context.first[0].score / std::max(text.document_length(item.doc), 1.0F);
      for (const index::QueryTerm& term : text.document_terms(item.doc))
        centroid[term.term] += weight * term.weight;
    }
    return strongest_terms(context, centroid, kTerms);
  }
};

}  // namespace

std::vector<index::QueryTerm> strongest_terms(const QueryContext& context,
                                              const std::unordered_map<std::uint32_t, float>& weights,
                                              std::size_t most) {
  const index::SparseIndex& text = context.resources->text();
  struct Ranked {
    index::QueryTerm term;
    double value;
  };
  std::vector<Ranked> ranked;
  const double documents = context.as_of.documents;
  for (const auto& [term, weight] : weights) {
    const double df = text.document_frequency(term, context.as_of.documents);
    ranked.push_back({{term, weight}, weight * std::log(1 + (documents - df + 0.5) / (df + 0.5))});
  }
  const std::size_t kept = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end(),
                    [](const Ranked& a, const Ranked& b) {
                      return a.value != b.value ? a.value > b.value : a.term.term < b.term.term;
                    });
  std::vector<index::QueryTerm> terms;
  for (std::size_t i = 0; i < kept; ++i) terms.push_back(ranked[i].term);
  return terms;
}

std::unique_ptr<PreparedQuery> make_prepared_text(const QueryContext& context,
                                                  const index::SparseIndex& index,
                                                  std::vector<index::QueryTerm> terms) {
  return std::make_unique<PreparedText>(context, index, std::move(terms), kText);
}

std::unique_ptr<View> make_text_view(const std::string& name) {
  if (name == "feedback") return std::make_unique<FeedbackView>();
  if (name == "bm25" || name == "title" || name == "title-query" || name == "title-title") {
    return std::make_unique<TextView>(name);
  }
  return nullptr;
}

}  // namespace mustcite::rank::detail
