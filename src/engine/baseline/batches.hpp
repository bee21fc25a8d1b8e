#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/baseline/world.hpp"

namespace mustcite::baseline {

/// How far a document is from being the right answer to a query.
enum class Level : std::uint8_t {
  ignored,   ///< cited otherwise, not older, or the query itself: neither right nor wrong
  positive,  ///< cited
  hard,      ///< ranked high by some model, not cited
  easy       ///< any other
};

/// What one step is shown: queries, documents (each once, ascending), and how they belong together.
struct BatchPlan {
  std::vector<std::size_t> examples;
  std::vector<DocId> documents;
  std::vector<Level> levels;  ///< [queries, documents]
};

struct DrawOptions {
  std::size_t batch = 64;  ///< queries; 0: all of a date, or all
  std::size_t positives = 2;
  std::size_t hard = 2;
  std::size_t easy = 1;
  std::uint64_t seed = 1;
  enum class Dates {
    mixed,
    equal  ///< queries of one batch see the same documents and citations
  } dates = Dates::mixed;
};

/// Numbers for orders and choices, the same on every machine. Streams of one seed share no sequence.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream) noexcept
      : state_((seed * 0x9e3779b97f4a7c15ULL) ^ ((stream + 1) * 0xd1b54a32d192ed03ULL)) {}
  std::uint64_t next() noexcept;
  /// Below `bound`, which is above 0.
  std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>(next() % bound); }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

/// The batches of an epoch: every example once, in an order of its own. `hard`: of each example the documents
/// that some model ranks first and that it does not cite; empty: there are none. A document that anybody drew
/// is a negative of every query of the batch but those that cite it or are not newer than it.
[[nodiscard]] std::vector<BatchPlan> plan_epoch(std::span<const Example> examples,
                                                std::span<const std::vector<DocId>> hard,
                                                const DrawOptions& options, std::size_t epoch);

/// Documents that are looked at again before an epoch: half of them cited by some example, the others drawn
/// from rows [0, documents). Ascending. `most` 0: all.
[[nodiscard]] std::vector<DocId> drawn_documents(std::span<const Example> examples, std::uint32_t documents,
                                                 std::size_t most, std::uint64_t seed, std::size_t epoch);

/// The best `depth` of `documents` (ascending) for an example by their scores: older than it, not cited by it
/// and not itself. Falling score, ties by row.
[[nodiscard]] std::vector<DocId> best_uncited(std::span<const float> scores, std::span<const DocId> documents,
                                              const Example& example, std::size_t depth);

/// The rate of a step that stands at `share` (above 0, at most 1) of a training: it rises over the first
/// twentieth and falls to a twentieth in the end.
[[nodiscard]] double rate_at(double rate, double share) noexcept;

}  // namespace mustcite::baseline
