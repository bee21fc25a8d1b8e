#include "engine/rank/candidates.hpp"

#include <algorithm>
#include <functional>

#include "engine/rank/top.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kFirstResults = 30;
constexpr std::size_t kScaleDepth = 1000;

/// How many documents a view proposes, and its weight in the sum.
struct Share {
  const char* view;
  std::size_t depth;
  float weight;
};
constexpr Share kShares[] = {{"bm25", 360, 0.8F},
                             {"title", 120, 0.3F},
                             {"title-query", 120, 0.0F},
                             {"title-title", 60, 0.0F},
                             {"citance", 240, 0.5F},
                             {"sentences", 120, 0.3F},
                             {"neighbours", 240, 0.5F},
                             {"latent-neighbours", 240, 0.5F},
                             {"must-votes", 120, 0.0F},
                             {"experiment-votes", 120, 0.0F},
                             {"lsi", 0, 0.2F},
                             {"embedding", 360, 1.2F},
                             {"voted", 0, 0.0F},
                             {"coupling", 36, 0.0F},
                             {"cocitation", 180, 0.4F},
                             {"feedback", 180, 0.0F},
                             {"latent-feedback", 0, 0.4F},
                             {"bib-cocitation", 120, 0.5F},
                             {"bib-walk", 120, 0.3F},
                             {"bib-links", 120, 0.2F},
                             {"bib-text", 90, 0.3F},
                             {"bib-embedding", 120, 0.3F},
                             {"dense", 360, 0.8F},
                             {"dense-neighbours", 120, 0.4F},
                             {"bib-dense", 120, 0.3F},
                             {"late", 240, 0.8F}};

/// The views of one query on their way to candidates.
class Search {
 public:
  Search(QueryContext& context, const std::set<std::string>& without) : context_(context) {
    for (const std::string& name : view_names())
      views_.push_back(without.contains(name) ? nullptr : make_view(name));
    result_.prepared.resize(views_.size());
    result_.scores.resize(views_.size());
  }

  Candidates run() {
    propose(View::Order::first);
    score(View::Order::first);
    const std::vector<float> sum = fused(View::Order::first);
    TopK best(kFirstResults);
    for (std::size_t i = 0; i < sum.size(); ++i) best.offer(result_.docs[i].value, sum[i]);
    context_.first = best.take();
    std::erase_if(context_.first, [](const Scored& item) { return item.score <= 0; });
    const std::vector<DocId> before = result_.docs;
    propose(View::Order::second);
    extend_scores(before);
    score(View::Order::second);
    result_.fused = fused(View::Order::second);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool takes_part(std::size_t view, View::Order order) const {
    return views_[view] != nullptr && views_[view]->order() == order;
  }

  void propose(View::Order order) {
    std::vector<DocId>& docs = result_.docs;
    for (std::size_t v = 0; v < views_.size(); ++v) {
      if (!takes_part(v, order)) continue;
      result_.prepared[v] = views_[v]->prepare(context_);
      if (kShares[v].depth == 0) continue;
      for (const Scored& item : result_.prepared[v]->candidates(kShares[v].depth)) {
        if (item.score > 0) docs.push_back(item.doc);
      }
    }
    std::sort(docs.begin(), docs.end());
    docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
  }

  void score(View::Order order) {
    for (std::size_t v = 0; v < views_.size(); ++v) {
      if (views_[v] != nullptr && views_[v]->order() != order) continue;
      result_.scores[v].assign(result_.docs.size(), 0.0F);
      if (views_[v] != nullptr) result_.prepared[v]->scores(result_.docs, result_.scores[v]);
    }
  }

  /// First-order scores of the documents that the second-order views brought in.
  void extend_scores(const std::vector<DocId>& before) {
    std::vector<DocId> fresh;
    std::set_difference(result_.docs.begin(), result_.docs.end(), before.begin(), before.end(),
                        std::back_inserter(fresh));
    std::vector<float> added(fresh.size());
    std::vector<float> merged(result_.docs.size());
    for (std::size_t v = 0; v < views_.size(); ++v) {
      if (views_[v] != nullptr && views_[v]->order() != View::Order::first) continue;
      std::fill(added.begin(), added.end(), 0.0F);
      if (views_[v] != nullptr) result_.prepared[v]->scores(fresh, added);
      for (std::size_t i = 0, old = 0, next = 0; i < result_.docs.size(); ++i) {
        const bool known = old < before.size() && before[old] == result_.docs[i];
        merged[i] = known ? result_.scores[v][old] : added[next];
        ++(known ? old : next);
      }
      result_.scores[v] = merged;
    }
  }

  [[nodiscard]] std::vector<float> fused(View::Order last) const {
    std::vector<float> sum(result_.docs.size(), 0.0F);
    for (std::size_t v = 0; v < views_.size(); ++v) {
      if (views_[v] == nullptr || kShares[v].weight == 0) continue;
      if (last == View::Order::first && views_[v]->order() == View::Order::second) continue;
      const Scale scale = Scale::of(result_.scores[v]);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += kShares[v].weight * scale(result_.scores[v][i]);
    }
    return sum;
  }

  QueryContext& context_;
  std::vector<std::unique_ptr<View>> views_;
  Candidates result_;
};

}  // namespace

Scale Scale::of(const std::vector<float>& scores) {
  Scale scale;
  if (scores.empty()) return scale;
  scale.best = *std::max_element(scores.begin(), scores.end());
  if (scores.size() >= kScaleDepth) {
    std::vector<float> copy = scores;
    const auto nth = copy.begin() + static_cast<std::ptrdiff_t>(kScaleDepth - 1);
    std::nth_element(copy.begin(), nth, copy.end(), std::greater<>());
    scale.thousandth = std::max(*nth, 0.0F);
  }
  return scale;
}

float Scale::operator()(float score) const noexcept {
  const float low = thousandth > 0 ? -0.5F : 0.0F;
  return std::clamp((score - thousandth) / std::max(best - thousandth, 1e-9F), low, 1.0F);
}

Candidates find_candidates(QueryContext& context, const std::set<std::string>& without) {
  return Search(context, without).run();
}

}  // namespace mustcite::rank
