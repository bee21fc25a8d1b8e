#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/ids.hpp"
#include "engine/graph/citation_graph.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/rank/lsi.hpp"
#include "engine/rank/resources.hpp"
#include "engine/rank/statistics.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::late {
class Retriever;
}

namespace mustcite::rank {

using index::Scored;

/// What a user asks for.
struct Query {
  QueryId id;
  std::string title;
  std::string abstract;
  std::string topic;             ///< topic sentence of one paragraph; may be empty
  std::string venue;             ///< where it is to appear; may be empty, and few methods look at it
  std::optional<Date> before;    ///< strictly older papers only
  std::vector<PaperId> exclude;  ///< never come back
  std::vector<PaperId> known;    ///< already cited: evidence, and never come back
  /// Of a draft; only the model for drafts looks at them. Queries of a release have none.
  std::vector<std::string> authors;
};

/// What may be known when answering: documents and evidence strictly older than the query's date.
struct AsOf {
  std::uint32_t documents = 0;  ///< rows [0, documents)
  std::uint32_t evidence = 0;   ///< evidence rows [0, evidence)
  std::uint32_t citing = 0;     ///< citing papers [0, citing)
  std::uint32_t sentences = 0;  ///< citing sentences [0, sentences)
  std::optional<Date> cutoff;
};

/// What the papers most similar to the query vote for: the documents that they cite.
struct Votes {
  std::vector<graph::Weighted> neighbours;  ///< citing rows with their weight, heaviest first
  std::vector<graph::Weighted> documents;   ///< ascending by document
};

/// The query with everything views share: its date, what is hidden from it, its terms and vectors, and
/// first-order results once known. One thread works on one context; it outlives the views prepared with it.
struct QueryContext {
  const Query* query = nullptr;
  const Resources* resources = nullptr;
  AsOf as_of;
  std::vector<DocId> excluded;  ///< sorted: the query's own paper, other copies of it, `exclude` and `known`
  std::vector<DocId> known;     ///< sorted
  graph::Horizon horizon;       ///< hides the query's own paper as a citing one
  std::vector<DocId> hidden_citing;     ///< the same, as rows of the citing index, sorted
  std::vector<DocId> hidden_sentences;  ///< their sentences
  std::vector<DocId> hidden_cited;      ///< what they cite, sorted
  std::shared_ptr<const Statistics> statistics;

  std::vector<index::QueryTerm> terms;  ///< title, abstract and topic in the text index
  std::vector<index::QueryTerm>
      title_terms;  ///< title alone (the topic, when there is one) in the text index
  std::vector<index::QueryTerm> titles_terms;  ///< title, abstract and topic in the title index
  std::vector<index::QueryTerm> titles_title_terms;
  std::vector<index::QueryTerm>
      sentence_terms;                       ///< title, abstract and topic in the index of citing sentences
  std::vector<std::uint32_t> names;         ///< names that the query mentions
  std::vector<std::string> author_keys;     ///< of the query's authors, sorted: text::author_key
  Resources::Latent latent;                 ///< none: latent views find nothing
  std::vector<float> lsi_vector;            ///< unit length, or zeros
  std::vector<float> embedding_vector;      ///< unit length, or zeros
  const dense::Retriever* dense = nullptr;  ///< vectors of an encoder; nothing: none are read
  std::vector<float> dense_vector;          ///< by that encoder
  const late::Retriever* late = nullptr;    ///< token vectors; nothing: none are read

  Votes by_text;              ///< of neighbours found by their words
  Votes by_vector;            ///< of neighbours found by their embedding
  Votes by_dense;             ///< of neighbours found by their dense vector
  std::vector<Scored> first;  ///< best results of the first-order views together, for second-order ones

  /// Counts of a document without what hidden papers contribute.
  [[nodiscard]] CitedCounts cited(DocId doc) const;
  /// Sentences of the citing paper that this evidence row is about, ascending.
  [[nodiscard]] std::vector<std::uint32_t> sentences_about(std::uint32_t row) const;
};

/// Reads the query against the resources and looks up its neighbours. `encode` false leaves the encoders of
/// Resources::dense and Resources::late alone: loading one takes longer than an answer without.
[[nodiscard]] QueryContext make_context(const Resources& resources, const Query& query, bool encode = true);

/// A view prepared for one query.
class PreparedQuery {
 public:
  virtual ~PreparedQuery() = default;
  /// Best `depth` documents of this view alone: falling score, ties by row. Excluded documents never come
  /// back.
  [[nodiscard]] virtual std::vector<Scored> candidates(std::size_t depth) const = 0;
  /// Score of each document in this view, 0 where it finds nothing. `docs` ascend.
  virtual void scores(std::span<const DocId> docs, std::span<float> out) const = 0;
};

/// One way in which a must-cite paper can be found. Thread-safe.
class View {
 public:
  enum class Order {
    first,  ///< needs the query alone
    second  ///< needs `QueryContext::first`
  };
  virtual ~View() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Order order() const { return Order::first; }
  /// The context must outlive what is returned.
  [[nodiscard]] virtual std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const = 0;
};

}  // namespace mustcite::rank
