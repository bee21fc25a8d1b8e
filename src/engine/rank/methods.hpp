#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "engine/rank/model.hpp"
#include "engine/rank/resources.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// A way to rank documents for a query, under the one name that `--method`, tables and docs use. Thread-safe.
class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// The best `depth` documents strictly older than the query's date, falling score, ties by row. The query's
  /// own paper, its `exclude` and its `known` papers never come back.
  [[nodiscard]] virtual std::vector<Scored> rank(const Query& query, std::size_t depth) const = 0;
  /// Told of queries that will be asked, so that work can be shared among them. Nothing needs it.
  virtual void prepare(std::span<const Query> queries) const { static_cast<void>(queries); }
  /// False for methods that answer texts of which no word can be searched for.
  [[nodiscard]] virtual bool needs_words() const { return true; }
};

/// Rows that never come back for the query: its own paper (by id or title), its `exclude` and its `known`
/// papers. Ascending.
[[nodiscard]] std::vector<DocId> excluded_rows(const Resources& resources, const Query& query);

/// `mustcite` (the learned ranker), `bm25`, and the other views that are methods of their own.
[[nodiscard]] const std::vector<std::string>& method_names();

/// The method of that name; resources and model must outlive it. `model` is needed by `mustcite` only, which
/// orders by the trees of `tier`; `bm25` sets the method of that name alone, the views keep what they were
/// trained with. Throws usage for an unknown name (with the nearest one), not_found for `mustcite` without a
/// model.
[[nodiscard]] std::unique_ptr<Method> make_method(const std::string& name, const Resources& resources,
                                                  const Model* model, Tier tier = Tier::must,
                                                  const index::Bm25& bm25 = {});

}  // namespace mustcite::rank
