#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/date.hpp"
#include "stages/annotate/llm_judge.hpp"

namespace mustcite::annotate {

struct CatalogLlmOptions {
  LlmOptions llm;
  Date date;         ///< of the labels
  std::string only;  ///< only the citations by this paper; empty: all
  /// Labels a sample of this many citations, the same whatever is in the rest of the catalog; 0: all.
  std::uint64_t sample = 0;
  std::uint64_t seed = 1;
};

/// Citations of the catalog that have a citing sentence, by the options: what a run asks about.
[[nodiscard]] std::vector<Instance> choose_instances(const store::Catalog& catalog,
                                                     const CatalogLlmOptions& options);

/// A sample of `count` by the hash of their ids: the same ones in every version of the file. All when count
/// is 0.
[[nodiscard]] std::vector<Instance> sample_instances(std::vector<Instance> instances, std::uint64_t count,
                                                     std::uint64_t seed);

/// Asks a language model about the instances and keeps its verdicts as labels of the catalog, with the raw
/// replies; what it could not judge goes to the ledger. `take` sees every verdict as well.
LlmReport label_by_llm(store::Catalog& catalog, const std::vector<Instance>& instances,
                       const std::vector<Prompt>& prompts, const CatalogLlmOptions& options,
                       ReplyCache& cache, const std::function<void(const LlmVerdict&)>& take,
                       Progress& progress);

}  // namespace mustcite::annotate
