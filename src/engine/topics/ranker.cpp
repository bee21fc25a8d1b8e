#include <algorithm>
#include <map>
#include <mutex>

#include "core/base/error.hpp"
#include "engine/topics/citations.hpp"
#include "engine/topics/ktr.hpp"
#include "engine/topics/reasoning.hpp"

namespace mustcite::topics {
namespace {

namespace fs = std::filesystem;

/// Falling score, ties by row.
bool before(const baseline::Scored& a, const baseline::Scored& b) {
  return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

class KtrRanker final : public baseline::Ranker {
 public:
  KtrRanker(const fs::path& folder, const baseline::Card& card, const baseline::World& world)
      : card_(card),
        options_(read_options(baseline::parse_recipe(card.recipe, card.name))),
        features_(baseline::open_text_vectors(card.features, *world.snapshot, world.index_folder,
                                              world.make_encoder)),
        topics_(*world.snapshot, options_, folder),
        network_(shape(), card.seed, {}) {
    if (features_->digest() != card.features_digest) {
      fail(ErrorCode::corrupt,
           "{} was trained on the text vectors of another model than those of {} that lie in the index: "
           "train it again",
           card.name, card.features);
    }
    const at::NoGradGuard without_gradients;
    network_.parameters().load_weights(folder / baseline::kWeightsFile);
    papers_ = network_.papers(document_features(*features_, world.snapshot->size()));
  }

  const baseline::Card& card() const override { return card_; }

  std::vector<baseline::Scored> rank(const baseline::Request& request) const override {
    const std::lock_guard lock(mutex_);
    const at::NoGradGuard without_gradients;
    const State& state = state_of(request.as_of.documents);
    const dense::TextParts text[] = {text_of(request)};
    const auto vector = network_.papers(text_features(*features_, text));
    const std::uint32_t documents = std::min<std::uint32_t>(request.as_of.documents, state.date->documents);
    auto scores =
        (at::mv(papers_.narrow(0, 0, documents), vector[0]) * network_.cosine_factor()).contiguous();
    add_reasoning(state, request, {scores.data_ptr<float>(), documents});
    std::vector<baseline::Scored> ranked;
    ranked.reserve(documents);
    auto excluded = request.exclude.begin();
    for (std::uint32_t row = 0; row < documents; ++row) {
      while (excluded != request.exclude.end() && excluded->value < row) ++excluded;
      if (excluded != request.exclude.end() && excluded->value == row) continue;
      ranked.push_back({DocId{row}, scores.data_ptr<float>()[row]});
    }
    const std::size_t depth = std::min(request.depth, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(depth), ranked.end(),
                      before);
    ranked.resize(depth);
    return ranked;
  }

  void prepare(std::span<const baseline::Request> requests) const override {
    const std::lock_guard lock(mutex_);
    std::vector<dense::TextParts> texts;
    for (const auto& request : requests) texts.push_back(text_of(request));
    if (!texts.empty()) static_cast<void>(text_features(*features_, texts));
  }

 private:
  /// What is the same for every query of a date.
  struct State {
    std::shared_ptr<const Dated> date;
    at::Tensor topics;               ///< vectors of the topics
    std::vector<std::size_t> begin;  ///< of each row in `mentions`
    std::vector<terms::TopicMention> mentions;
  };

  static dense::TextParts text_of(const baseline::Request& request) {
    return {request.title, request.abstract, request.topic};
  }

  [[nodiscard]] Shape shape() const {
    Shape shape;
    shape.features = static_cast<std::int64_t>(features_->dimensions());
    shape.width = static_cast<std::int64_t>(options_.width);
    shape.topic_width = static_cast<std::int64_t>(options_.topic_width);
    shape.topics = topics_.topics().size();
    shape.relations = topics_.relations();
    return shape;
  }

  [[nodiscard]] const State& state_of(std::uint32_t documents) const {
    constexpr std::size_t kMostStates = 4;
    if (const auto found = states_.find(documents); found != states_.end()) return found->second;
    if (states_.size() >= kMostStates) states_.clear();
    State state;
    state.date = topics_.as_of(documents);
    state.topics = network_.topics(normalised_edges(state.date->graph));
    state.begin.push_back(0);
    for (std::uint32_t row = 0; row < documents; ++row) {
      const auto mentions = topics_.main_topics(*state.date, DocId{row});
      state.mentions.insert(state.mentions.end(), mentions.begin(), mentions.end());
      state.begin.push_back(state.mentions.size());
    }
    return states_.emplace(documents, std::move(state)).first->second;
  }

  void add_reasoning(const State& state, const baseline::Request& request, std::span<float> scores) const {
    std::string text = request.abstract;
    if (!request.topic.empty()) text += "\n" + request.topic;
    auto asked = topics_.main_topics(*state.date, request.title, text);
    if (asked.empty()) return;
    std::sort(asked.begin(), asked.end(),
              [](const terms::TopicMention& a, const terms::TopicMention& b) { return a.topic < b.topic; });
    std::vector<std::uint32_t> sources;
    for (const auto& mention : asked) sources.push_back(mention.topic);
    const auto plan = plan_paths(state.date->graph, sources, {}, options_.hops);
    const auto values = network_.path_values(plan, state.topics).contiguous();
    // What each topic of a document adds for this query.
    std::vector<float> gain(topics_.topics().size(), 0);
    const auto factor = static_cast<float>(network_.reasoning_factor());
    for (std::size_t i = 0; i < plan.ends.size(); ++i) {
      gain[plan.ends[i].topic] += factor * asked[plan.ends[i].source].times * values.data_ptr<float>()[i];
    }
    for (std::size_t row = 0; row < scores.size(); ++row) {
      for (std::size_t i = state.begin[row]; i < state.begin[row + 1]; ++i) {
        scores[row] += state.mentions[i].times * gain[state.mentions[i].topic];
      }
    }
  }

  baseline::Card card_;
  Options options_;
  std::unique_ptr<baseline::TextVectors> features_;
  TopicWorld topics_;
  Network network_;
  at::Tensor papers_;  ///< z of every document
  mutable std::mutex mutex_;
  mutable std::map<std::uint32_t, State> states_;
};

}  // namespace

std::unique_ptr<baseline::Ranker> open_ranker(const fs::path& folder, const baseline::Card& card,
                                              const baseline::World& world) {
  return std::make_unique<KtrRanker>(folder, card, world);
}

}  // namespace mustcite::topics
