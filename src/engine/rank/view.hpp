#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/ids.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

using index::Scored;

/// What a user asks for.
struct Query {
  QueryId id;
  std::string title;
  std::string abstract;
  std::string topic;                ///< topic sentence of one paragraph; may be empty
  std::optional<Date> before;       ///< strictly older papers only
  std::vector<PaperId> exclude;     ///< never come back
  std::vector<PaperId> known;       ///< already cited: evidence, and never come back
};

/// What may be known when answering: documents and evidence strictly older than the query's date.
struct AsOf {
  std::uint32_t documents = 0;  ///< rows [0, documents)
  std::uint32_t evidence = 0;   ///< evidence rows [0, evidence)
  std::optional<Date> cutoff;
};

/// The query with everything views share: its date, excluded rows (sorted), and first-order results once known.
struct QueryContext {
  const Query* query = nullptr;
  AsOf as_of;
  std::vector<DocId> excluded;
  std::vector<DocId> known;
  std::vector<Scored> first;  ///< results of the first-order views, for second-order ones
};

/// Feature columns of a set of documents: row-major, `docs.size()` rows.
struct FeatureBlock {
  std::vector<std::string> names;
  std::size_t rows = 0;
  std::vector<float> values;  ///< rows x names.size(); NaN: not known
};

/// A view prepared for one query.
class PreparedQuery {
 public:
  virtual ~PreparedQuery() = default;
  /// Best `depth` documents of this view alone: falling score, ties by row.
  [[nodiscard]] virtual std::vector<Scored> candidates(std::size_t depth) const = 0;
  /// Score of each document in this view; NaN where it has none.
  virtual void scores(std::span<const DocId> docs, std::span<float> out) const = 0;
};

/// One way in which a must-cite paper can be found. Thread-safe.
class View {
 public:
  virtual ~View() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<PreparedQuery> prepare(const QueryContext& query) const = 0;
};

}  // namespace mustcite::rank
