#include "engine/rank/dense.hpp"

#include "engine/rank/query_texts.hpp"

namespace mustcite::rank {
namespace {

class DenseMethod final : public Method {
 public:
  DenseMethod(const Resources& resources, const dense::Retriever& retriever)
      : resources_(resources), retriever_(retriever) {}
  std::string name() const override { return retriever_.vectors().info().recipe.name; }
  bool needs_words() const override { return false; }

  void prepare(std::span<const Query> queries) const override { retriever_.prepare(texts_of(queries)); }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    const std::vector<float> vector = retriever_.encode(texts_of(query));
    const std::vector<DocId> excluded = excluded_rows(resources_, query);
    return retriever_.search(vector, {depth, resources_.snapshot().prefix(query.before), excluded});
  }

 private:
  const Resources& resources_;
  const dense::Retriever& retriever_;
};

}  // namespace

std::unique_ptr<Method> make_dense_method(const Resources& resources, const dense::Retriever& retriever) {
  return std::make_unique<DenseMethod>(resources, retriever);
}

}  // namespace mustcite::rank
