#include <algorithm>

#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank {

const std::vector<std::vector<Scored>>& nearest_latent(const QueryContext& context) {
  if (context.latent_found.empty()) {
    if (context.latent == nullptr) {
      context.latent_found.resize(2);
    } else {
      const std::vector<QuantisedVector> vectors{quantised(context.latent_vector), quantised(context.latent_mapped)};
      context.latent_found = context.latent->documents().nearest(vectors, context.as_of.documents, kLatentDepth,
                                                                 context.excluded);
    }
  }
  return context.latent_found;
}

namespace detail {
namespace {

enum class Kind { lsi, mapped, voted, feedback };

class PreparedLatent final : public PreparedQuery {
 public:
  PreparedLatent(const QueryContext& context, Kind kind, const std::vector<float>& vector)
      : context_(context), kind_(kind), vector_(quantised(vector)) {}

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (context_.latent == nullptr || vector_.scale == 0) return {};
    if (depth <= kLatentDepth && (kind_ == Kind::lsi || kind_ == Kind::mapped)) {
      const std::vector<Scored>& found = nearest_latent(context_)[kind_ == Kind::lsi ? 0 : 1];
      return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(depth, found.size()))};
    }
    return context_.latent->documents().nearest({&vector_, 1}, context_.as_of.documents, depth, context_.excluded)[0];
  }

  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    for (std::size_t i = 0; i < docs.size(); ++i) {
      out[i] = context_.latent == nullptr || vector_.scale == 0 ? 0.0F
                                                                : context_.latent->documents().dot(docs[i].value, vector_);
    }
  }

 private:
  const QueryContext& context_;
  Kind kind_;
  QuantisedVector vector_;
};

class LatentView final : public View {
 public:
  LatentView(std::string name, Kind kind) : name_(std::move(name)), kind_(kind) {}
  std::string name() const override { return name_; }
  Order order() const override { return kind_ == Kind::feedback ? Order::second : Order::first; }

  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    return std::make_unique<PreparedLatent>(context, kind_, vector(context));
  }

 private:
  static constexpr std::size_t kVoted = 50;
  static constexpr std::size_t kFirst = 20;

  std::vector<float> vector(const QueryContext& context) const {
    if (context.latent == nullptr) return {};
    if (kind_ == Kind::lsi) return context.latent_vector;
    if (kind_ == Kind::mapped) return context.latent_mapped;
    std::vector<float> sum(context.latent->dims(), 0.0F);
    if (kind_ == Kind::voted) {
      TopK best(kVoted);
      for (const graph::Weighted& vote : joint_votes(context)) best.offer(vote.row, vote.weight);
      for (const Scored& item : best.take()) context.latent->documents().add_to(item.doc.value, item.score, sum);
    } else {
      const std::size_t count = std::min(kFirst, context.first.size());
      for (std::size_t i = 0; i < count; ++i) {
        context.latent->documents().add_to(context.first[i].doc.value, context.first[i].score / context.first[0].score, sum);
      }
    }
    normalise(sum);
    return sum;
  }

  std::string name_;
  Kind kind_;
};

}  // namespace

std::unique_ptr<View> make_latent_view(const std::string& name) {
  if (name == "lsi") return std::make_unique<LatentView>(name, Kind::lsi);
  if (name == "mapped") return std::make_unique<LatentView>(name, Kind::mapped);
  if (name == "voted") return std::make_unique<LatentView>(name, Kind::voted);
  if (name == "latent-feedback") return std::make_unique<LatentView>(name, Kind::feedback);
  return nullptr;
}

}  // namespace detail
}  // namespace mustcite::rank
