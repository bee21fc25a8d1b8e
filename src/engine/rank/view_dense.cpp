#include <algorithm>
#include <array>

#include "engine/rank/views.hpp"

namespace mustcite::rank::detail {
namespace {

/// Documents whose vectors are near the query's.
class PreparedVector final : public PreparedQuery {
 public:
  explicit PreparedVector(const QueryContext& context)
      : context_(context), dense_(context.dense) {}

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (dense_ == nullptr) return {};
    return dense_->search(context_.dense_vector, {depth, context_.as_of.documents, context_.excluded});
  }
  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    if (dense_ == nullptr) {
      std::fill(out.begin(), out.end(), 0.0F);
    } else {
      dense_->vectors().score(context_.dense_vector, docs, out);
    }
  }

 private:
  const QueryContext& context_;
  const dense::Retriever* dense_;
};

/// Documents whose vectors are near the nearest few of what the query already cites.
class PreparedNearVectors final : public PreparedQuery {
 public:
  explicit PreparedNearVectors(const QueryContext& context) : context_(context) {
    if (context.dense == nullptr) return;
    const dense::VectorFile& file = context.dense->vectors();
    const std::size_t step = (context.known.size() + kMost - 1) / kMost;
    mean_.resize(file.info().dims, 0.0F);
    for (std::size_t i = 0; i < context.known.size(); i += step) {
      vectors_.emplace_back(file.info().dims);
      file.read(context.known[i].value, vectors_.back());
      for (std::size_t d = 0; d < mean_.size(); ++d) mean_[d] += vectors_.back()[d];
    }
  }

  std::vector<Scored> candidates(std::size_t depth) const override {
    if (vectors_.empty()) return {};
    return context_.dense->search(mean_, {depth, context_.as_of.documents, context_.excluded});
  }

  void scores(std::span<const DocId> docs, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0F);
    std::vector<float> near(docs.size());
    std::vector<std::array<float, kNearest>> best(docs.size());
    for (const std::vector<float>& vector : vectors_) {
      context_.dense->vectors().score(vector, docs, near);
      for (std::size_t i = 0; i < docs.size(); ++i) {
        float score = near[i];
        for (float& place : best[i]) {
          if (score > place) std::swap(score, place);
        }
      }
    }
    for (std::size_t i = 0; i < docs.size(); ++i) {
      for (const float score : best[i]) out[i] += score / kNearest;
    }
  }

 private:
  static constexpr std::size_t kMost = 64;  ///< works compared; longer bibliographies are thinned evenly
  static constexpr std::size_t kNearest = 3;

  const QueryContext& context_;
  std::vector<std::vector<float>> vectors_;
  std::vector<float> mean_;
};

class VectorView final : public View {
 public:
  explicit VectorView(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    if (name_ == "dense-neighbours") return std::make_unique<FoundList>(context.by_dense.documents);
    if (name_ == "bib-dense") return std::make_unique<PreparedNearVectors>(context);
    return std::make_unique<PreparedVector>(context);
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<View> make_vector_view(const std::string& name) {
  const std::vector<std::string>& names = dense_views();
  if (std::find(names.begin(), names.end(), name) == names.end()) return nullptr;
  return std::make_unique<VectorView>(name);
}

}  // namespace mustcite::rank::detail
