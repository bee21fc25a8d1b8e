#include <algorithm>

#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank::detail {
namespace {

enum class Kind { lsi, embedding, voted, feedback };

class PreparedLatent final : public PreparedQuery {
 public:
  PreparedLatent(const QueryContext& context, const Lsi* space, const std::vector<float>& vector)
      : context_(context), space_(space), vector_(quantised(vector)) {}

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (blind()) return {};
    return space_->nearest(vector_, context_.as_of.documents, depth, context_.excluded);
  }

  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    for (std::size_t i = 0; i < docs.size(); ++i) {
      out[i] = blind() ? 0.0F : space_->documents().dot(docs[i].value, vector_);
    }
  }

 private:
  [[nodiscard]] bool blind() const { return space_ == nullptr || vector_.scale == 0; }

  const QueryContext& context_;
  const Lsi* space_;
  QuantisedVector vector_;
};

class LatentView final : public View {
 public:
  LatentView(std::string name, Kind kind) : name_(std::move(name)), kind_(kind) {}
  std::string name() const override { return name_; }
  Order order() const override { return kind_ == Kind::feedback ? Order::second : Order::first; }

  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    const Lsi* const space = kind_ == Kind::lsi ? context.latent.lsi : context.latent.embedding;
    return std::make_unique<PreparedLatent>(context, space, vector(context));
  }

 private:
  static constexpr std::size_t kVoted = 50;
  static constexpr std::size_t kFirst = 20;

  std::vector<float> vector(const QueryContext& context) const {
    if (kind_ == Kind::lsi) return context.lsi_vector;
    if (kind_ == Kind::embedding || context.latent.embedding == nullptr) return context.embedding_vector;
    const Lsi& space = *context.latent.embedding;
    std::vector<float> sum(space.dims(), 0.0F);
    if (kind_ == Kind::voted) {
      TopK best(kVoted);
      for (const graph::Weighted& vote : joint_votes(context)) best.offer(vote.row, vote.weight);
      for (const Scored& item : best.take()) space.documents().add_to(item.doc.value, item.score, sum);
    } else {
      const std::size_t count = std::min(kFirst, context.first.size());
      for (std::size_t i = 0; i < count; ++i) {
        const Scored& item = context.first[i];
        space.documents().add_to(item.doc.value, item.score / context.first[0].score, sum);
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
  if (name == "embedding") return std::make_unique<LatentView>(name, Kind::embedding);
  if (name == "voted") return std::make_unique<LatentView>(name, Kind::voted);
  if (name == "latent-feedback") return std::make_unique<LatentView>(name, Kind::feedback);
  return nullptr;
}

}  // namespace mustcite::rank::detail
