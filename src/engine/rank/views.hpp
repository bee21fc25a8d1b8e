#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// Names of all views, in the order of the feature list. Those of one word that users meet are methods of
/// their own:
///
/// | view | what finds a document |
/// |---|---|
/// | `bm25` | the query's words in title and abstract |
/// | `title` | the query's words in the title |
/// | `title-query` | the words of the query's title in title and abstract |
/// | `title-title` | the words of the query's title in the title |
/// | `citance` | the query's words in what older papers say when they cite it |
/// | `sentences` | single citing sentences like the query, shared among all the papers they cite |
/// | `neighbours` | the papers most like the query, by words, cite it |
/// | `latent-neighbours` | the papers most like the query, by embedding, cite it |
/// | `must-votes` | both kinds of neighbours cite it three times or more |
/// | `experiment-votes` | both kinds of neighbours cite it in their experiments |
/// | `lsi` | its latent vector is near the query's |
/// | `embedding` | its embedding, learnt from older citations, is near the query's |
/// | `voted` | its embedding is near those of the documents the neighbours cite |
/// | `coupling` | it cites what the neighbours cite |
/// | `cocitation` | it is cited together with the first results |
/// | `feedback` | the words of the first results in title and abstract |
/// | `latent-feedback` | its embedding is near those of the first results |
/// | `bib-cocitation` | it is cited together with what the query already cites |
/// | `bib-walk` | random walks over the citations reach it from what the query already cites |
/// | `bib-links` | it cites, or is cited by, what the query already cites |
/// | `bib-text` | the words of the titles that the query already cites |
/// | `bib-embedding` | its embedding is near those of the works that the query already cites |
/// | `dense` | its vector by a trained encoder is near the query's |
/// | `dense-neighbours` | the papers most like the query, by these vectors, cite it |
/// | `bib-dense` | its vector is near those of the works that the query already cites |
/// | `late` | the vectors of its tokens are near those of the query's (MaxSim) |
[[nodiscard]] const std::vector<std::string>& view_names();

/// Those of them that look at what the query already cites, and find nothing without it.
[[nodiscard]] const std::vector<std::string>& bibliography_views();

/// Those that look at vectors of a trained encoder, and find nothing unless `Resources::attach` gave some.
[[nodiscard]] const std::vector<std::string>& dense_views();

/// `late`, which looks at token vectors and finds nothing unless `Resources::attach_tokens` gave some.
[[nodiscard]] const std::vector<std::string>& late_views();

/// The view of that name, or `prior`: how often and how recently a document is cited as must-cite (no query
/// needed). Throws usage for any other name.
[[nodiscard]] std::unique_ptr<View> make_view(const std::string& name);

/// A prepared view that knows the score of every document it finds.
class FoundList final : public PreparedQuery {
 public:
  /// `found` ascends by document, without excluded ones.
  explicit FoundList(std::vector<graph::Weighted> found) : found_(std::move(found)) {}
  [[nodiscard]] std::vector<Scored> candidates(std::size_t depth) const override;
  void scores(std::span<const DocId> docs, std::span<float> out) const override;

 private:
  std::vector<graph::Weighted> found_;
};

namespace detail {
// One file each: view_text.cpp, view_citance.cpp, view_neighbours.cpp, view_latent.cpp, view_graph.cpp,
// view_bibliography.cpp, view_dense.cpp, view_late.cpp.
std::unique_ptr<View> make_text_view(const std::string& name);
std::unique_ptr<View> make_citance_view(const std::string& name);
std::unique_ptr<View> make_neighbour_view(const std::string& name);
std::unique_ptr<View> make_latent_view(const std::string& name);
std::unique_ptr<View> make_graph_view(const std::string& name);
std::unique_ptr<View> make_bibliography_view(const std::string& name);
std::unique_ptr<View> make_vector_view(const std::string& name);
std::unique_ptr<View> make_late_view(const std::string& name);

/// The terms of the text index with the largest product of weight and idf, strongest first.
std::vector<index::QueryTerm> strongest_terms(const QueryContext& context,
                                              const std::unordered_map<std::uint32_t, float>& weights,
                                              std::size_t most);

/// BM25 of these terms in an index of the documents.
std::unique_ptr<PreparedQuery> make_prepared_text(const QueryContext& context,
                                                  const index::SparseIndex& index,
                                                  std::vector<index::QueryTerm> terms);
}  // namespace detail

}  // namespace mustcite::rank
