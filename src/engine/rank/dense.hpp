#pragma once

#include <memory>
#include <string>

#include "engine/dense/retriever.hpp"
#include "engine/rank/methods.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// A model's vectors as a view, under the name of its recipe: a document is found when its vector is near the
/// query's. The retriever must outlive it.
class DenseView final : public View {
 public:
  explicit DenseView(const dense::Retriever& retriever) : retriever_(retriever) {}
  [[nodiscard]] std::string name() const override { return retriever_.vectors().info().recipe.name; }
  [[nodiscard]] std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override;

 private:
  const dense::Retriever& retriever_;
};

/// The same as a method of its own. Resources and retriever must outlive it.
[[nodiscard]] std::unique_ptr<Method> make_dense_method(const Resources& resources,
                                                        const dense::Retriever& retriever);

}  // namespace mustcite::rank
