#include "engine/rank/baseline.hpp"

#include "core/base/error.hpp"

namespace mustcite::rank {
namespace {

class BaselineMethod final : public Method {
 public:
  BaselineMethod(const Resources& resources, const baseline::Ranker& ranker)
      : resources_(resources), ranker_(ranker) {}
  std::string name() const override { return ranker_.card().name; }
  bool needs_words() const override { return false; }

  void prepare(std::span<const Query> queries) const override {
    std::vector<baseline::Request> requests;
    for (const Query& query : queries) requests.push_back(request_of(query));
    ranker_.prepare(requests);
  }

  std::vector<Scored> rank(const Query& query, std::size_t depth) const override {
    baseline::Request request = request_of(query);
    const std::vector<DocId> excluded = excluded_rows(resources_, query);
    request.exclude = excluded;
    request.depth = depth;
    return ranker_.rank(request);
  }

 private:
  [[nodiscard]] baseline::Request request_of(const Query& query) const {
    const auto& snapshot = resources_.snapshot();
    const int until = ranker_.card().until;
    if (query.before && query.before->year <= until) {
      fail(
          ErrorCode::invalid_input,
          "{} learnt from evidence of {}, and a query as of {} must not see it: train it on an older release",
          name(), until, format_date(*query.before));
    }
    baseline::Request request;
    request.title = query.title;
    request.abstract = query.abstract;
    request.topic = query.topic;
    request.venue = query.venue;
    request.as_of = baseline::as_of(snapshot, query.before);
    if (const auto own = snapshot.find_citing(query.id.str()); own && !query.before) {
      if (const int year = snapshot.citing(*own).year; year != 0)
        request.as_of.edges = snapshot.evidence_prefix(Date{year, 0, 0});
    }
    return request;
  }

  const Resources& resources_;
  const baseline::Ranker& ranker_;
};

}  // namespace

std::unique_ptr<Method> make_baseline_method(const Resources& resources, const baseline::Ranker& ranker) {
  return std::make_unique<BaselineMethod>(resources, ranker);
}

}  // namespace mustcite::rank
