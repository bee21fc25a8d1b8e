#pragma once

#include <memory>
#include <string>

#include "engine/late/retriever.hpp"
#include "engine/rank/methods.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// Late interaction as a view, under the name of its recipe: a document is found when its tokens' vectors are
/// near to those of the query's tokens (MaxSim). The retriever must outlive it.
class LateView final : public View {
 public:
  explicit LateView(const late::Retriever& retriever) : retriever_(retriever) {}
  [[nodiscard]] std::string name() const override { return retriever_.index().info().recipe.text.name; }
  [[nodiscard]] std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override;

 private:
  const late::Retriever& retriever_;
};

/// The same as a method of its own; with `exhaustive` every document is scored. Resources and retriever must
/// outlive it.
[[nodiscard]] std::unique_ptr<Method> make_late_method(const Resources& resources,
                                                       const late::Retriever& retriever, bool exhaustive);

}  // namespace mustcite::rank
