#include "engine/rank/dense.hpp"

namespace mustcite::rank {
namespace {

dense::TextParts parts_of(const Query& query) {
  return {query.title, query.abstract, query.topic};
}

class DenseMethod final : public Method {
 public:
  DenseMethod(const Resources& resources, const dense::Retriever& retriever)
      : resources_(resources), retriever_(retriever) {}
  std::string name() const override { return retriever_.vectors().info().recipe.name; }
  bool needs_words() const override { return false; }

  void prepare(std::span<const Query> queries) const override {
    std::vector<dense::TextParts> parts;
    for (const Query& query : queries) parts.push_back(parts_of(query));
    retriever_.prepare(parts);
  }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    const std::vector<float> vector = retriever_.encode(parts_of(query));
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
