#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/train/run.hpp"

namespace mustcite::train {

/// What nearness of single vectors means: what the loss means by it.
enum class Nearness { cosine, distance };
[[nodiscard]] Nearness nearness_of(Loss loss) noexcept;

/// Orders documents for each query by nearness: `out`, row-major [queries, documents], is greater for nearer
/// ones. Rows have `dims` numbers.
void compare(std::span<const float> queries, std::span<const float> documents, std::size_t dims,
             Nearness nearness, std::span<float> out);

/// Ranks dev queries over a fixed sample: all their relevant papers and others drawn by the seed.
class DevSet {
 public:
  /// `text_of` gives the text that the model reads for a query; without it title and abstract.
  DevSet(const snapshot::Snapshot& snapshot, const Recipe& recipe, std::vector<DevQuery> queries,
         const std::function<std::string(const DevQuery&)>& text_of = {});

  [[nodiscard]] std::size_t queries() const noexcept { return queries_.size(); }
  [[nodiscard]] std::size_t documents() const noexcept { return rows_.size(); }
  [[nodiscard]] bool empty() const noexcept { return queries_.empty(); }

  /// Mean Recall@100, reciprocal rank and R-precision. Documents not strictly older than a query are not
  /// ranked for it.
  [[nodiscard]] Measurement measure(Learner& learner, std::size_t threads) const;

 private:
  std::vector<DevQuery> queries_;
  std::vector<DocId> rows_;  ///< sorted
  std::vector<std::uint32_t>
      older_;  ///< of each query: rows_ that are strictly older are a prefix of this length
  std::vector<std::string> document_texts_;
  std::vector<std::string> query_texts_;
};

}  // namespace mustcite::train
