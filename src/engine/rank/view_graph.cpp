#include <algorithm>
#include <cmath>

#include "engine/rank/top.hpp"
#include "engine/rank/votes.hpp"

namespace mustcite::rank::detail {
namespace {

/// Documents cited together with the first results, and with what the query already cites.
class CocitationView final : public View {
 public:
  std::string name() const override { return "cocitation"; }
  Order order() const override { return Order::second; }

  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    std::vector<graph::Weighted> seeds;
    const std::size_t count = std::min(kSeeds, context.first.size());
    for (std::size_t i = 0; i < count; ++i) {
      seeds.push_back({context.first[i].doc.value, context.first[i].score / context.first[0].score});
    }
    for (const DocId doc : context.known) seeds.push_back({doc.value, 1.0F});
    std::vector<graph::Weighted> found = graph::cocited(context.resources->graph(), seeds, context.horizon);
    std::erase_if(found, [&](const graph::Weighted& item) {
      return item.row >= context.as_of.documents || contains(context.excluded, DocId{item.row});
    });
    for (graph::Weighted& item : found) item.weight = damped(context, item);
    return std::make_unique<FoundList>(std::move(found));
  }

 private:
  static constexpr std::size_t kSeeds = 30;
};

/// What is cited as must-cite, often and of late, whatever the query.
class PriorView final : public View {
 public:
  std::string name() const override { return "prior"; }
  std::unique_ptr<PreparedQuery> prepare(const QueryContext& context) const override {
    std::vector<graph::Weighted> found;
    for (std::uint32_t doc = 0; doc < context.as_of.documents; ++doc) {
      if (context.statistics->cited[doc].citing == 0 || contains(context.excluded, DocId{doc})) continue;
      const CitedCounts counts = context.cited(DocId{doc});
      const auto grown = [](std::uint32_t count) { return std::log1p(static_cast<float>(count)); };
      found.push_back({doc, grown(counts.must) + 0.5F * grown(counts.recent) + 0.25F * grown(counts.citing)});
    }
    return std::make_unique<FoundList>(std::move(found));
  }
};

}  // namespace

std::unique_ptr<View> make_graph_view(const std::string& name) {
  if (name == "cocitation") return std::make_unique<CocitationView>();
  if (name == "prior") return std::make_unique<PriorView>();
  return nullptr;
}

}  // namespace mustcite::rank::detail
