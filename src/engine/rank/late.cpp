#include "engine/rank/late.hpp"

#include "engine/rank/query_texts.hpp"

namespace mustcite::rank {
namespace {

class LateMethod final : public Method {
 public:
  LateMethod(const Resources& resources, const late::Retriever& retriever, bool exhaustive)
      : resources_(resources), retriever_(retriever), exhaustive_(exhaustive) {}
  std::string name() const override { return retriever_.index().info().recipe.text.name; }
  bool needs_words() const override { return false; }

  void prepare(std::span<const Query> queries) const override { retriever_.prepare(texts_of(queries)); }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    const std::vector<float> vectors = retriever_.encode(texts_of(query));
    const std::vector<DocId> excluded = excluded_rows(resources_, query);
    late::LateSearch search;
    search.depth = depth;
    search.prefix = resources_.snapshot().prefix(query.before);
    search.exclude = excluded;
    const late::LateIndex& index = retriever_.index();
    return exhaustive_ ? index.search_exhaustive(vectors, search) : index.search(vectors, search);
  }

 private:
  const Resources& resources_;
  const late::Retriever& retriever_;
  bool exhaustive_;
};

}  // namespace

std::unique_ptr<Method> make_late_method(const Resources& resources, const late::Retriever& retriever,
                                         bool exhaustive) {
  return std::make_unique<LateMethod>(resources, retriever, exhaustive);
}

}  // namespace mustcite::rank
