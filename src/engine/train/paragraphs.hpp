#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/paragraph/paragraph.hpp"
#include "engine/train/run.hpp"

namespace mustcite::train {

/// Pools of negatives of a paragraph, in this order.
inline constexpr std::size_t kPools = 3;

/// paragraphs == queries + held_out + of_other_sections + of_other_years + of_unknown_paper +
/// without_abstract + too_few_positives + without_negative, always.
struct ParagraphReport {
  std::size_t paragraphs = 0;
  std::size_t queries = 0;
  std::size_t held_out = 0;
  std::size_t of_other_sections = 0;
  std::size_t of_other_years = 0;
  std::size_t of_unknown_paper = 0;  ///< the index does not have the citing paper
  std::size_t without_abstract = 0;
  std::size_t too_few_positives = 0;  ///< under two older papers of the index: no quadruplet can be made
  std::size_t without_negative = 0;
  std::size_t unknown_cited = 0;      ///< cited works that are no document, or not older; over all paragraphs
  std::size_t empty_pools[kPools]{};  ///< of the queries: pools whose share went to the others
};

struct ParagraphQueries {
  std::vector<Example> examples;
  std::vector<DevQuery> held_out;
};

/// Paragraphs as training queries, as of their paper's year: title and abstract of the citing paper and, when
/// the recipe wants it, the topic sentence, masked. Positives are what the recipe's scope says, where the
/// index has it and it is strictly older; paragraphs with fewer than two of them are left out, also for
/// triplets, so that both losses see the same queries. Negatives are drawn from three pools, each without the
/// positives, without what the paragraph cites, and strictly older than the query:
///
///   1. cited in related work of the same paper, in another paragraph;
///   2. cited by the same paper, but not in its related work;
///   3. cited by what the paper cites, but not by the paper.
///
/// Papers whose id falls into the held-out share give dev queries and no training query. Throws invalid_input
/// when no query is left.
[[nodiscard]] ParagraphQueries make_paragraph_queries(const snapshot::Snapshot& snapshot,
                                                      std::span<const paragraph::Paragraph> paragraphs,
                                                      const Recipe::Examples& options,
                                                      ParagraphReport& report);

}  // namespace mustcite::train
