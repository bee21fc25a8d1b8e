#include "engine/rank/methods.hpp"

#include <algorithm>

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "engine/late/retriever.hpp"
#include "engine/rank/candidates.hpp"
#include "engine/rank/query_texts.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/views.hpp"

namespace mustcite::rank {
namespace {

/// BM25 over title and abstract without the rest of a query's context: the baseline, and the fast way to an
/// answer.
class Bm25Method final : public Method {
 public:
  Bm25Method(const Resources& resources, const index::Bm25& bm25) : resources_(resources), bm25_(bm25) {}
  std::string name() const override { return "bm25"; }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    const index::SparseIndex& text = resources_.text();
    std::vector<std::string> terms = text.analyzer().terms(query.title);
    text.analyzer().analyze(query.abstract, terms);
    text.analyzer().analyze(query.topic, terms);
    const std::vector<DocId> excluded = excluded_rows(resources_, query);
    index::SearchOptions options;
    options.depth = static_cast<std::uint32_t>(std::min<std::size_t>(depth, resources_.snapshot().size()));
    options.prefix = resources_.snapshot().prefix(query.before);
    options.exclude = excluded;
    options.bm25 = bm25_;
    return text.search(text.count_terms(terms), options);
  }

 private:
  const Resources& resources_;
  index::Bm25 bm25_;
};

class ViewMethod final : public Method {
 public:
  ViewMethod(const Resources& resources, const std::string& name)
      : resources_(resources), view_(make_view(name)) {}
  std::string name() const override { return view_->name(); }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    QueryContext context = make_context(resources_, query, false);
    // Finding candidates leaves the first results in the context, which second-order views build on.
    if (view_->order() == View::Order::second) static_cast<void>(find_candidates(context));
    return view_->prepare(context)->candidates(depth);
  }

 private:
  const Resources& resources_;
  std::unique_ptr<View> view_;
};

class LearnedMethod final : public Method {
 public:
  LearnedMethod(const Resources& resources, const Model& model, Tier tier)
      : resources_(resources), ranker_(resources, model), tier_(tier) {}
  std::string name() const override { return "mustcite"; }

  void prepare(std::span<const Query> queries) const override {
    if (resources_.dense() != nullptr) resources_.dense()->prepare(texts_of(queries));
    if (resources_.late() != nullptr) resources_.late()->prepare(texts_of(queries));
  }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    std::vector<Scored> ranked = ranker_.rank(query, tier_).ranked;
    if (ranked.size() > depth) ranked.resize(depth);
    return ranked;
  }

 private:
  const Resources& resources_;
  Ranker ranker_;
  Tier tier_;
};

}  // namespace

std::vector<DocId> excluded_rows(const Resources& resources, const Query& query) {
  const snapshot::Snapshot& snapshot = resources.snapshot();
  std::vector<DocId> rows;
  const auto add = [&](const std::string& id) {
    if (const auto doc = snapshot.find(id)) rows.push_back(*doc);
  };
  add(query.id.str());
  for (const auto& id : query.exclude) add(id.str());
  for (const auto& id : query.known) add(id.str());
  const std::string key = text::title_key(query.title);
  if (!key.empty()) {
    for (const DocId doc : snapshot.find_title(key)) rows.push_back(doc);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"mustcite",  "bm25",       "citance",  "neighbours", "lsi",
                                              "embedding", "cocitation", "feedback", "prior"};
  return names;
}

std::unique_ptr<Method> make_method(const std::string& name, const Resources& resources, const Model* model,
                                    Tier tier, const index::Bm25& bm25) {
  const auto& names = method_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const auto near = nearest_name(name, names);
    fail(ErrorCode::usage,
         "unknown method '{}'{}; the methods are: {}; a recipe of dense retrieval is one once `mustcite "
         "index build --dense RECIPE` has made its vectors",
         name, near ? fmt::format("; did you mean '{}'?", *near) : "", fmt::join(names, ", "));
  }
  if (name == "bm25") return std::make_unique<Bm25Method>(resources, bm25);
  if (name != "mustcite") return std::make_unique<ViewMethod>(resources, name);
  if (model == nullptr) {
    fail(ErrorCode::not_found,
         "the method mustcite needs a trained model: `mustcite train ranker` makes one");
  }
  return std::make_unique<LearnedMethod>(resources, *model, tier);
}

}  // namespace mustcite::rank
