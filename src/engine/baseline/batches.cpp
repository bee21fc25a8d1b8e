#include "engine/baseline/batches.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace mustcite::baseline {
namespace {

constexpr double kWarmup = 0.05;
constexpr double kLast = 0.05;

bool holds(const std::vector<DocId>& sorted, DocId doc) {
  return std::binary_search(sorted.begin(), sorted.end(), doc);
}

/// `most` of the documents, in an order of the draws'.
std::vector<DocId> some_of(std::vector<DocId> documents, std::size_t most, Draws& draws) {
  draws.shuffle(documents);
  if (documents.size() > most) documents.resize(most);
  return documents;
}

void sort_unique(std::vector<DocId>& documents) {
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
}

Level level_of(const Example& example, std::span<const DocId> hard, DocId doc) {
  if (holds(example.positives, doc)) return Level::positive;
  if (doc.value >= example.older || holds(example.known, doc)) return Level::ignored;
  return std::find(hard.begin(), hard.end(), doc) != hard.end() ? Level::hard : Level::easy;
}

/// Places of the examples in batches, in a random order.
std::vector<std::vector<std::size_t>> orders(std::span<const Example> examples, const DrawOptions& options,
                                             Draws& draws) {
  std::map<std::uint64_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const AsOf& date = examples[i].as_of;
    const bool equal = options.dates == DrawOptions::Dates::equal;
    groups[equal ? std::uint64_t{date.documents} << 32 | date.edges : 0].push_back(i);
  }
  std::vector<std::vector<std::size_t>> batches;
  for (auto& [date, group] : groups) {
    draws.shuffle(group);
    const std::size_t most = options.batch == 0 ? group.size() : options.batch;
    for (std::size_t begin = 0; begin < group.size(); begin += most) {
      const std::size_t end = std::min(group.size(), begin + most);
      batches.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(begin),
                           group.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  draws.shuffle(batches);
  return batches;
}

}  // namespace

std::uint64_t Draws::next() noexcept {
  // SplitMix64.
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::vector<BatchPlan> plan_epoch(std::span<const Example> examples, std::span<const std::vector<DocId>> hard,
                                  const DrawOptions& options, std::size_t epoch) {
  Draws draws(options.seed, 2 * epoch);
  std::vector<BatchPlan> plans;
  for (auto& batch : orders(examples, options, draws)) {
    BatchPlan plan;
    plan.examples = std::move(batch);
    for (const std::size_t i : plan.examples) {
      const auto add = [&](const std::vector<DocId>& drawn) {
        plan.documents.insert(plan.documents.end(), drawn.begin(), drawn.end());
      };
      add(some_of(examples[i].positives, options.positives, draws));
      if (!hard.empty()) add(some_of(hard[i], options.hard, draws));
      for (std::size_t n = 0; n < options.easy && examples[i].older > 0; ++n) {
        plan.documents.push_back(DocId{static_cast<std::uint32_t>(draws.below(examples[i].older))});
      }
    }
    sort_unique(plan.documents);
    plan.levels.reserve(plan.examples.size() * plan.documents.size());
    for (const std::size_t i : plan.examples) {
      const auto its_hard = hard.empty() ? std::span<const DocId>() : std::span(hard[i]);
      for (const DocId doc : plan.documents) plan.levels.push_back(level_of(examples[i], its_hard, doc));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<DocId> drawn_documents(std::span<const Example> examples, std::uint32_t documents,
                                   std::size_t most, std::uint64_t seed, std::size_t epoch) {
  std::vector<DocId> rows;
  if (most == 0 || most >= documents) {
    for (std::uint32_t row = 0; row < documents; ++row) rows.push_back(DocId{row});
    return rows;
  }
  Draws draws(seed, 2 * epoch + 1);
  std::vector<DocId> cited;
  for (const auto& example : examples) {
    cited.insert(cited.end(), example.positives.begin(), example.positives.end());
  }
  sort_unique(cited);
  rows = some_of(std::move(cited), most / 2, draws);
  std::unordered_set<std::uint32_t> chosen;
  for (const DocId doc : rows) chosen.insert(doc.value);
  while (rows.size() < most) {
    const auto row = static_cast<std::uint32_t>(draws.below(documents));
    if (chosen.insert(row).second) rows.push_back(DocId{row});
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<DocId> best_uncited(std::span<const float> scores, std::span<const DocId> documents,
                                const Example& example, std::size_t depth) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < documents.size() && documents[i].value < example.older; ++i) {
    if (!holds(example.known, documents[i])) places.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  };
  const std::size_t count = std::min(depth, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
                    before);
  std::vector<DocId> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(documents[places[i]]);
  return best;
}

double rate_at(double rate, double share) noexcept {
  if (share < kWarmup) return rate * share / kWarmup;
  return rate * (1 - (1 - kLast) * (share - kWarmup) / (1 - kWarmup));
}

}  // namespace mustcite::baseline
