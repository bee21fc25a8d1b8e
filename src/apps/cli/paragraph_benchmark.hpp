#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "engine/paragraph/paragraph.hpp"
#include "engine/rank/view.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::cli {

/// A paragraph as a query: title and abstract of its paper as of the paper's year, and its topic sentence,
/// masked.
struct ParagraphQuery {
  rank::Query query;
  std::vector<DocId> relevant;  ///< what it cites, as documents that are strictly older; sorted, never empty
  paragraph::Paragraph paragraph;
};

/// paragraphs == queries + of_other_papers + without_relevant, always.
struct ParagraphBenchmark {
  std::vector<ParagraphQuery> queries;
  std::size_t paragraphs = 0;
  std::size_t rejected = 0;          ///< lines that are no paragraph
  std::size_t of_other_papers = 0;   ///< the split has no such query
  std::size_t without_relevant = 0;  ///< none of what it cites is a document
};

/// Paragraphs of the papers that are queries of a release's split. Throws invalid_input when there is none.
[[nodiscard]] ParagraphBenchmark read_benchmark(const std::string& file, const std::filesystem::path& release,
                                                const std::string& split, const snapshot::Snapshot& snapshot);

/// The named sample: every document that some paragraph cites, and `others` more drawn by the seed from all
/// documents. Sorted. The draw does not depend on the relevant ones.
[[nodiscard]] std::vector<DocId> sample_of(const ParagraphBenchmark& benchmark,
                                           const snapshot::Snapshot& snapshot, std::size_t others,
                                           std::uint64_t seed);

}  // namespace mustcite::cli
