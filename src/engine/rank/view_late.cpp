#include <algorithm>

#include "engine/late/retriever.hpp"
#include "engine/rank/query_texts.hpp"
#include "engine/rank/views.hpp"

namespace mustcite::rank::detail {
namespace {

/// Documents whose token vectors are near the query's.
class PreparedTokens final : public PreparedQuery {
 public:
  explicit PreparedTokens(const QueryContext& context) : context_(context) {
    if (context.late != nullptr) vectors_ = context.late->encode(texts_of(*context.query));
  }

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (vectors_.empty()) return {};
    late::LateSearch search;
    search.depth = depth;
    search.prefix = context_.as_of.documents;
    search.exclude = context_.excluded;
    return context_.late->index().search(vectors_, search);
  }
  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    if (vectors_.empty()) {
      std::fill(out.begin(), out.end(), 0.0F);
    } else {
      context_.late->index().score(vectors_, docs, out);
    }
  }

 private:
  const QueryContext& context_;
  std::vector<float> vectors_;
};

class LateView final : public View {
 public:
  std::string name() const override { return "late"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return std::make_unique<PreparedTokens>(context);
  }
};

}  // namespace

std::unique_ptr<View> make_late_view(const std::string& name) {
  if (name != "late") return nullptr;
  return std::make_unique<LateView>();
}

}  // namespace mustcite::rank::detail
